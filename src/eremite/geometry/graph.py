"""Which points could share a ball: the graph "within 2R", as neighbour lists.

Two points of one ball of radius R are within 2R of each other. The test uses 2R(1 + MARGIN), so that rounding can only
add edges, and a symmetric expression, so that the graph of a set is the graph of a larger set, restricted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines.pair import kernel
from eremite.errors import InputError

#: How much wider than R every ball test is; rounding in the tests is below a thousandth of it.
MARGIN = 1e-9


@dataclass(frozen=True, slots=True)
class Graph:
    """Neighbour lists in ascending order: those of vertex v are neighbors[starts[v] : starts[v + 1]]."""

    starts: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    squares: NDArray[np.float64]  # squared distance, along with `neighbors`

    @property
    def size(self) -> int:
        """How many vertices."""
        return self.starts.size - 1


def outward_square(radius: float) -> float:
    """The square of the radius that ball tests use."""
    return float((radius * (1 + MARGIN)) ** 2)


def checked(points: ArrayLike, radius: float) -> NDArray[np.float64]:
    """Points and radius that the functions of this package take."""
    try:
        rows = np.array(points, dtype=np.float64, order="C", ndmin=2)
    except (TypeError, ValueError):
        rows = np.full((1, 1), np.nan)
    if rows.ndim != 2 or rows.shape[1] == 0 or not np.isfinite(rows).all():
        raise InputError("Points must be rows of one or more finite numbers.")
    if not (np.isfinite(radius) and radius > 0):
        raise InputError("radius must be a finite number above 0.")
    return rows


def near_graph(points: NDArray[np.float64], radius: float) -> Graph:
    """The graph "within 2 radius" of a set of points, found by a sweep along their widest column."""
    n = len(points)
    if n == 0:
        return Graph(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0))
    axis = int(np.argmax(np.ptp(points, axis=0)))
    order = np.argsort(points[:, axis], kind="stable").astype(np.int32)
    pairs, squares = _pairs(np.ascontiguousarray(points[order]), axis, 4 * outward_square(radius))
    return _lists(order[pairs], squares, n)


def _lists(pairs: NDArray[np.int32], squares: NDArray[np.float64], n: int) -> Graph:
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(pairs.ravel(), minlength=n), out=starts[1:])
    neighbors = np.empty(2 * len(pairs), np.int32)
    lengths = np.empty(2 * len(pairs))
    _fill(pairs, squares, starts, neighbors, lengths)
    return Graph(starts, neighbors, lengths)


@kernel
def _pairs(points, axis, reach):
    """All pairs within reach of points sorted along `axis`, with their squared distances."""
    n, d = points.shape
    pairs = np.empty((max(64, 8 * n), 2), np.int32)
    squares = np.empty(len(pairs))
    found = 0
    for i in range(n):
        for j in range(i + 1, n):
            along = points[j, axis] - points[i, axis]
            if along * along > reach:
                break
            total = 0.0
            for c in range(d):
                total += (points[j, c] - points[i, c]) * (points[j, c] - points[i, c])
                if total > reach:
                    break
            if total <= reach:
                if found == len(pairs):
                    wider = np.empty((2 * found, 2), np.int32)
                    wider[:found] = pairs
                    longer = np.empty(2 * found)
                    longer[:found] = squares
                    pairs, squares = wider, longer
                pairs[found, 0] = i
                pairs[found, 1] = j
                squares[found] = total
                found += 1
    return pairs[:found], squares[:found]


@kernel
def _fill(pairs, squares, starts, neighbors, lengths):
    """Write both directions of every pair, then put each list into ascending order."""
    places = starts[:-1].copy()
    for p in range(len(pairs)):
        for side in range(2):
            v = pairs[p, side]
            neighbors[places[v]] = pairs[p, 1 - side]
            lengths[places[v]] = squares[p]
            places[v] += 1
    for v in range(starts.size - 1):
        order = np.argsort(neighbors[starts[v] : starts[v + 1]])
        neighbors[starts[v] : starts[v + 1]] = neighbors[starts[v] : starts[v + 1]][order]
        lengths[starts[v] : starts[v + 1]] = lengths[starts[v] : starts[v + 1]][order]
