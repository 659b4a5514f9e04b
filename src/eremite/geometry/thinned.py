"""Thinned bounds: what one ball can hold of rows that all end with few neighbors (`thinned.proof.md`).

theory            here
k - 1             most_near   so many of its fellows, at most, are neighbors of a row that turns
"within r"        near        one flag for each place of an edge: whether the engine calls its two rows neighbors
f, thinned        thinned_truss_of_graph, and the coarser thinned_core_of_graph
C, thinned        the largest thinned_truss_of_ball over all rows as centers

Replacing a row turns rows of one ball that have, among themselves, at most k - 1 neighbors each. Core and truss that
count no more than k - 1 neighbors of a row still bound these, and dense clumps stop counting.
"""

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import kernel
from eremite.geometry.graph import Graph, outward_square, squared_distance
from eremite.geometry.truss import GONE, LEAVES, STAYS, ends, fits, numbered, restricted, starts_above

Flags = NDArray[np.bool_]


def near_edges(graph: Graph, rows: NDArray[np.float64], squared: float) -> Flags:
    """For each place of an edge whether its rows are neighbors: the engine's expression, `squared` its right-hand side.

    The rows are those of the table, also where the graph is one of their images (claim H7).
    """
    near: Flags = _near_edges(graph.starts, graph.neighbors, rows, squared)
    return near


def thinned_core_of_graph(graph: Graph, near: Flags, most_near: int, floor: int = 0) -> int:
    """The core bound in which of the neighbors "within r" of a vertex `most_near` count; or `floor` if larger."""
    return int(_core(graph.starts, graph.neighbors, near, most_near, floor))


def thinned_core(graph: Graph, near: Flags, most_near: int, floor: int) -> Flags:
    """Which vertices are left when those that score less than the floor are taken off (claim H6)."""
    inside: Flags = _inside(graph.starts, graph.neighbors, near, most_near, floor)
    return inside


def thinned_truss_of_graph(graph: Graph, near: Flags, radius: float, most_near: int, floor: int = 0) -> int:
    """The geometric truss whose triangles are counted as if rows had `most_near` neighbors; or `floor` if larger."""
    if most_near == 0:  # no two neighbors can both turn
        graph, near = restricted(graph, ~near), near[~near]
    if graph.size == 0:
        return floor
    floor = max(floor, 2 if graph.neighbors.size else 1)
    squared = outward_square(radius)
    while True:
        graph, near = _crowded(graph, near, most_near, floor)
        if graph.neighbors.size == 0:
            return floor
        number, edges = numbered(graph.starts, graph.neighbors)
        lists = (graph.starts, graph.neighbors, graph.squares, near, number)
        kinds = _kinds(lists, edges, squared)
        joined = np.zeros(edges, np.bool_)
        joined[number] = near
        support = _supports(kinds, joined, most_near)
        enough = support >= floor - 1  # triangles an edge needs for a truss of floor + 1
        if 2 * np.count_nonzero(enough) >= edges:
            return int(_truss(lists, kinds, joined, support, squared, most_near, floor))
        # Counting anew costs less than taking so many edges off one by one.
        graph, near = restricted(graph, enough[number]), near[enough[number]]


def thinned_truss_of_ball(rows: NDArray[np.float64], squared: float, most_near: int, floor: int = 0) -> int:
    """The thinned truss of rows that one ball holds: every two are joined, every three fit (claim H5).

    The time is that of the cube of their number, at most; a release asks for up to `Limits.crowd` of them.
    """
    graph = _complete(len(rows))
    return thinned_truss_of_graph(graph, near_edges(graph, rows, squared), 1.0, most_near, floor)


def _complete(n: int) -> Graph:
    """All edges among n vertices, of no length."""
    others = np.arange(n * n, dtype=np.int32).reshape(n, n) % max(n, 1)
    neighbors = others[~np.eye(n, dtype=np.bool_)]
    return Graph(np.arange(n + 1, dtype=np.int64) * max(n - 1, 0), neighbors, np.zeros(neighbors.size))


def _crowded(graph: Graph, near: Flags, most_near: int, floor: int) -> tuple[Graph, Flags]:
    """The graph without the edges at vertices that are in no thinned core above the floor (claim H6)."""
    inside = thinned_core(graph, near, most_near, floor)
    kept = inside[graph.neighbors] & np.repeat(inside, np.diff(graph.starts))
    return (graph, near) if kept.all() else (restricted(graph, kept), near[kept])


@kernel
def _near_edges(starts, neighbors, rows, squared):
    near = np.empty(neighbors.size, np.bool_)
    for v in range(starts.size - 1):
        for slot in range(starts[v], starts[v + 1]):
            near[slot] = squared_distance(rows, v, neighbors[slot], squared) <= squared
    return near


@kernel
def _core(starts, neighbors, near, most_near, floor):
    """Vertices are taken off level by level until none is left."""
    far, close = _degrees(starts, near)
    inside = np.ones(far.size, np.bool_)
    while _peel(starts, neighbors, near, far, close, inside, most_near, floor) > 0:
        floor = 1 + _lowest_score(far, close, inside, most_near)
    return floor


