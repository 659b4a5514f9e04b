"""How many seconds a count of many rows takes: a model with three numbers, fitted to measured runs.

    seconds = start + alone * rows + shared * rows * log2(rows) / cores

start      what a run takes that has hardly any rows: imports, and for Spark its Java process
alone      what one core does alone for each row: rows with few neighbors come to it, and they are a share of all rows
shared     what all cores do together for each row: reading, cutting, and counting in trees
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

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
    shared: float

    def seconds(self, rows: int, cores: int) -> float:
        """What a run is expected to take."""
        return self.start + self.alone * rows + self.shared * rows * log2(rows) / cores


def fitted(start: float, runs: Sequence[Timed]) -> Model:
    """The model nearest to the runs, by relative errors; what is measured on one number of cores is shared work.

    No part is below zero. Runs on several numbers of cores tell the two parts of the work apart.
    """
    several = len({run.cores for run in runs}) > 1
    work = np.array([[run.rows * several, run.rows * log2(run.rows) / run.cores] for run in runs], dtype=np.float64)
    taken = np.array([run.seconds for run in runs])
    left = np.maximum(taken - start, 0)
    scale = work.max(axis=0, initial=0)  # the columns are of very different sizes
    scale[scale == 0] = 1
    found, _ = nnls(work / scale / taken[:, None], left / taken)
    alone, shared = (found / scale).tolist()
    return Model(start, alone, shared)


def off_by(model: Model, run: Timed) -> float:
    """By which share the model expects more than was measured; below zero: less."""
    return model.seconds(run.rows, run.cores) / run.seconds - 1
