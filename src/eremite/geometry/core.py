"""The core bound: 1 + degeneracy of the graph "within 2R" (claims C1 to C3 of `bounds.proof.md`).

Admissible, and near-linear in the edges: vertices are peeled off in the order of their remaining degree.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines.pair import kernel
from eremite.geometry.graph import Graph, checked, near_graph


def core_bound(points: ArrayLike, radius: float) -> int:
    """At least as many as one ball of the Euclidean radius can hold of the points; monotone and 1-Lipschitz in them."""
    return core_of_graph(near_graph(checked(points, radius), radius))


def core_of_graph(graph: Graph) -> int:
    """1 + the largest d for which some set of vertices has d neighbors each within the set; 0 for no vertices."""
    if graph.size == 0:
        return 0
    return 1 + int(_core_numbers(graph.starts, graph.neighbors).max())


def core_numbers(graph: Graph) -> NDArray[np.int32]:
    """For each vertex the largest d for which such a set contains it."""
    numbers: NDArray[np.int32] = _core_numbers(graph.starts, graph.neighbors)
    return numbers


def peeled(graph: Graph, vertices: NDArray[np.intp], least: int) -> NDArray[np.intp]:
    """The largest part of the vertices in which each has `least` neighbors: no other vertex is in such a part."""
    kept: NDArray[np.intp] = _peeled(graph.starts, graph.neighbors, vertices, least)
    return kept


@kernel
def _peeled(starts, neighbors, vertices, least):
    """Take out who has too few neighbors, then those who have too few once these are gone."""
    inside = np.zeros(starts.size - 1, np.bool_)
    inside[vertices] = True
    degree = np.zeros(inside.size, np.int64)
    leaving = np.empty(vertices.size, np.int64)
    waiting = 0
    for v in vertices:
        for slot in range(starts[v], starts[v + 1]):
            degree[v] += inside[neighbors[slot]]
        if degree[v] < least:
            leaving[waiting] = v
            waiting += 1
    while waiting > 0:
        waiting -= 1
        v = leaving[waiting]
        inside[v] = False
        for slot in range(starts[v], starts[v + 1]):
            u = neighbors[slot]
            if inside[u]:
                if degree[u] == least:
                    leaving[waiting] = u
                    waiting += 1
                degree[u] -= 1
    return vertices[inside[vertices]]


@kernel
def _core_numbers(starts, neighbors):
    """Batagelj and Zaversnik: vertices in buckets by remaining degree, the smallest taken first."""
    n = starts.size - 1
    degree = np.empty(n, np.int32)
    most = 0
    for v in range(n):
        degree[v] = starts[v + 1] - starts[v]
        most = max(most, degree[v])
    first = np.zeros(most + 2, np.int64)
    for v in range(n):
        first[degree[v] + 1] += 1
    for b in range(most + 1):
        first[b + 1] += first[b]
    fill = first.copy()
    order = np.empty(n, np.int64)
    place = np.empty(n, np.int64)
    for v in range(n):
        place[v] = fill[degree[v]]
        order[place[v]] = v
        fill[degree[v]] += 1
    for at in range(n):
        v = order[at]
        for slot in range(starts[v], starts[v + 1]):
            u = neighbors[slot]
            if degree[u] > degree[v]:
                # Swap u with the first of its bucket, then shrink the bucket from the left.
                b = first[degree[u]]
                w = order[b]
                order[b] = u
                order[place[u]] = w
                place[w] = place[u]
                place[u] = b
                first[degree[u]] += 1
                degree[u] -= 1
    return degree