@kernel
def _inside(starts, neighbors, near, most_near, floor):
    """Which vertices are left when those that score less than the floor are taken off."""
    far, close = _degrees(starts, near)
    inside = np.ones(far.size, np.bool_)
    _peel(starts, neighbors, near, far, close, inside, most_near, floor)
    return inside


@kernel
def _degrees(starts, near):
    """How many neighbors each vertex has in the graph: those that are not near, and those that are."""
    far = np.zeros(starts.size - 1, np.int64)
    close = np.zeros(starts.size - 1, np.int64)
    for v in range(starts.size - 1):
        for slot in range(starts[v], starts[v + 1]):
            close[v] += near[slot]
        far[v] = starts[v + 1] - starts[v] - close[v]
    return far, close


@kernel
def _lowest_score(far, close, inside, most_near):
    least = far.size
    for v in range(far.size):
        if inside[v]:
            least = min(least, far[v] + min(close[v], most_near))
    return least


@kernel
def _peel(starts, neighbors, near, far, close, inside, most_near, least):
    """Take off who scores less than `least`, then those who do once these are gone; how many are left."""
    stack = np.empty(inside.size, np.int64)
    waiting = 0
    left = 0
    for v in range(inside.size):
        if inside[v] and far[v] + min(close[v], most_near) < least:
            inside[v] = False
            stack[waiting] = v
            waiting += 1
        left += inside[v]
    while waiting > 0:
        waiting -= 1
        v = stack[waiting]
        for slot in range(starts[v], starts[v + 1]):
            u = neighbors[slot]
            close[u] -= near[slot]
            far[u] -= not near[slot]
            if inside[u] and far[u] + min(close[u], most_near) < least:
                inside[u] = False
                stack[waiting] = u
                waiting += 1
                left -= 1
    return left


@kernel
def _supports(kinds, joined, most_near):
    support = np.empty(joined.size, np.int64)
    for e in range(joined.size):
        support[e] = support_of(kinds[e], joined[e], most_near)
    return support


@kernel
def support_of(kinds, joined, most_near):
    """How many of an edge's third points there can be at once (claim H3); `joined` if its ends are near each other.

    kinds: near none of the ends, near the lower end alone, near the upper end alone, near both.
    """
    room = most_near - joined
    lower = min(kinds[1], room)
    upper = min(kinds[2], room)
    return kinds[0] + lower + upper + min(kinds[3], room - max(lower, upper))


@kernel
def _kinds(lists, edges, squared):
    """The third points of the fitting triangles on each edge, by kind. Each triangle u < v < w is met once."""
    starts, neighbors, squares, near, number = lists
    kinds = np.zeros((edges, 4), np.int32)
    above = starts_above(starts, neighbors)
    for u in range(starts.size - 1):
        for slot in range(above[u], starts[u + 1]):
            v = neighbors[slot]
            i = slot + 1
            j = above[v]
            while i < starts[u + 1] and j < starts[v + 1]:
                if neighbors[i] == neighbors[j]:
                    if fits(squares[slot], squares[i], squares[j], squared):
                        kinds[number[slot], near[i] + 2 * near[j]] += 1
                        kinds[number[i], near[slot] + 2 * near[j]] += 1
                        kinds[number[j], near[slot] + 2 * near[i]] += 1
                    i += 1
                    j += 1
                elif neighbors[i] < neighbors[j]:
                    i += 1
                else:
                    j += 1
    return kinds


@kernel
def _truss(lists, kinds, joined, support, squared, most_near, floor):
    """The thinned truss, by taking edges off until none is left; at least `floor`. Uses up `kinds` and `support`."""
    edges = support.size
    starts, neighbors, squares, _, number = lists
    ends_of = ends(starts, neighbors, squares, number, edges)
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
            added = _remove(lists, ends_of, kinds, joined, support, state, e, squared, most_near, least, stack, waiting)
            left -= added - waiting
            waiting = added
        if left > 0:
            floor += 1
    return floor


@kernel
def _remove(lists, ends_of, kinds, joined, support, state, e, squared, most_near, least, stack, waiting):
    """Take an edge u v out: its triangles are lost to their other two edges, some of which follow onto the stack.

    A triangle is lost once, with the first of its edges that is taken off.
    """
    starts, neighbors, squares, near, number = lists
    tail, head, length = ends_of
    u = tail[e]
    v = head[e]
    i = starts[u]
    j = starts[v]
    while i < starts[u + 1] and j < starts[v + 1]:
        w = neighbors[i]
        if w < neighbors[j]:
            i += 1
        elif w > neighbors[j]:
            j += 1
        else:
            one = number[i]
            two = number[j]
            if state[one] > GONE and state[two] > GONE and fits(length[e], squares[i], squares[j], squared):
                kinds[one, kind_of(u < w, joined[e], near[j])] -= 1
                kinds[two, kind_of(v < w, joined[e], near[i])] -= 1
                for x in (one, two):
                    support[x] = support_of(kinds[x], joined[x], most_near)
                    if state[x] == STAYS and support[x] < least:
                        state[x] = LEAVES
                        stack[waiting] = x
                        waiting += 1
            i += 1
            j += 1
    return waiting


@kernel
def kind_of(is_lower, near_it, near_other):
    """The kind of a third point, from whether it is near one end of an edge, the lower or upper one, and the other."""
    return near_it + 2 * near_other if is_lower else near_other + 2 * near_it
