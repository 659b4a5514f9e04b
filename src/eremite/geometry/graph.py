"""Which points could share a ball: the graph "within 2R", as neighbor lists.

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

_ALL = 2**62  # edges; no graph has more


@dataclass(frozen=True, slots=True)
class Graph:
    """Neighbor lists in ascending order: those of vertex v are neighbors[starts[v] : starts[v + 1]]."""

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
    """The graph "within 2 radius" of a set of points."""
    return _lists(points, *_near_pairs(points, radius, _ALL))


def graph_up_to(points: NDArray[np.float64], radius: float, most_edges: int) -> Graph | None:
    """The graph "within 2 radius", or None if it has more edges than this: memory for so many is all that it takes."""
    order, pairs = _near_pairs(points, radius, most_edges)
    return _lists(points, order, pairs) if len(pairs) <= most_edges else None


def _near_pairs(points: NDArray[np.float64], radius: float, most: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The points ordered by their widest column, and the pairs of places within 2 radius: all, or `most` and one."""
    if len(points) == 0:
        return np.empty(0, np.int32), np.empty((0, 2), np.int32)
    axis = int(np.argmax(np.ptp(points, axis=0)))
    order = np.argsort(points[:, axis], kind="stable").astype(np.int32)
    return order, _pairs(np.ascontiguousarray(points[order]), axis, 4 * outward_square(radius), most)


def _lists(points: NDArray[np.float64], order: NDArray[np.int32], pairs: NDArray[np.int32]) -> Graph:
    starts = np.zeros(len(points) + 1, np.int64)
    starts[1 + order] = np.bincount(pairs.ravel(), minlength=len(points))
    np.cumsum(starts, out=starts)
    neighbors = np.empty(2 * len(pairs), np.int32)
    lengths = np.empty(2 * len(pairs))
    _fill(points, order, pairs, starts, neighbors, lengths)
    return Graph(starts, neighbors, lengths)


@kernel
def squared_distance(points, i, j, reach):
    """The squared distance of two points, or something above the reach as soon as it is above."""
    total = 0.0
    for c in range(points.shape[1]):
        total += (points[i, c] - points[j, c]) * (points[i, c] - points[j, c])
        if total > reach:
            break
    return total


@kernel
def _pairs(points, axis, reach, most):
    """All pairs within reach of points sorted along `axis`; or one more than `most` of them, where there are more."""
    n = len(points)
    pairs = np.empty((max(64, 8 * n), 2), np.int32)
    found = 0
    for i in range(n):
        for j in range(i + 1, n):
            along = points[j, axis] - points[i, axis]
            if along * along > reach:
                break
            if squared_distance(points, i, j, reach) <= reach:
                if found == len(pairs):
                    wider = np.empty((2 * found, 2), np.int32)
                    wider[:found] = pairs
                    pairs = wider
                pairs[found, 0] = i
                pairs[found, 1] = j
                found += 1
                if found > most:
                    return pairs[:found]
    return pairs[:found]


@kernel
def _fill(points, order, pairs, starts, neighbors, lengths):
    """Write both directions of every pair; then each list again from the lists it occurs in, which come in order."""
    mixed = np.empty_like(neighbors)
    places = starts[:-1].copy()
    for p in range(len(pairs)):
        u = order[pairs[p, 0]]
        v = order[pairs[p, 1]]
        mixed[places[u]] = v
        mixed[places[v]] = u
        places[u] += 1
        places[v] += 1
    places[:] = starts[:-1]
    for v in range(starts.size - 1):
        for slot in range(starts[v], starts[v + 1]):
            u = mixed[slot]
            neighbors[places[u]] = v
            lengths[places[u]] = squared_distance(points, u, v, np.inf)
            places[u] += 1
