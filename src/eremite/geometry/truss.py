"""The geometric truss: the core bound's sharper sister (claims T1 to T4 of `bounds.proof.md`).

The largest m for which some edges of the graph "within 2R" have each at least m - 2 triangles, made of these edges,
whose three points fit into a ball of radius R. Found by peeling edges off; cost about edges x degree.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines.pair import kernel
from eremite.geometry.graph import Graph, checked, near_graph, outward_square

# An edge stays, waits on the stack to be taken off, or is gone.
GONE, LEAVES, STAYS = 0, 1, 2


def truss_bound(points: ArrayLike, radius: float) -> int:
    """At least as many as one ball of the Euclidean radius can hold of the points; monotone and 1-Lipschitz in them."""
    return truss_of_graph(near_graph(checked(points, radius), radius), radius)


def truss_of_graph(graph: Graph, radius: float, floor: int = 0) -> int:
    """The geometric truss, or `floor` if that is larger; a high floor saves most of the work."""
    if graph.size == 0:
        return floor
    floor = max(floor, 2 if graph.neighbors.size else 1)
    squared = outward_square(radius)
    while graph.neighbors.size:
        lists = (graph.starts, graph.neighbors, graph.squares)
        number, edges = numbered(graph.starts, graph.neighbors)
        support = supports(*lists, number, edges, squared)
        enough = support >= floor - 1  # triangles an edge needs for a truss of floor + 1
        if 2 * np.count_nonzero(enough) >= edges:
            return int(_peeled(*lists, number, support, squared, floor))
        # Counting anew costs less than taking so many edges off one by one.
        graph = restricted(graph, enough[number])
    return floor


def restricted(graph: Graph, kept: NDArray[np.bool_]) -> Graph:
    """The graph with some of its edges, each kept at both of its places."""
    before = np.concatenate([[0], np.cumsum(kept)])
    return Graph(before[graph.starts], graph.neighbors[kept], graph.squares[kept])


@kernel
def fits(one, two, three, squared):
    """Whether a triangle with these squared sides fits into a ball of squared radius `squared`.

    Right or obtuse: the longest side is a diameter. Acute: the squared circumradius is abc / (4ab - (a + b - c)^2) for
    a <= b <= c. There 0 < a + b - c <= a, so nothing cancels; divided by a and by `squared`, nothing overflows or
    vanishes either, however small or large the sides (claim T5).
    """
    a = min(one, two, three)
    c = max(one, two, three)
    b = max(min(one, two), min(max(one, two), three))
    rest = a + (b - c)
    if rest <= 0.0:
        return c <= 4.0 * squared
    return c * (b / squared) <= 4.0 * b - rest * (rest / a)


@kernel
def numbered(starts, neighbors):
    """A number for each edge, at both of its places."""
    number = np.empty(neighbors.size, np.int64)
    place = starts[:-1].copy()
    edges = 0
    for v in range(starts.size - 1):
        for slot in range(starts[v], starts[v + 1]):
            u = neighbors[slot]
            if u > v:
                number[slot] = edges
                # Lists ascend, and v ascends, so the lower neighbors of u come in order.
                number[place[u]] = edges
                place[u] += 1
                edges += 1
    return number, edges


@kernel
def ends(starts, neighbors, squares, number, edges):
    """The lower and the upper end of each edge, and its squared length."""
    tail = np.empty(edges, np.int32)
    head = np.empty(edges, np.int32)
    length = np.empty(edges)
    for v in range(starts.size - 1):
        for slot in range(starts[v], starts[v + 1]):
            if neighbors[slot] > v:
                tail[number[slot]] = v
                head[number[slot]] = neighbors[slot]
                length[number[slot]] = squares[slot]
    return tail, head, length


@kernel
def starts_above(starts, neighbors):
    """Where, in the list of each vertex, the neighbors above it begin."""
    above = np.empty(starts.size - 1, np.int64)
    for v in range(starts.size - 1):
        above[v] = starts[v] + np.searchsorted(neighbors[starts[v] : starts[v + 1]], v)
    return above


@kernel
def supports(starts, neighbors, squares, number, edges, squared):
    """How many fitting triangles stand on each edge. Each triangle u < v < w is met once, at its edge u v."""
    support = np.zeros(edges, np.int64)
    above = starts_above(starts, neighbors)
    for u in range(starts.size - 1):
        for slot in range(above[u], starts[u + 1]):
            v = neighbors[slot]
            i = slot + 1
            j = above[v]
            while i < starts[u + 1] and j < starts[v + 1]:
                if neighbors[i] == neighbors[j]:
                    if fits(squares[slot], squares[i], squares[j], squared):
                        support[number[slot]] += 1
                        support[number[i]] += 1
                        support[number[j]] += 1
                    i += 1
                    j += 1
                elif neighbors[i] < neighbors[j]:
                    i += 1
                else:
                    j += 1
    return support


@kernel
def _peeled(starts, neighbors, squares, number, support, squared, floor):
    """The truss, by taking edges off until none is left; at least `floor`. Uses up `support`."""
    edges = support.size
    tail, head, length = ends(starts, neighbors, squares, number, edges)
    state = np.full(edges, STAYS, np.uint8)
    stack = np.empty(edges, np.int64)
    left = edges
    while left > 0:
        least = floor - 1
        waiting = 0
        for e in range(edges):
            if state[e] == STAYS and support[e] < least:
                state[e] = LEAVES
                stack[waiting] = e
                waiting += 1
        left -= waiting
        while waiting > 0:
            waiting -= 1
            e = stack[waiting]
            state[e] = GONE
            added = _remove(
                starts, neighbors, squares, number, state, support, tail[e], head[e], length[e], squared, least, stack,
                waiting,
            )  # fmt: skip
            left -= added - waiting
            waiting = added
        if left > 0:
            floor += 1
    return floor


@kernel
def _remove(starts, neighbors, squares, number, state, support, u, v, length, squared, least, stack, waiting):
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
            if state[one] > GONE and state[two] > GONE and fits(length, squares[i], squares[j], squared):
                for e in (one, two):
                    support[e] -= 1
                    if state[e] == STAYS and support[e] < least:
                        state[e] = LEAVES
                        stack[waiting] = e
                        waiting += 1
            i += 1
            j += 1
    return waiting
