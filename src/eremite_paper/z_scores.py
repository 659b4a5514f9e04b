"""Scaling as in the paper: every column to mean 0 and variance 1 (section 6.1).

Non-private: mean and variance are those of the rows, so every distance moves when one row does, and no bound on the
sensitivity of the count holds any more.
"""

import numpy as np
from numpy.typing import NDArray


def z_scored(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """(x - mean) / deviation, column by column; a constant column becomes 0."""
    spread = rows.std(axis=0)
    return np.ascontiguousarray((rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1))
