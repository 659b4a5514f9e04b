"""Counts of bounded reach with one mistake each; the attack must find every one of them.

Mistakes in what covers are, and in the program, are made in the definition written out; mistakes in how the library
finds heavy covers and certifies what a solver says are made in the library.
"""

from fractions import Fraction
from itertools import chain, pairwise

import numpy as np
import pytest

from eremite.reach import counting, covers, solving
from eremite.reach.covers import Places, ratio_for
from eremite.reach.lattice import Lattice
from eremite.reach.program import Program
from tests.attacks import reach_by_definition as definition
from tests.attacks.reach_by_definition import capped_by_definition, grown_cells, windows_by_definition
from tests.attacks.reach_tables import (
    Small,
    broken_equalities,
    broken_moves,
    broken_replacements,
    hostile_tables,
    line,
    ours,
    square,
    walk,
)

MOST_ROWS = 40  # in a table that the definition takes


@pytest.fixture(autouse=True)
def fresh_covers():
    """Covers by definition are kept, and here the definition changes."""
    definition._covers.cache_clear()
    yield
    definition._covers.cache_clear()


def by_definition(windows=windows_by_definition, cells=grown_cells, **changes):
    """The count, by strata, with the covers of these functions of points and R."""

    def count(points, k, radius, reach, starts=None):
        points = np.asarray(points, dtype=float)
        d, total = points.shape[1], Fraction(0)
        for begin, end in pairwise([0, len(points)] if starts is None else starts.tolist()):
            some = points[begin:end]
            held = (windows if d == 1 else cells)(some, radius * np.sqrt(d))
            total += capped_by_definition(some, k, radius, reach, held, **changes)
        return total, total

    return count


def caught(count, most_rows=MOST_ROWS, walks=((2, 1), (3, 2))):
    """The first violation, on small tables, hostile ones and walks, with `violations` in the order that is quickest."""
    smalls = [Small(line(5), 4, 1, 1.0, 1), Small(square(3), 3, 2, 1.0, 1), Small(line(4), 3, 1, 2.0, 1, strata=2)]
    small = (broken_moves(one.moves(count), one.reach) for one in smalls)
    hostile = (broken_moves([move], reach) for reach, move in hostile_moves(count, most_rows))
    walked = (broken_moves(walk(count, d, seed, 60, 2, 1), 1) for d, seed in walks)
    return next(chain.from_iterable(chain(small, hostile, walked)), None)


def hostile_moves(count, most_rows):
    for points, added, k, radius, reach in hostile_tables():
        if len(points) <= most_rows:
            normalized, more = radius / np.sqrt(len(added)), np.vstack([points, added])
            told = [count(some, k, normalized, reach) for some in (points, more)]
            yield reach, ((points.tolist()[:4], added.tolist()), *told)


def test_attack_finds_nothing_in_the_definition():
    assert caught(by_definition()) is None


@pytest.mark.parametrize("share", [0.8, 0.99])
def test_attack_catches_covers_of_a_radius_below_r(share):
    windows, cells = (lambda points, radius, find=find: find(points, share * radius) for find in COVERS)
    assert caught(by_definition(windows=windows)) is not None
    assert caught(by_definition(cells=cells)) is not None


COVERS = (windows_by_definition, grown_cells)


def around_rows(points, radius):
    """The rows within R of each row."""
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    return [set(np.flatnonzero(row <= radius).tolist()) for row in gaps]


def test_attack_catches_covers_centered_at_rows():
    assert caught(by_definition(windows=around_rows)) is not None
    assert caught(by_definition(cells=around_rows)) is not None


def windows_by_number(points, radius):
    """Of two lengths, by turns: each is long enough for a table of so many rows."""
    return windows_by_definition(points, radius * (1 + 2 * (len(points) % 2)))


def cells_by_number(points, radius):
    """As fine as the number of rows allows, where that number is private."""
    return grown_cells(points, radius, 0.1 * (1 + len(points) % 2))


def test_attack_catches_a_family_that_depends_on_the_number_of_rows():
    small = Small(line(10), 4, 1, 1.0, 1)
    assert next(broken_moves(small.moves(by_definition(windows=windows_by_number)), 1), None) is not None
    assert caught(by_definition(cells=cells_by_number), walks=[(2, seed) for seed in range(8)]) is not None


def test_attack_catches_a_cover_that_is_missing():
    """The first interval that holds more than one row; the cell that holds most."""
    fewer = by_definition(windows=lambda *of: sorted(windows_by_definition(*of), key=len)[:-1])
    assert caught(fewer) is not None
    fewer = by_definition(cells=lambda *of: [cell for cell in grown_cells(*of) if len(cell) < 4])
    assert caught(fewer) is not None


@pytest.mark.parametrize("weigh", [lambda c: Fraction(1, c + 1), lambda c: Fraction(1, 2 * c), lambda c: Fraction(0)])
def test_attack_catches_weights_below_one_over_what_a_row_lacks(weigh):
    assert caught(by_definition(weigh=weigh)) is not None


