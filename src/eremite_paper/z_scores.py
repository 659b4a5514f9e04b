"""Scaling as in the paper: every column to mean 0 and variance 1 (section 6.1).

Not private: mean and variance depend on every row, so one row moves every distance, and no bound on the sensitivity of
the count holds.
"""

import numpy as np
from numpy.typing import NDArray


def z_scored(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """(x - mean) / deviation, column by column; a constant column becomes 0."""
    spread = rows.std(axis=0)
    return np.ascontiguousarray((rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1))
