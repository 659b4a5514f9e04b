"""The geometric truss: the core bound's sharper sister (claims T1 to T4 of `bounds.proof.md`).

The largest m for which some edges of the graph "within 2R" have each at least m - 2 triangles, made of these edges,
whose three points fit into a ball of radius R. Found by peeling edges off; cost about edges x degree.
"""

import numpy as np
from numpy.typing import ArrayLike

from eremite.engines.pair import kernel
from eremite.geometry.graph import Graph, checked, near_graph, outward_square

# An edge stays, waits on the stack to be taken off, or is gone.
_GONE, _LEAVES, _STAYS = 0, 1, 2


def truss_bound(points: ArrayLike, radius: float) -> int:
    """At least as many as one ball of the Euclidean radius can hold of the points; monotone and 1-Lipschitz in them."""
    return truss_of_graph(near_graph(checked(points, radius), radius), radius)


def truss_of_graph(graph: Graph, radius: float, floor: int = 0) -> int:
    """The geometric truss, or `floor` if that is larger; a high floor saves most of the work."""
    if graph.size == 0:
        return floor
    trivial = 2 if graph.neighbors.size else 1
    if trivial <= floor or trivial == 2:
        return int(_truss(graph.starts, graph.neighbors, graph.squares, outward_square(radius), max(floor, trivial)))
    return trivial


@kernel
def fits(one, two, three, reach):
    """Whether a triangle with these squared sides fits into a ball of squared radius `reach`.

    Right or obtuse: the longest side is a diameter. Acute: the squared circumradius is abc / (4ab - (a + b - c)^2) for
    a <= b <= c. There 0 < a + b - c <= a, so nothing cancels; divided by a and by the reach, nothing overflows or
    vanishes either, however small or large the sides (claim T5).
    """
    a = min(one, two, three)
    c = max(one, two, three)
    b = max(min(one, two), min(max(one, two), three))
    rest = a + (b - c)
    if rest <= 0.0:
        return c <= 4.0 * reach
    return c * (b / reach) <= 4.0 * b - rest * (rest / a)


@kernel
def _numbered(starts, neighbors):
    """A number for each edge, at both of its places."""
    number = np.empty(neighbors.size, np.int64)
    place = starts[:-1].copy()
    edges = 0
    for v in range(starts.size - 1):
        for slot in range(starts[v], starts[v + 1]):
            u = neighbors[slot]
            if u > v:
                number[slot] = edges
                # Lists ascend, and v ascends, so the lower neighbours of u come in order.
                number[place[u]] = edges
                place[u] += 1
                edges += 1
    return number, edges


@kernel
def _peel_vertices(starts, neighbors, number, state, least):
    """Drop the edges at vertices with fewer than `least` edges left."""
    n = starts.size - 1
    degree = np.empty(n, np.int64)
    stack = np.empty(n, np.int64)
    waiting = 0
    for v in range(n):
        degree[v] = starts[v + 1] - starts[v]
        if degree[v] < least:
            stack[waiting] = v
            waiting += 1
    while waiting > 0:
        waiting -= 1
        v = stack[waiting]
        for slot in range(starts[v], starts[v + 1]):
            if state[number[slot]] == _STAYS:
                state[number[slot]] = _GONE
                u = neighbors[slot]
                degree[u] -= 1
                if degree[u] == least - 1:
                    stack[waiting] = u
                    waiting += 1


@kernel
def _truss(starts, neighbors, squares, reach, floor):
    number, edges = _numbered(starts, neighbors)
    state = np.full(edges, _STAYS, np.uint8)
    _peel_vertices(starts, neighbors, number, state, floor)
    tail = np.empty(edges, np.int32)
    head = np.empty(edges, np.int32)
    length = np.empty(edges)
    for v in range(starts.size - 1):
        for slot in range(starts[v], starts[v + 1]):
            if neighbors[slot] > v:
                tail[number[slot]] = v
                head[number[slot]] = neighbors[slot]
                length[number[slot]] = squares[slot]
    support = np.zeros(edges, np.int64)
    for e in range(edges):
        if state[e] == _STAYS:
            support[e] = _triangles(starts, neighbors, squares, number, state, tail[e], head[e], length[e], reach)
    stack = np.empty(edges, np.int64)
    left = (state == _STAYS).sum()
    while left > 0:
        least = floor - 1  # triangles an edge needs for a truss of floor + 1
        waiting = 0
        for e in range(edges):
            if state[e] == _STAYS and support[e] < least:
                state[e] = _LEAVES
                stack[waiting] = e
                waiting += 1
        left -= waiting
        while waiting > 0:
            waiting -= 1
            e = stack[waiting]
            state[e] = _GONE
            added = _remove(
                starts, neighbors, squares, number, state, support, tail[e], head[e], length[e], reach, least, stack,
                waiting,
            )  # fmt: skip
            left -= added - waiting
            waiting = added
        if left > 0:
            floor += 1
    return floor


@kernel
def _triangles(starts, neighbors, squares, number, state, u, v, length, reach):
    """How many fitting triangles stand on the edge u v."""
    found = 0
    i = starts[u]
    j = starts[v]
    while i < starts[u + 1] and j < starts[v + 1]:
        if neighbors[i] < neighbors[j]:
            i += 1
        elif neighbors[i] > neighbors[j]:
            j += 1
        else:
            if state[number[i]] and state[number[j]] and fits(length, squares[i], squares[j], reach):
                found += 1
            i += 1
            j += 1
    return found


@kernel
def _remove(starts, neighbors, squares, number, state, support, u, v, length, reach, least, stack, waiting):
    """Take the edge u v out: its triangles are lost to their other two edges, some of which follow onto the stack.

    `state` tells the edges that stay, those on the stack, and those taken off; a triangle is lost once, with the first
    of its edges that is taken off.
    """
    i = starts[u]
    j = starts[v]
    while i < starts[u + 1] and j < starts[v + 1]:
        if neighbors[i] < neighbors[j]:
            i += 1
        elif neighbors[i] > neighbors[j]:
            j += 1
        else:
            one = number[i]
            two = number[j]
            if state[one] > _GONE and state[two] > _GONE and fits(length, squares[i], squares[j], reach):
                for e in (one, two):
                    support[e] -= 1
                    if state[e] == _STAYS and support[e] < least:
                        state[e] = _LEAVES
                        stack[waiting] = e
                        waiting += 1
            i += 1
            j += 1
    return waiting
