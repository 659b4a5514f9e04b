"""Densest disc in the plane: an angular sweep around every point (claims D1 and D2 of `bounds.proof.md`).

A disc that holds the most points can be moved until a point lies on its border. Around a point p, the centres at
distance R are an angle; a point q within 2R is covered for an arc of them. The deepest angle over all p is the answer.
"""

import numpy as np

from eremite.engines.pair import kernel

# Arcs are wider than exact ones by this angle, far above the rounding of arc tangent and arc cosine.
_WIDER = 1e-12


@kernel
def deepest_point(points, starts, neighbors, reach, floor):
    """The most points in one disc of squared radius `reach`, or `floor` if larger; neighbours are those within 2R."""
    best = max(floor, 1)
    most = 0
    for p in range(starts.size - 1):
        most = max(most, starts[p + 1] - starts[p])
    angles = np.empty(2 * most)
    turns = np.empty(2 * most, np.int64)
    for p in range(starts.size - 1):
        if starts[p + 1] - starts[p] + 1 > best:
            best = max(best, _around(points, neighbors[starts[p] : starts[p + 1]], p, reach, angles, turns))
    return best


@kernel
def _around(points, others, p, reach, angles, turns):
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
        half = np.arccos(min(1.0, np.sqrt(square / (4.0 * reach)))) + _WIDER
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
