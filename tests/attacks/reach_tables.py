"""All small tables with a row more or less, tables made to break covers, and what a count of bounded reach owes them.

A count is a function from (points, k, radius, reach, starts) to two numbers around F_D. `radius` is normalized.
"""

import itertools
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import helmert

from eremite import OutlierDefinition
from eremite.reach import count_of_reach
from eremite.reach.covers import ratio_for
from eremite.reach.lattice import covering_radius
from tests.attacks.coming_and_going import tables_up_to, with_one_more
from tests.attacks.reach_by_definition import (
    covers_by_definition,
    deficits_by_definition,
    windows_by_definition,
)
from tests.definition import are_neighbors


def ours(points, k, radius, reach, starts=None):
    """The library's count."""
    return count_of_reach(points, OutlierDefinition(min_neighbors=k, radius=radius), reach, starts=starts)


def ours_above(points, k, radius, reach, starts=None):
    """The library's count from above."""
    return count_of_reach(points, OutlierDefinition(min_neighbors=k, radius=radius), reach, "above", starts)


def line(size):
    return np.arange(float(size))[:, None]


def square(side):
    return np.array(list(itertools.product(range(side), repeat=2)), dtype=float)


def cube():
    return np.array(list(itertools.product(range(2), repeat=3)), dtype=float)


@dataclass(frozen=True, eq=False)
class Small:
    """All tables of up to so many rows at the places of a grid, in one stratum or more."""

    grid: np.ndarray
    rows: int
    k: int
    distance: float  # R
    reach: int
    strata: int = 1
    counts: dict = field(default_factory=dict)

    @property
    def radius(self):
        return self.distance / np.sqrt(self.grid.shape[1])

    @property
    def kinds(self):
        """A kind of row is a place of a stratum."""
        return len(self.grid) * self.strata

    def tables(self, rows=None):
        return tables_up_to(self.kinds, self.rows if rows is None else rows)

    def points_and_starts(self, rows):
        """The table: strata one after the other."""
        strata, places = np.divmod(np.array(rows, int), len(self.grid))
        return self.grid[places], np.searchsorted(strata, np.arange(self.strata + 1))

    def count(self, count, rows):
        """What a count says of a table: it is asked once."""
        if rows not in self.counts:
            points, starts = self.points_and_starts(rows)
            self.counts[rows] = count(points, self.k, self.radius, self.reach, starts)
        return self.counts[rows]

    def moves(self, count):
        """What a count says of all tables and of those with one row more."""
        for rows in self.tables(self.rows - 1):
            for more in with_one_more(rows, self.kinds):
                yield (rows, more), self.count(count, rows), self.count(count, more)

    def replacements(self, count):
        """What a count says of all pairs of tables of which one row differs, as of two that extend one table."""
        for rows in self.tables(self.rows - 1):
            for more, other in itertools.combinations(with_one_more(rows, self.kinds), 2):
                yield (more, other), self.count(count, more), self.count(count, other)


def broken_moves(moves, reach):
    """Whenever one more row takes more than the reach, or adds more than 1; and brackets that are too wide, or none."""
    for names, (low, high), (low_more, high_more) in moves:
        if high_more < low - reach or low_more > high + 1:
            yield f"from {float(low)} to {float(high_more)} with reach {reach}: {names}"
        if any(not 0 <= width <= 1 / 64 for width in (high - low, high_more - low_more)):
            yield f"no bracket: {low} {high} {low_more} {high_more}"


def broken_replacements(pairs, most):
    """Whenever a replaced row moves the count by more than it may."""
    for names, (low, high), (low_other, high_other) in pairs:
        if max(low - high_other, low_other - high) > most:
            yield f"from {float(low)} to {float(low_other)} with at most {most}: {names}"


