"""The definitions spelled out, never optimized: what every fast path must reproduce."""

from itertools import combinations

import numpy as np

from eremite.geometry import kissing_number_bound, smallest_enclosing_ball


def are_neighbors(x, y, radius):
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += (a - b) * (a - b)
    return total <= radius * radius * len(x)


def degrees_by_definition(points, radius, cap=None):
    rows = np.asarray(points, dtype=float).tolist()
    found = [sum(are_neighbors(p, q, radius) for j, q in enumerate(rows) if j != i) for i, p in enumerate(rows)]
    return found if cap is None else [min(degree, cap) for degree in found]


def outliers_by_definition(points, min_neighbors, radius):
    return sum(degree < min_neighbors for degree in degrees_by_definition(points, radius))


def depth_by_definition(points, radius):
    """Algorithm 1 of the paper: the largest subset whose smallest enclosing ball fits, trying them all."""
    rows = np.asarray(points, dtype=float)

    def largest(chosen, i):
        if chosen and smallest_enclosing_ball(rows[chosen])[1] > radius * (1 + 1e-9):
            return 0
        if i == len(rows):
            return len(chosen)
        return max(largest([*chosen, i], i + 1), largest(chosen, i + 1))

    return largest([], 0)


def within(p, q, distance):
    return np.sqrt(((p - q) ** 2).sum()) <= distance * (1 + 1e-9)


def core_by_definition(points, radius):
    """1 + the best, over all sets of points, of the fewest neighbors a point of the set has within the set."""
    rows = np.asarray(points, dtype=float)
    near = [[i != j and within(p, q, 2 * radius) for j, q in enumerate(rows)] for i, p in enumerate(rows)]
    sets = (s for m in range(1, len(rows) + 1) for s in combinations(range(len(rows)), m))
    return max((1 + min(sum(near[i][j] for j in s) for i in s) for s in sets), default=0)


def truss_by_definition(points, radius):
    """The largest m for which edges with too few fitting triangles can be crossed out until some are left."""
    rows = np.asarray(points, dtype=float)
    edges = {e for e in combinations(range(len(rows)), 2) if within(rows[e[0]], rows[e[1]], 2 * radius)}
    if not edges:
        return min(1, len(rows))

    def triangles(edge, among):
        thirds = set(range(len(rows))) - set(edge)
        closed = [w for w in thirds if all(tuple(sorted((v, w))) in among for v in edge)]
        return sum(smallest_enclosing_ball(rows[[*edge, w]])[1] <= radius * (1 + 1e-9) for w in closed)

    m = 2
    while edges:
        few = {edge for edge in edges if triangles(edge, edges) < m - 1}
        edges -= few
        if not few:
            m += 1
    return m


def around_rows_by_definition(points, window, radius):
    """The most rows of the window within the radius of one row, whichever row of the table it is."""
    rows = np.asarray(points, dtype=float).tolist()
    held = [
        sum(are_neighbors(p, q, radius) for j, q in enumerate(rows) if j != i and window[j]) for i, p in enumerate(rows)
    ]
    return max(held, default=0)


def profile_by_definition(points, min_neighbors, radius, steps, bound=depth_by_definition):
    """A^(t) of theory, 4b: what a removal around a row and an addition anywhere can turn, + t + 1, two caps."""
    rows = np.asarray(points, dtype=float)
    n, d = rows.shape
    degrees = np.array(degrees_by_definition(rows, radius))
    most = min(n, min_neighbors * kissing_number_bound(d) + 1)
    profile = []
    for t in range(steps):
        removal, addition = (np.abs(degrees - j) <= t for j in (min_neighbors, min_neighbors - 1))
        held = bound(rows[addition], radius * np.sqrt(d))
        profile.append(min(most, max(around_rows_by_definition(rows, removal, radius), held) + t + 1))
    return profile


def thinned_depth_by_definition(points, radius, min_neighbors):
    """The most rows in one ball with fewer than k neighbors each among themselves, trying all sets of rows."""
    rows = np.asarray(points, dtype=float)
    length = radius * np.sqrt(rows.shape[1]) * (1 + 1e-9)
    near = _near(rows, radius)

    def turns(chosen):
        few = all(sum(near[i][j] for j in chosen) < min_neighbors for i in chosen)
        return few and smallest_enclosing_ball(rows[list(chosen)])[1] <= length

    sets = (s for m in range(len(rows), 0, -1) for s in combinations(range(len(rows)), m))
    return next((len(s) for s in sets if turns(s)), 0)


def thinned_core_by_definition(points, radius, min_neighbors):
    """`core_by_definition`, where of the neighbors within r k - 1 count."""
    rows = np.asarray(points, dtype=float)
    length = radius * np.sqrt(rows.shape[1])
    near = _near(rows, radius)
    joined = [[i != j and within(p, q, 2 * length) for j, q in enumerate(rows)] for i, p in enumerate(rows)]

    def score(i, chosen):
        far = sum(joined[i][j] and not near[i][j] for j in chosen)
        return far + min(sum(near[i][j] for j in chosen), min_neighbors - 1)

    sets = (s for m in range(1, len(rows) + 1) for s in combinations(range(len(rows)), m))
    return max((1 + min(score(i, s) for i in s) for s in sets), default=0)


def thinned_truss_by_definition(points, radius, min_neighbors):
    """`truss_by_definition`, where so many third points of an edge count as its ends have room for."""
    rows = np.asarray(points, dtype=float)
    length = radius * np.sqrt(rows.shape[1])
    near = _near(rows, radius)
    edges = {e for e in combinations(range(len(rows)), 2) if within(rows[e[0]], rows[e[1]], 2 * length)}
    edges -= {e for e in edges if near[e[0]][e[1]] and min_neighbors == 1}

    def is_possible(edge, thirds):
        return all(sum(near[end][w] for w in (*edge, *thirds)) < min_neighbors for end in edge)

    def triangles(edge, among):
        closed = [
            w
            for w in set(range(len(rows))) - set(edge)
            if all(tuple(sorted((v, w))) in among for v in edge)
            and smallest_enclosing_ball(rows[[*edge, w]])[1] <= length * (1 + 1e-9)
        ]
        sets = (s for m in range(len(closed), -1, -1) for s in combinations(closed, m))
        return next(len(s) for s in sets if is_possible(edge, s))

    if not edges:
        return min(1, len(rows))
    m = 2
    while edges:
        few = {edge for edge in edges if triangles(edge, edges) < m - 1}
        edges -= few
        if not few:
            m += 1
    return m


def _near(rows, radius):
    """Which rows are neighbors; no row is its own."""
    return [[i != j and are_neighbors(p, q, radius) for j, q in enumerate(rows)] for i, p in enumerate(rows)]
