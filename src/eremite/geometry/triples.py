"""The largest set of points every three of which fit into a ball, by search (claims D7 and D8 of `bounds.proof.md`).

In the plane this is the depth, by Helly's theorem. The search serves where the sweep's rounding leaves it in doubt,
which takes three points whose smallest disc has the radius R(1 + 1e-9) up to the eleventh digit.
"""

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import kernel
from eremite.geometry.core import core_numbers
from eremite.geometry.graph import Graph
from eremite.geometry.search import color, compatible, in_core_order, later_neighbors
from eremite.geometry.truss import fits


def largest_triple_group(points: NDArray[np.float64], graph: Graph, squared: float, floor: int, limit: int) -> int:
    """The size of the largest such set, or `floor` if larger; it is known not to exceed `limit`."""
    numbers = core_numbers(graph)
    order, rank = in_core_order(numbers)
    best = max(floor, 1)
    for v in order[::-1]:
        if best == limit:
            break
        later = later_neighbors(graph.starts, graph.neighbors, rank, numbers, v, best)
        if later.size + 1 > best:
            best = _grow(np.ascontiguousarray(points[np.concatenate(([v], later))]), squared, best)
    return int(best)


@kernel
def _grow(points, squared, best):
    """The largest set that holds point 0, or `best` if larger."""
    n = len(points)
    squares, together = compatible(points, squared)
    candidates = np.empty((n + 1, n), np.int64)
    colors = np.empty((n + 1, n), np.int64)
    sizes = np.zeros(n + 1, np.int64)
    members = np.zeros(n + 1, np.int64)
    best = max(best, 1)
    for i in range(1, n):
        if squares[0, i] <= 4.0 * squared:
            candidates[0, sizes[0]] = i
            sizes[0] += 1
    color(together, candidates[0], sizes[0], colors[0])
    depth = 0
    while depth >= 0:
        if sizes[depth] == 0 or depth + 1 + colors[depth, sizes[depth] - 1] <= best:
            depth -= 1
            continue
        sizes[depth] -= 1
        v = candidates[depth, sizes[depth]]
        members[depth + 1] = v
        best = max(best, depth + 2)
        kept = 0
        for i in range(sizes[depth]):
            q = candidates[depth, i]
            good = together[v, q]
            for m in range(1, depth + 1):
                u = members[m]
                good = good and fits(squares[u, v], squares[u, q], squares[v, q], squared)
            if good:
                candidates[depth + 1, kept] = q
                kept += 1
        sizes[depth + 1] = kept
        color(together, candidates[depth + 1], kept, colors[depth + 1])
        depth += 1
    return best
