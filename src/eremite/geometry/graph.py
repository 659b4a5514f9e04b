"""Which points could share a ball: the graph "within 2R", as neighbor lists.

Two points of one ball of radius R are within 2R of each other. The test uses 2R(1 + MARGIN), so that rounding can only
add edges, and a symmetric expression, so that the graph of a set is the graph of a larger set, restricted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines import tree, workers
from eremite.engines.pair import kernel
from eremite.errors import InputError

#: How much wider than R every ball test is; rounding in the tests is below a thousandth of it.
MARGIN = 1e-9

_ALL = 2**61  # edges; no graph has more
_POINTS_A_THREAD = 4_096


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
    graph = graph_up_to(points, radius, _ALL)
    assert graph is not None, "no graph has more edges than that"  # noqa: S101 -- for the type checker
    return graph


def graph_up_to(points: NDArray[np.float64], radius: float, most_edges: int) -> Graph | None:
    """The graph "within 2 radius", or None if it has more edges than this: memory for so many is all that it takes.

    Pairs are found through the tree: its expression is `squared_distance`, here with twice the radius.
    """
    n, squared = len(points), 4 * outward_square(radius)
    if n == 0:
        return Graph(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0))
    threads = min(workers.available(), 1 + n // _POINTS_A_THREAD)
    boxes = tree.build(points, threads)
    degrees = tree.count_up_to(boxes, squared, 2 * most_edges, threads)
    if degrees is None:
        return None
    starts = np.concatenate([[0], np.cumsum(degrees)])
    mixed = tree.list_neighbors(boxes, points, np.arange(n), starts, squared, threads)
    return Graph(starts, *_in_order(points, starts, mixed))


def part_of_graph(graph: Graph, vertices: NDArray[np.intp]) -> Graph:
    """The graph of some of the points, given by their places in ascending order."""
    return Graph(*_part(graph.starts, graph.neighbors, graph.squares, vertices))


@kernel
def _part(starts, neighbors, squares, vertices):
    place = np.full(starts.size - 1, -1, np.int32)
    for at in range(vertices.size):
        place[vertices[at]] = at
    kept = np.zeros(vertices.size + 1, np.int64)
    for at in range(vertices.size):
        v = vertices[at]
        kept[at + 1] = kept[at]
        for slot in range(starts[v], starts[v + 1]):
            kept[at + 1] += place[neighbors[slot]] >= 0
    among = np.empty(kept[-1], np.int32)
    lengths = np.empty(kept[-1])
    for at in range(vertices.size):
        v = vertices[at]
        to = kept[at]
        for slot in range(starts[v], starts[v + 1]):
            u = place[neighbors[slot]]
            if u >= 0:
                among[to] = u
                lengths[to] = squares[slot]
                to += 1
    return kept, among, lengths


@kernel
def squared_distance(points, i, j, squared):
    """The squared distance of two points, or something above `squared` as soon as it is above."""
    total = 0.0
    for c in range(points.shape[1]):
        total += (points[i, c] - points[j, c]) * (points[i, c] - points[j, c])
        if total > squared:
            break
    return total


@kernel
def _in_order(points, starts, mixed):
    """Each list again from the lists it occurs in, which come in order; and the squared distances along with them."""
    neighbors = np.empty(mixed.size, np.int32)
    squares = np.empty(mixed.size)
    places = starts[:-1].copy()
    for v in range(starts.size - 1):
        for slot in range(starts[v], starts[v + 1]):
            u = mixed[slot]
            neighbors[places[u]] = v
            squares[places[u]] = squared_distance(points, u, v, np.inf)
            places[u] += 1
    return neighbors, squares
