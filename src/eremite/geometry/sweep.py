"""Densest disc in the plane: an angular sweep around every point (claims D1, D2, D7 of `bounds.proof.md`).

A disc that holds the most points can be moved until a point lies on its border. Around a point p, the centers at
distance R are an angle; a point q within 2R is covered for an arc of them. The deepest angle over all p is the answer.

What is returned must be exactly monotone and 1-Lipschitz in the points, rounding included. So it is defined by a test
on triples: the largest set every three points of which fit. The sweep, run a little too narrow and a little too wide,
encloses that number, and where the two differ a search decides.
"""

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import kernel
from eremite.geometry.graph import Graph
from eremite.geometry.triples import largest_triple_group

# How much the squared radius, and every arc, is narrowed and widened: a thousand times what rounding can do.
_DOUBT = 2e-11
_ANGLE = 1e-12


def planar_depth(points: NDArray[np.float64], graph: Graph, squared: float, floor: int, doubt: float = _DOUBT) -> int:
    """The largest set of points every three of which fit into a disc of squared radius `squared`, or `floor`."""
    most = int(deepest_point(points, graph.starts, graph.neighbors, squared * (1 + doubt), _ANGLE, floor))
    if most <= floor:
        return floor
    least = int(deepest_point(points, graph.starts, graph.neighbors, squared * (1 - doubt), -_ANGLE, floor))
    return least if least == most else largest_triple_group(points, graph, squared, least, most)


@kernel
def deepest_point(points, starts, neighbors, squared, wider, floor):
    """The most points in one disc of squared radius `squared`, or `floor` if larger; arcs are `wider` at both ends."""
    best = max(floor, 1)
    most = 0
    for p in range(starts.size - 1):
        most = max(most, starts[p + 1] - starts[p])
    angles = np.empty(2 * most)
    turns = np.empty(2 * most, np.int64)
    for p in range(starts.size - 1):
        if starts[p + 1] - starts[p] + 1 > best:
            best = max(best, _around(points, neighbors[starts[p] : starts[p + 1]], p, squared, wider, angles, turns))
    return best


@kernel
def _around(points, others, p, squared, wider, angles, turns):
    """The most points in one disc with p on its border."""
    open_now = 1  # p itself, then its copies, then the arcs that are open where the angle starts
    events = 0
    for q in others:
        x = points[q, 0] - points[p, 0]
        y = points[q, 1] - points[p, 1]
        square = x * x + y * y
        if square == 0.0:
            open_now += 1
            continue
        middle = np.arctan2(y, x)
        cosine = np.sqrt(square / (4.0 * squared))
        half = (np.arccos(cosine) if cosine < 1.0 else 0.0) + wider
        if half < 0.0 or (cosine > 1.0 and wider < 0.0):
            continue
        begin = middle - half
        end = middle + half
        if begin < -np.pi:
            begin += 2.0 * np.pi
        if end > np.pi:
            end -= 2.0 * np.pi
        if begin > end:
            open_now += 1
        angles[events] = begin
        turns[events] = 1
        angles[events + 1] = end
        turns[events + 1] = -1
        events += 2
    order = np.argsort(angles[:events])
    best = open_now
    at = 0
    while at < events:
        # At one angle arcs begin before others end: closed arcs that touch overlap.
        same = at
        while same < events and angles[order[same]] == angles[order[at]]:
            if turns[order[same]] > 0:
                open_now += 1
            same += 1
        best = max(best, open_now)
        for e in range(at, same):
            if turns[order[e]] < 0:
                open_now -= 1
        at = same
    return best