def broken_equalities(small, count):
    """Whenever a count is more than the outliers; as many though a cover holds too much; or fewer though none does."""
    d = small.grid.shape[1]
    unit = ratio_for(d, 1) * small.distance / covering_radius(d)
    covers = [covers_by_definition(place, unit, small.distance / unit) for place in small.grid] if d > 1 else None
    for rows in small.tables():
        low, high = small.count(count, rows)
        q, is_light = 0, True
        for stratum in range(small.strata):
            places = [kind % len(small.grid) for kind in rows if kind // len(small.grid) == stratum]
            held, lacking = {}, deficits_by_definition(small.grid[places], small.k, small.radius)
            windows = windows_by_definition(small.grid[places], small.distance) if d == 1 and places else []
            for i, (place, c) in enumerate(zip(places, lacking, strict=True)):
                mine = covers[place] if covers else [w for w, window in enumerate(windows) if i in window]
                for cover in mine if c > 0 else ():
                    held[cover] = held.get(cover, 0) + 1 / c
            q += sum(c > 0 for c in lacking)
            is_light &= max(held.values(), default=0) <= small.reach + 1e-12
        if high > q or (float(q - low) < 1e-9) != is_light:
            yield f"{float(low)} to {float(high)} of {q} outliers, light: {is_light}: {rows}"


# Tables made to break covers. Each is (points, the row that is added, k, R, D); `radius` below is R.


def at_place(w, unit):
    """The point whose place in the hyperplane of A_d* is w, in units of the lattice."""
    return w @ helmert(len(w)).T * unit


def unit_of(d, radius):
    return ratio_for(d, 1) * radius / covering_radius(d)


def vertex_of_a_cell(d):
    """Of the cell of 0; by turns of its coordinates, the directions in which the cells next to it lie."""
    return (d - 2 * np.arange(d + 1)) / (2 * (d + 1))


def round_a_vertex(d, radius, z):
    """d + 1 rows about a vertex of d + 1 cells, each as far from one of the cells as R allows.

    All are near the vertex, and so each of these cells covers them all, but only just.
    """
    unit, vertex = unit_of(d, radius), vertex_of_a_cell(d)
    center = at_place(z - np.mean(z) + vertex, unit)
    outward = [at_place(np.roll(vertex, turn), 1) for turn in range(d + 1)]
    return nudged(center, outward, radius), center, 1, radius, d


def round_a_middle(d, radius, z):
    """d + 1 rows about the middle of the cell of z, at a distance of R: only this cell covers them all."""
    center = at_place(z - np.mean(z), unit_of(d, radius))
    outward = [at_place(one - np.mean(one), 1) for one in np.eye(d + 1)]
    return nudged(center, outward, radius), center, 1, radius, d


def nudged(center, outward, radius):
    """Points as far from the center as the degree predicate calls near."""
    moved = []
    for direction in outward:
        point = center + radius * direction / np.linalg.norm(direction)
        while not are_neighbors(point, center, radius / np.sqrt(len(center))):
            point = point + np.sign(center - point) * np.spacing(np.maximum(np.abs(point), np.abs(center)))
        moved.append(point)
    return np.array(moved)


def wide_pairs(radius, pairs=4):
    """Pairs of rows, each just further apart than any cover reaches; then a row far out is added."""
    unit, vertex = unit_of(2, radius), vertex_of_a_cell(2)
    direction = at_place(vertex, 1) / np.linalg.norm(vertex)
    half = at_place(vertex, unit) + radius * (1 + 1e-6) * direction
    centers = [at_place(np.array([200.0 * i, 0, 0]) - 200 * i / 3, unit) for i in range(pairs)]
    points = [center + sign * half for center in centers for sign in (1, -1)]
    return np.array(points), np.array([1e9 * radius, 0]), 1, radius, 1


def heavy_by_a_hair(d, apart=0.0):
    """256 rows next to each other that lack 201 each, and one more: a cover holds little more than the reach."""
    return 0.5 + apart * np.arange(256.0 * d).reshape(256, d), np.full(d, 0.5), 456, 0.1, 1


def hostile_tables():
    rng = np.random.default_rng(4)
    yield np.array([[-1.0], [1.0]]), np.array([0.0]), 1, 1.0, 1
    for d in (2, 3, 4):
        for z in (np.zeros(d + 1), np.arange(d + 1) ** 2 - 2.0):
            yield round_a_vertex(d, 0.2, z)
            yield round_a_middle(d, 0.2, z)
    yield heavy_by_a_hair(1)
    yield heavy_by_a_hair(2)
    yield heavy_by_a_hair(1, 1e-6)
    yield heavy_by_a_hair(2, 1e-6)
    yield wide_pairs(0.3)
    for d in (2, 3):
        for z in rng.integers(-(10**9), 10**9, (15, d + 1)):
            yield round_a_vertex(d, 1.0, z.astype(float))


def hostile_moves(count):
    """What a count says of these tables, and with the row that is added."""
    for points, added, k, radius, reach in hostile_tables():
        normalized = radius / np.sqrt(len(added))
        more = np.vstack([points, added])
        yield (
            reach,
            (
                (points.tolist()[:4], added.tolist()),
                count(points, k, normalized, reach),
                count(more, k, normalized, reach),
            ),
        )


def walk(count, d, seed, steps, k, reach):
    """What a count says of tables on a random walk: rows come, often between others or where one is, and go."""
    rng = np.random.default_rng(seed)
    radius = 0.3 / np.sqrt(d)
    points = rng.random((int(rng.integers(0, 12)), d))
    said = count(points, k, radius, reach)
    for _ in range(steps):
        if len(points) and rng.random() < 0.4:
            less = np.delete(points, rng.integers(len(points)), axis=0)
            now = count(less, k, radius, reach)
            yield (less.tolist(), points.tolist()), now, said
            points = less
        else:
            more = np.vstack([points, arrival(points, rng, d)])
            now = count(more, k, radius, reach)
            yield (points.tolist(), more.tolist()), said, now
            points = more
        said = now


def arrival(points, rng, d):
    """A new row: anywhere, in the middle of some others, or equal to one."""
    some = points[rng.integers(len(points), size=int(rng.integers(1, 4)))] if len(points) else np.empty((0, d))
    return rng.random(d) if len(some) == 0 or rng.random() < 0.4 else some.mean(axis=0)


def attack(count):
    """Every violation found on small tables, hostile ones and random walks; few of each, as this is for mutants too."""
    for small in (Small(line(5), 4, 1, 1.0, 1), Small(square(3), 3, 2, 1.0, 1), Small(line(4), 3, 1, 2.0, 1, strata=2)):
        yield from broken_moves(small.moves(count), small.reach)
    for reach, move in hostile_moves(count):
        yield from broken_moves([move], reach)
    for d, seed in ((2, 1), (3, 2)):
        yield from broken_moves(walk(count, d, seed, 60, 2, 1), 1)
