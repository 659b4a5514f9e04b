"""Neighbors counted on this machine: which method serves which table.

The methods differ in time and never in their answer (E16 of `engines.proof.md`), so the choice may look at the rows.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eremite.engines import cells, line, tree, workers
from eremite.engines.pair import squared_reach

#: min(degree, cap) of every row of C-contiguous finite points, for a radius in normalized distance; cap None: no cap.
CountNeighbors = Callable[[NDArray[np.float64], float, int | None], NDArray[np.int64]]

_ROWS_A_THREAD = 32_768


def count_neighbors(points: NDArray[np.float64], radius: float, cap: int | None) -> NDArray[np.int64]:
    """Count on all cores, or on fewer where starting threads would cost more than they save (`CountNeighbors`)."""
    threads = min(workers.available(), 1 + len(points) // _ROWS_A_THREAD)
    return count_neighbors_with(threads, points, radius, cap)


def count_neighbors_with(
    threads: int, points: NDArray[np.float64], radius: float, cap: int | None
) -> NDArray[np.int64]:
    """Count on a given number of cores: one column is sorted, a few are put into cells, the rest goes to the tree."""
    n, d = points.shape
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    limit = n if cap is None else min(cap, n)
    reach = squared_reach(radius, d)
    if d == 1:
        return line.count(points, reach, limit)
    if cells.FEWEST_COLUMNS <= d <= cells.MOST_COLUMNS:
        counted = cells.count(points, reach, limit, threads)
        if counted is not None:
            return counted
    return tree.count(points, reach, limit, threads)
