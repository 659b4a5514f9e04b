"""Counts of bounded reach by their definition (theory, sections 10 and 10b): gaps, covers, programs in fractions."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
from scipy.linalg import helmert

from eremite.reach.covers import ratio_for
from eremite.reach.lattice import covering_radius
from tests.definition import degrees_by_definition

OUTWARD = 1e-9  # what a cover is larger by than R, relatively
ROUNDING = 64 * 2.0**-53  # and for each (d + 1)^2 and each unit of the largest coordinate


def deficits_by_definition(points, k, radius):
    """How many neighbors each row lacks: 0 or less if it is no outlier."""
    return [k - degree for degree in degrees_by_definition(points, radius)]


def surpluses_by_definition(points, k, radius):
    """How many neighbors less would make an outlier of each row: 0 or less if it is one."""
    return [degree - k + 1 for degree in degrees_by_definition(points, radius)]


def windows_by_definition(points, radius):
    """The rows of each interval of length 2 R that begins at a row."""
    values = np.asarray(points, dtype=float)[:, 0].tolist()
    length = 2 * radius * (1 + OUTWARD)
    return [{j for j, x in enumerate(values) if a <= x and x - a <= length} for a in values]


def distances_to_cell(w):
    """From each w, whose coordinates add up to 0, to the cell of 0 in A_d*: by the formula of isotonic regression."""
    n = w.shape[1]
    falling = -np.sort(-w, axis=1) - (n - 1 - 2 * np.arange(n)) / (2 * n)
    fitted = [
        np.min(
            [np.max([falling[:, a : b + 1].mean(axis=1) for b in range(i, n)], axis=0) for a in range(i + 1)], axis=0
        )
        for i in range(n)
    ]
    return np.sqrt(np.sum(np.square(fitted), axis=0))


def embedded(row, unit):
    """The row in the hyperplane of d + 1 coordinates that add up to 0."""
    return np.asarray(row, dtype=float) / unit @ helmert(len(row) + 1)


def taken_within(row, unit, grown):
    """How near to its cell a row must be to be in a cover, in units of the lattice."""
    largest = 1 + np.abs(row).max() / unit
    return grown * (1 + OUTWARD) + ROUNDING * (len(row) + 1) ** 2 * largest


def covers_by_definition(row, unit, grown):
    """All z whose cell is near enough to the row: of all z in a box whose coordinates add up to 0, 1, ... or d."""
    return set(_covers(tuple(np.asarray(row, dtype=float).tolist()), unit, grown))


@cache
def _covers(row, unit, grown):
    n = len(row) + 1
    y, near = embedded(row, unit), taken_within(row, unit, grown)
    furthest = near + covering_radius(n - 1) + 1e-6
    steps = range(-int(np.ceil(furthest + 1)), int(np.ceil(furthest + 1)) + 1)
    z = np.floor(y).astype(int) + np.array(list(itertools.product(steps, repeat=n)))
    z = z[(z.sum(axis=1) >= 0) & (z.sum(axis=1) < n)]
    w = y - z + z.sum(axis=1, keepdims=True) / n
    some = (w * w).sum(axis=1) <= furthest**2
    return [tuple(one) for one in z[some][distances_to_cell(w[some]) <= near].tolist()]


def grown_cells(points, radius, ratio=None, side="below"):
    """The rows of each cover of the lattice, of those that hold any; radius and covering radius as the library's."""
    d = np.shape(points)[1]
    unit = (ratio or ratio_for(d, 1, side)) * radius / covering_radius(d)
    covers = {}
    for i, row in enumerate(points):
        for z in covers_by_definition(row, unit, radius / unit):
            covers.setdefault(z, set()).add(i)
    return list(covers.values())


def capped_by_definition(points, k, radius, reach, covers=None, **changes):
    """F_D of one stratum. `covers` tells which rows each cover holds; by default as the library chooses them."""
    points = np.asarray(points, dtype=float)
    d = points.shape[1]
    if covers is None:
        covers = (windows_by_definition if d == 1 else grown_cells)(points, radius * np.sqrt(d))
    return capped_rows(deficits_by_definition(points, k, radius), covers, reach, **changes)


def above_by_definition(points, k, radius, reach, covers=None, **changes):
    """U_D of one stratum: its rows, less what its core rows count. Covers are cells in one column, too."""
    points = np.asarray(points, dtype=float)
    if covers is None:
        covers = grown_cells(points, radius * np.sqrt(points.shape[1]), side="above")
    return len(points) - capped_rows(surpluses_by_definition(points, k, radius), covers, reach, **changes)


def capped_rows(gaps, covers, reach, **changes):
    """What rows with a gap of 1 or more count, no cover holding more than the reach."""
    some = [i for i, gap in enumerate(gaps) if gap > 0]
    held = {frozenset(some.index(i) for i in cover if gaps[i] > 0) for cover in covers}
    return capped_program([gaps[i] for i in some], held, reach, **changes)


def capped_program(deficits, covers, reach, weigh=lambda c: Fraction(1, c)):
    """The largest sum of v, 0 <= v <= 1, such that no cover holds more than the reach in v / c."""
    covers = [cover for cover in covers if not any(cover < other for other in covers)]
    rows = [[weigh(c) * (i in cover) for i, c in enumerate(deficits)] for cover in covers]
    rows += [[Fraction(i == j) for j in range(len(deficits))] for i in range(len(deficits))]
    return maximum_in_fractions([1] * len(deficits), rows, [reach] * len(covers) + [1] * len(deficits))


def maximum_in_fractions(gains, rows, limits):
    """The maximum of gains x over x >= 0, rows x <= limits: by pivots of Bland's rule, and proved by duality."""
    n, m = len(gains), len(rows)
    table = [
        [*map(Fraction, row), *(Fraction(i == j) for j in range(m)), Fraction(limits[i])] for i, row in enumerate(rows)
    ]
    costs, basis = [Fraction(-gain) for gain in gains] + [Fraction(0)] * (m + 1), list(range(n, n + m))
    while (entering := next((j for j in range(n + m) if costs[j] < 0), None)) is not None:
        leaving = min((row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0)[-1]
        basis[leaving] = entering
        table[leaving] = [value / table[leaving][entering] for value in table[leaving]]
        for row in (*table[:leaving], *table[leaving + 1 :], costs):
            if factor := row[entering]:
                row[:] = [value - factor * pivot for value, pivot in zip(row, table[leaving], strict=True)]
    x = [sum((row[-1] for row, j in zip(table, basis, strict=True) if j == i), Fraction(0)) for i in range(n)]
    prove_optimal(gains, rows, limits, x, costs[n : n + m])
    return sum((gain * value for gain, value in zip(gains, x, strict=True)), Fraction(0))


def prove_optimal(gains, rows, limits, x, prices):
    """Nobody has to trust the pivots: x is feasible, so are the prices, and both say the same."""
    assert all(value >= 0 for value in (*x, *prices))
    assert all(
        sum(a * value for a, value in zip(row, x, strict=True)) <= limit
        for row, limit in zip(rows, limits, strict=True)
    )
    paid = [sum(price * row[i] for price, row in zip(prices, rows, strict=True)) for i in range(len(gains))]
    assert all(price >= gain for price, gain in zip(paid, gains, strict=True))
    assert sum(p * limit for p, limit in zip(prices, limits, strict=True)) == sum(
        g * v for g, v in zip(gains, x, strict=True)
    )
