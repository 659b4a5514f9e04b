"""Densest ball in three or more columns: branch and bound over groups of points (claims D3 to D6, `bounds.proof.md`).

Vertices of the graph "within 2R" are taken in the order of their core numbers; for each, the search finds the largest
group of it and later neighbors. A partial group C, with smallest enclosing ball of center z and radius rho, can only
grow into balls whose center lies within s = sqrt(R^2 - rho^2) of z: a point further than R + s from z is discarded, one
within R - s belongs to every such ball and is absorbed. Two points that do not fit into one ball with the first vertex
are never together, and a greedy coloring by that relation bounds what a partial group can still gain.
"""

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import kernel
from eremite.geometry.core import core_numbers
from eremite.geometry.enclosing import enclose
from eremite.geometry.graph import Graph
from eremite.geometry.truss import fits

_SLACK = 1e-10


def largest_group(points: NDArray[np.float64], graph: Graph, squared: float, floor: int) -> int:
    """The most points in one ball of squared radius `squared`, or `floor` if larger."""
    numbers = core_numbers(graph)
    order, rank = in_core_order(numbers)
    best = max(floor, 1, _greedy(points, graph.starts, graph.neighbors, squared))
    for v in order[::-1]:
        if numbers[v] + 1 > best:
            later = later_neighbors(graph.starts, graph.neighbors, rank, numbers, v, best)
            if later.size + 1 > best:
                best = _grow(np.ascontiguousarray(points[np.concatenate(([v], later))]), squared, best)
    return int(best)


def in_core_order(numbers: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The vertices by core number, and the place of each."""
    order = np.argsort(numbers, kind="stable").astype(np.int64)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return order, rank


@kernel
def later_neighbors(starts, neighbors, rank, numbers, v, best):
    """The neighbors of v that come after it and may be part of a group larger than `best`."""
    found = np.empty(starts[v + 1] - starts[v], np.int64)
    size = 0
    for slot in range(starts[v], starts[v + 1]):
        u = neighbors[slot]
        if rank[u] > rank[v] and numbers[u] + 1 > best:
            found[size] = u
            size += 1
    return found[:size]


@kernel
def _greedy(points, starts, neighbors, squared):
    """A lower bound: from every point, move the ball to the mean of what it holds, a few times."""
    best = 1
    d = points.shape[1]
    center = np.empty(d)
    mean = np.empty(d)
    for v in range(starts.size - 1):
        if starts[v + 1] - starts[v] + 1 <= best:
            continue
        center[:] = points[v]
        for _ in range(6):
            mean[:] = 0.0
            held = 0
            for slot in range(starts[v] - 1, starts[v + 1]):
                u = v if slot < starts[v] else neighbors[slot]
                total = 0.0
                for c in range(d):
                    total += (points[u, c] - center[c]) ** 2
                if total <= squared:
                    held += 1
                    mean += points[u]
            best = max(best, held)
            if held == 0:
                break
            center[:] = mean / held
    return best


@kernel
def compatible(points, squared):
    """All squared distances, and which pairs of points fit into one ball with point 0."""
    n, d = points.shape
    squares = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            for c in range(d):
                squares[i, j] += (points[i, c] - points[j, c]) ** 2
            squares[j, i] = squares[i, j]
    together = np.zeros((n, n), np.bool_)
    for i in range(n):
        for j in range(i):
            if squares[i, j] <= 4.0 * squared:
                together[i, j] = fits(squares[0, i], squares[0, j], squares[i, j], squared)
                together[j, i] = together[i, j]
    return squares, together


@kernel
def color(together, candidates, size, colors):
    """Reorder the candidates by greedy color classes; colors[i] bounds the gain from the first i + 1 of them."""
    rest = candidates[:size].copy()
    left = size
    out = 0
    color = 0
    while left > 0:
        color += 1
        begin = out
        kept = 0
        for r in range(left):
            v = rest[r]
            free = True
            for m in range(begin, out):
                if together[v, candidates[m]]:
                    free = False
                    break
            if free:
                candidates[out] = v
                colors[out] = color
                out += 1
            else:
                rest[kept] = v
                kept += 1
        left = kept


@kernel
def _narrow(points, center, square, squared, candidates, size):
    """Drop candidates beyond every possible ball; returns what is left, how many all balls hold, how many this one."""
    shift = np.sqrt(max(0.0, squared - square))
    radius = np.sqrt(squared)
    far = (radius + shift) ** 2 * (1 + _SLACK)
    near = max(0.0, radius - shift) ** 2 * (1 - _SLACK)
    kept = 0
    absorbed = 0
    held = 0
    for i in range(size):
        q = candidates[i]
        total = 0.0
        for c in range(center.size):
            total += (points[q, c] - center[c]) ** 2
        held += total <= squared
        if total < near or total == 0.0:
            absorbed += 1
        elif total <= far:
            candidates[kept] = q
            kept += 1
    return kept, absorbed, held


@kernel
def _grow(points, squared, best):
    """The largest group that holds point 0, or `best` if larger."""
    n, d = points.shape
    _, together = compatible(points, squared)
    candidates = np.empty((n + 1, n), np.int64)
    colors = np.empty((n + 1, n), np.int64)
    sizes = np.zeros(n + 1, np.int64)
    members = np.empty(n + 1, np.int64)
    counts = np.zeros(n + 1, np.int64)  # members and absorbed points at each depth
    center = np.empty(d)
    members[0] = 0
    sizes[0] = n - 1
    for i in range(1, n):
        candidates[0, i - 1] = i
    kept, absorbed, _ = _narrow(points, points[0], 0.0, squared, candidates[0], n - 1)
    sizes[0] = kept
    counts[0] = 1 + absorbed
    best = max(best, counts[0])
    color(together, candidates[0], kept, colors[0])
    depth = 0
    while depth >= 0:
        if sizes[depth] == 0 or counts[depth] + colors[depth, sizes[depth] - 1] <= best:
            depth -= 1
            continue
        sizes[depth] -= 1
        v = candidates[depth, sizes[depth]]
        members[depth + 1] = v
        lower, upper = enclose(points, members, depth + 2, -1.0, squared, center)
        if lower > squared:
            continue
        kept = 0
        for i in range(sizes[depth]):
            if together[v, candidates[depth, i]]:
                candidates[depth + 1, kept] = candidates[depth, i]
                kept += 1
        kept, absorbed, held = _narrow(points, center, lower, squared, candidates[depth + 1], kept)
        counts[depth + 1] = counts[depth] + 1 + absorbed
        best = max(best, counts[depth + 1])
        if upper <= squared:
            best = max(best, counts[depth] + 1 + held)
        sizes[depth + 1] = kept
        color(together, candidates[depth + 1], kept, colors[depth + 1])
        depth += 1
    return best
