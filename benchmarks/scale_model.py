"""How many seconds a count of many rows takes: a model with four numbers, fitted to measured runs.

    seconds = start + alone * rows + (shared_start + shared * rows) / cores

start          what a run takes that has hardly any rows: imports, and for Spark its Java process
alone          what one core does alone for each row: rows with few neighbors come to it, a share of all rows
shared_start   what all cores do together before the first row: Python workers that start
shared         what all cores do together for each row: reading, cutting, counting

Where two cores are not twice as fast, a fit calls it work that one core does alone, also if both waited for memory or a
disk. What the asking thread did is measured besides, so many cores are foreseen twice: at best, and at worst.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls


@dataclass(frozen=True, slots=True)
class Timed:
    """A measured run."""

    rows: int
    cores: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Model:
    """Seconds by rows and cores."""

    start: float
    alone: float
    shared_start: float
    shared: float

    def seconds(self, rows: int, cores: int) -> float:
        """What a run is expected to take."""
        return self.start + self.alone * rows + (self.shared_start + self.shared * rows) / cores


def fitted(runs: Sequence[Timed]) -> Model:
    """The model nearest to the runs, by relative errors; no part is below zero.

    Runs on one number of cores do not tell what is shared from what is not: there, work for rows is shared, and the
    start is not.
    """
    several = len({run.cores for run in runs}) > 1
    return Model(*_fit(runs, [True, several, several, True]))


def fitted_with(alone: float, runs: Sequence[Timed]) -> Model:
    """The model nearest to the runs among those with these seconds that one core takes alone for each row."""
    start, _, shared_start, shared = _fit(runs, [True, False, len({run.cores for run in runs}) > 1, True], alone)
    return Model(start, alone, shared_start, shared)


def _fit(runs: Sequence[Timed], used: Sequence[bool], alone: float = 0.0) -> list[float]:
    """The four numbers, 0 for those that are not used, of what is left without the seconds taken alone."""
    work = np.array([(1, run.rows, 1 / run.cores, run.rows / run.cores) for run in runs]) * np.array(used)
    taken = np.array([run.seconds for run in runs])
    left = np.array([max(0.0, run.seconds - alone * run.rows) for run in runs])
    scale = np.where(used, work.max(axis=0, initial=0), 1)  # the columns are of very different sizes
    found, _ = nnls(work / scale / taken[:, None], left / taken)
    return (found / scale).tolist()  # type: ignore[no-any-return]


def off_by(model: Model, run: Timed) -> float:
    """By which share the model expects more than was measured; below zero: less."""
    return model.seconds(run.rows, run.cores) / run.seconds - 1
