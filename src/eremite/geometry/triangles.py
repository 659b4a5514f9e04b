"""The fitting triangles of a graph, found once: for the thinned truss of many parts of the same points (claim H10).

A truss of a part needs the triangles whose edges all belong to it. Finding them anew for each part is most of its work.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import kernel
from eremite.geometry.graph import Graph, outward_square
from eremite.geometry.thinned import Flags, kind_of, support_of
from eremite.geometry.truss import GONE, LEAVES, STAYS, ends, fits, numbered, starts_above, supports

# Beside whether an edge stays, waits on the stack or is gone, one number holds whether its ends are neighbors.
NEAR = 4
# Looking for triangles takes about as many steps as the sum of all squared degrees; that many for each one allowed.
_STEPS = 16
_STATE = 3


@dataclass(frozen=True, slots=True)
class Triangles:
    """For each edge the other two edges of its triangles: ones[starts[e] : starts[e + 1]], and `twos` along with it.

    An edge joins `tail` to `head`, the larger of the two; `ones` holds the edges at the tail, `twos` those at the head.
    """

    tail: NDArray[np.int32]
    head: NDArray[np.int32]
    joined: Flags  # whether the ends of an edge are neighbors
    starts: NDArray[np.int64]
    ones: NDArray[np.int32]
    twos: NDArray[np.int32]


def triangles_up_to(graph: Graph, near: Flags, radius: float, most: int) -> Triangles | None:
    """The triangles of the graph that fit into a ball of this radius; None if there are more than `most`."""
    number, edges = numbered(graph.starts, graph.neighbors)
    lists = (graph.starts, graph.neighbors, graph.squares, number)
    if np.square(np.diff(graph.starts)).sum() > _STEPS * most:
        return None
    found = supports(graph.starts, graph.neighbors, graph.squares, number, edges, outward_square(radius))
    starts = np.concatenate([[0], np.cumsum(found)])
    if starts[-1] > 3 * most:
        return None
    tail, head, _ = ends(graph.starts, graph.neighbors, graph.squares, number, edges)
    joined = np.zeros(edges, np.bool_)
    joined[number] = near
    return Triangles(tail, head, joined, starts, *_list(lists, starts, outward_square(radius)))


def thinned_truss_of_part(
    triangles: Triangles, inside: Flags, most_near: int, floor: int, known: NDArray[np.int32] | None = None
) -> tuple[int, NDArray[np.int32]]:
    """`thinned_truss_of_graph` of the vertices that are `inside`, or `floor` if larger; and what is known of each edge.

    That is the largest truss it may be in, for these vertices or some of them. Handed on for fewer vertices, it spares
    most of the work.
    """
    alive = inside[triangles.tail] & inside[triangles.head]
    if most_near == 0:  # no two neighbors can both turn
        alive &= ~triangles.joined
    floor = max(floor, 2 if alive.any() else int(inside.any()))
    if known is not None:
        alive &= known > floor
    levels = np.full(alive.size, floor, np.int32)
    if not alive.any():
        return floor, levels
    parts = (triangles.tail, triangles.head, triangles.joined, triangles.starts, triangles.ones, triangles.twos)
    state = np.where(alive, STAYS, GONE) + NEAR * triangles.joined
    return int(_truss(parts, state.astype(np.int8), most_near, floor, levels)), levels


@kernel
def _list(lists, places, squared):
    """The other edges of each triangle, at all three of its edges. A triangle u < v < w is met once, at u v."""
    starts, neighbors, squares, number = lists
    ones = np.empty(places[-1], np.int32)
    twos = np.empty(places[-1], np.int32)
    at = places[:-1].copy()
    above = starts_above(starts, neighbors)
    for u in range(starts.size - 1):
        for slot in range(above[u], starts[u + 1]):
            v = neighbors[slot]
            i = slot + 1
            j = above[v]
            while i < starts[u + 1] and j < starts[v + 1]:
                if neighbors[i] == neighbors[j]:
                    if fits(squares[slot], squares[i], squares[j], squared):
                        low, middle, high = number[slot], number[i], number[j]  # u v, u w, v w
                        ones[at[low]], twos[at[low]] = middle, high
                        ones[at[middle]], twos[at[middle]] = low, high
                        ones[at[high]], twos[at[high]] = low, middle
                        at[low] += 1
                        at[middle] += 1
                        at[high] += 1
                    i += 1
                    j += 1
                elif neighbors[i] < neighbors[j]:
                    i += 1
                else:
                    j += 1
    return ones, twos


@kernel
def _truss(parts, state, most_near, floor, levels):
    """The thinned truss of the edges that stay, by taking them off until none is left; at least `floor`.

    `levels` tells when an edge was taken off: it is in no larger truss. `state` has NEAR added where the ends of an
    edge are neighbors.
    """
    tail, head, _, starts, ones, twos = parts
    kinds = np.zeros((state.size, 4), np.int32)
    support = np.zeros(state.size, np.int64)
    left = 0
    for e in range(state.size):
        if state[e] & _STATE == STAYS and starts[e + 1] - starts[e] < floor - 1:
            state[e] &= NEAR  # gone: it has too few triangles in any part
    for e in range(state.size):
        if state[e] & _STATE == STAYS:
            left += 1
            for at in range(starts[e], starts[e + 1]):
                one = state[ones[at]]
                two = state[twos[at]]
                if one & _STATE and two & _STATE:
                    kinds[e, (one >> 2) + 2 * (two >> 2)] += 1
            support[e] = support_of(kinds[e], state[e] >> 2, most_near)
    stack = np.empty(left, np.int64)
    while left > 0:
        least = floor - 1  # triangles an edge needs for a truss of floor + 1
        waiting = 0
        for e in range(state.size):
            if state[e] & _STATE == STAYS and support[e] < least:
                state[e] -= STAYS - LEAVES
                stack[waiting] = e
                waiting += 1
        left -= waiting
        while waiting > 0:
            waiting -= 1
            e = stack[waiting]
            state[e] &= NEAR
            levels[e] = floor
            near = state[e] >> 2
            for at in range(starts[e], starts[e + 1]):
                one = ones[at]
                two = twos[at]
                if state[one] & _STATE and state[two] & _STATE:
                    kinds[one, kind_of(tail[one] == tail[e], near, state[two] >> 2)] -= 1
                    kinds[two, kind_of(tail[two] == head[e], near, state[one] >> 2)] -= 1
                    for x in (one, two):
                        support[x] = support_of(kinds[x], state[x] >> 2, most_near)
                        if state[x] & _STATE == STAYS and support[x] < least:
                            state[x] -= STAYS - LEAVES
                            stack[waiting] = x
                            waiting += 1
                            left -= 1
        if left > 0:
            floor += 1
    return floor
