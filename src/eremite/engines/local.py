"""Neighbors counted and listed on this machine: which method serves which table.

The methods differ in time and never in their answer (E16 of `engines.proof.md`), so the choice may look at the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from eremite.engines import cells, line, tree, workers
from eremite.engines.pair import squared_radius

#: min(degree, cap) of every row of C-contiguous finite points, for a radius in normalized distance; cap None: no cap.
CountNeighbors = Callable[[NDArray[np.float64], float, int | None], NDArray[np.int64]]

_ROWS_A_THREAD = 32_768


class Neighbors(Protocol):
    """The degrees of a table's rows, up to a cap, and the neighbors of those whose degree is below it."""

    @property
    def degrees(self) -> NDArray[np.int64]:
        """min(degree, cap) of every row."""

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The neighbors of these rows, one list after the other; each has a degree below the cap."""


#: The same for those who want lists too.
FindNeighbors = Callable[[NDArray[np.float64], float, int | None], Neighbors]


@dataclass(frozen=True, slots=True)
class Found:
    """Degrees, and a search for neighbors by the index they were counted with."""

    degrees: NDArray[np.int64]
    points: NDArray[np.float64]
    search: Callable[[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.uint32]]

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.uint32]:
        starts = np.concatenate([[0], np.cumsum(self.degrees[rows])])
        return self.search(self.points, rows, starts)


def count_neighbors(points: NDArray[np.float64], radius: float, cap: int | None) -> NDArray[np.int64]:
    """Count on all cores, or on fewer where starting threads would cost more than they save (`CountNeighbors`)."""
    return find_neighbors(points, radius, cap).degrees


def count_neighbors_with(
    threads: int, points: NDArray[np.float64], radius: float, cap: int | None
) -> NDArray[np.int64]:
    """Count on a given number of cores."""
    return find_neighbors_with(threads, points, radius, cap).degrees


def find_neighbors(points: NDArray[np.float64], radius: float, cap: int | None) -> Neighbors:
    """Count on all cores, or on fewer, and list on as many (`FindNeighbors`)."""
    return find_neighbors_with(threads_for(len(points)), points, radius, cap)


def threads_for(n: int) -> int:
    """On how many cores to count n rows: fewer where starting threads would cost more than they save."""
    return min(workers.available(), 1 + n // _ROWS_A_THREAD)


def find_neighbors_with(threads: int, points: NDArray[np.float64], radius: float, cap: int | None) -> Neighbors:
    """Count on a given number of cores: one column is sorted, a few are put into cells, the rest goes to the tree."""
    n, d = points.shape
    limit = n if cap is None else min(cap, n)
    squared = squared_radius(radius, d)
    if d == 1 or n == 0:
        ascending = line.build(points)
        return Found(
            line.count(ascending, squared, limit), points, partial(line.list_neighbors, ascending, squared=squared)
        )
    if cells.FEWEST_COLUMNS <= d <= cells.MOST_COLUMNS and (grid := cells.build(points, squared, threads)) is not None:
        counted = cells.count(grid, squared, limit, threads)
        if counted is not None:
            return Found(counted, points, partial(cells.list_neighbors, grid, squared=squared, workers=threads))
    boxes = tree.build(points, threads)
    degrees = tree.count(boxes, squared, limit, threads)
    return Found(degrees, points, partial(tree.list_neighbors, boxes, squared=squared, workers=threads))
