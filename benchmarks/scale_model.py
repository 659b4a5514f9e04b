"""How many seconds a count of many rows takes: a model with four numbers, fitted to measured runs.

    seconds = start + alone * rows + (shared_start + shared * rows) / cores

start          what a run takes that has hardly any rows: imports, and for Spark its Java process
alone          what one core does alone for each row: rows with few neighbors come to it, a share of all rows
shared_start   what all cores do together before the first row: Python workers that start
shared         what all cores do together for each row: reading, cutting, counting
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

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
        return float(np.dot(astuple(self), _work(rows, cores)))


def fitted(runs: Sequence[Timed]) -> Model:
    """The model nearest to the runs, by relative errors; no part is below zero.

    Runs on one number of cores do not tell what is shared from what is not: there, work for rows is shared, and the
    start is not.
    """
    several = len({run.cores for run in runs}) > 1
    used = np.array([True, several, several, True])
    work = np.array([_work(run.rows, run.cores) for run in runs]) * used
    taken = np.array([run.seconds for run in runs])
    scale = np.where(used, work.max(axis=0, initial=0), 1)  # the columns are of very different sizes
    found, _ = nnls(work / scale / taken[:, None], np.ones(taken.size))
    return Model(*(found / scale).tolist())


def off_by(model: Model, run: Timed) -> float:
    """By which share the model expects more than was measured; below zero: less."""
    return model.seconds(run.rows, run.cores) / run.seconds - 1


def _work(rows: int, cores: int) -> tuple[float, float, float, float]:
    return 1.0, float(rows), 1 / cores, rows / cores
