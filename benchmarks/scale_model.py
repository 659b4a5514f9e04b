"""How many seconds a count of many rows takes: a model with four numbers, one measured, three fitted to measured runs.

    seconds = start + alone * rows + (shared_start + shared * rows) / cores

start          what a run takes that has hardly any rows: imports, and for Spark its Java process
alone          what the thread that asks does for each row: rows with few neighbors come to it, a share of all rows.
               It is measured, since runs on one and on two cores hardly tell it from what is shared
shared_start   what all cores do together before the first row: Python workers that start
shared         what all cores do together for each row: reading, cutting, counting
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


def fitted(runs: Sequence[Timed], alone: float) -> Model:
    """The model nearest to the runs, by relative errors, with the seconds that one core takes alone for each row.

    No part is below zero. Runs on one number of cores do not tell what is shared from what is not: there, the start is
    not.
    """
    used = np.array([True, len({run.cores for run in runs}) > 1, True])
    work = np.array([(1, 1 / run.cores, run.rows / run.cores) for run in runs]) * used
    taken = np.array([run.seconds for run in runs])
    rest = np.array([max(0.0, run.seconds - alone * run.rows) for run in runs])
    scale = np.where(used, work.max(axis=0, initial=0), 1)  # the columns are of very different sizes
    found, _ = nnls(work / scale / taken[:, None], rest / taken)
    start, shared_start, shared = (found / scale).tolist()
    return Model(start, alone, shared_start, shared)


def off_by(model: Model, run: Timed) -> float:
    """By which share the model expects more than was measured; below zero: less."""
    return model.seconds(run.rows, run.cores) / run.seconds - 1