def test_attack_catches_a_weight_of_one_for_every_row():
    """It is as private, and counts fewer: rows are held back though no cover is heavy."""
    count = by_definition(weigh=lambda c: Fraction(1))
    assert caught(count, walks=[]) is None
    assert next(broken_equalities(Small(line(5), 3, 2, 1.0, 1), by_definition()), None) is None
    assert next(broken_equalities(Small(line(5), 3, 2, 1.0, 1), count), None) is not None


@pytest.mark.parametrize("grid", [line(5), square(3)], ids=["line", "square"])
def test_attack_catches_the_reach_alone_where_rows_are_replaced(grid):
    small = Small(grid, 4, 1, 1.0, 1)
    assert next(broken_replacements(small.replacements(ours), small.reach + 1), None) is None
    assert next(broken_replacements(small.replacements(ours), small.reach), None) is not None


def test_attack_catches_membership_that_is_rounded_inward(monkeypatch):
    """Far out a relative tolerance is not enough either: `tests/unit/reach/test_lattice.py` has a mutant of it."""
    monkeypatch.setattr(definition, "OUTWARD", -1e-9)
    monkeypatch.setattr(definition, "ROUNDING", 0)
    assert caught(by_definition(), walks=[]) is not None


def test_attack_catches_membership_that_is_computed_in_batches(monkeypatch):
    """How far it is rounded outward depends on the row that is furthest out."""

    def cells(points, radius):
        largest = 1 + np.abs(points).max(initial=0) / radius
        monkeypatch.setattr(definition, "OUTWARD", 1e-9 + 64 * 2.0**-53 * 9 * largest)
        definition._covers.cache_clear()
        return grown_cells(points, radius)

    assert caught(by_definition(cells=cells), walks=[]) is not None


# The library with a mistake. Small tables tell by what no cover holds, too, whether a heavy one was lost.


def lost():
    """The first violation of the library's count, if any."""
    smalls = (Small(line(5), 4, 1, 1.0, 1), Small(square(3), 4, 2, 1.0, 1), Small(square(3), 3, 1, 1.0, 2))
    equal = (broken_equalities(one, ours) for one in smalls)
    return caught(ours, most_rows=10**6) or next(chain.from_iterable(equal), None)


def test_attack_finds_nothing_in_the_library_without_a_look(monkeypatch):
    monkeypatch.setattr(counting, "_MOST_IN_WINDOWS", 0)
    assert caught(ours, most_rows=10**6) is None


def rounded_down(outliers):
    return covers.UNIT * outliers.copies // outliers.gaps


def test_attack_catches_weights_that_are_rounded_down(monkeypatch):
    """The unit is coarse, for small tables to tell."""
    monkeypatch.setattr(covers, "UNIT", 256)
    monkeypatch.setattr(covers, "weights_of", rounded_down)
    assert lost() is not None


def test_attack_catches_a_look_for_one_neighbor_too_many(monkeypatch):
    whole = covers._in_company
    monkeypatch.setattr(covers, "_in_company", lambda some, distance, reach: whole(some, distance, reach + 1))
    assert lost() is not None


def test_attack_catches_a_look_that_is_not_as_wide_as_a_cover(monkeypatch):
    whole = covers._in_company
    monkeypatch.setattr(covers, "_in_company", lambda some, distance, reach: whole(some, distance / 4, reach))
    assert lost() is not None


def test_attack_catches_coarse_covers_without_the_radius_of_fine_ones(monkeypatch):
    """Their cells are grown by what a cell of the fine lattice does not need."""
    plain = Lattice.of

    class Narrow(Lattice):
        @classmethod
        def of(cls, d, rho, grown, roundings=1):
            return plain(d, rho, grown / 8 if roundings == 2 else grown, roundings)

    monkeypatch.setattr(covers, "Lattice", Narrow)
    monkeypatch.setattr(covers, "_FEWER", 1.5)
    assert lost() is not None


def test_attack_catches_a_lattice_as_fine_as_the_number_of_rows_allows(monkeypatch):
    class Crowded(covers.Covers):
        def __init__(self, outliers: Places, radius, reach, ratio):
            super().__init__(outliers, radius, reach, ratio_for(outliers.points.shape[1], 1) * (1 + outliers.rows % 2))

    monkeypatch.setattr(counting, "Covers", Crowded)
    assert caught(ours, walks=[(2, seed) for seed in range(20)]) is not None


def careless(u, gaps, copies, reach, covers, scale):
    return scale.wholes(np.minimum(u, copies / gaps))


def test_attack_catches_what_a_solver_says_without_its_check(monkeypatch):
    """A solver may say that nobody has to be held back; what it says is checked, and never believed."""

    def solve(self, **_):
        self.prices = np.zeros(len(self.covers))
        return self.copies / self.gaps

    monkeypatch.setattr(Program, "solve", solve)
    assert caught(ours) is None
    monkeypatch.setattr(solving, "feasible", careless)
    assert lost() is not None


def test_attack_catches_prices_that_are_not_paid_by_all(monkeypatch):
    """The upper end without what prices leave of each row."""
    monkeypatch.setattr(solving, "left_over", lambda prices, members, gaps, *of: of[-1].zeros(len(gaps)))
    assert lost() is not None
