"""Attack counts of bounded reach from above: all tables of small grids, hostile ones, walks; and mutants of them."""

import itertools
from dataclasses import replace
from fractions import Fraction
from itertools import chain, pairwise

import numpy as np
import pytest

from eremite.reach import count_of_reach, counting, covers
from eremite.reach.covers import ratio_for
from eremite.reach.grid import Grid
from eremite.reach.lattice import covering_radius
from tests.attacks import reach_by_definition as definition
from tests.attacks.reach_by_definition import (
    above_by_definition,
    covers_by_definition,
    grown_cells,
    surpluses_by_definition,
)
from tests.attacks.reach_tables import (
    Small,
    broken_moves,
    broken_replacements,
    cube,
    hostile_tables,
    line,
    ours_above,
    square,
    walk,
)

SQRT2 = np.sqrt(2)
# Many rows of these grids are exactly as far apart as the radius, or as the radius of a cover.
QUICK = ((line(5), 5, 1.0), (line(4), 5, 2.0), (square(3), 4, 1.0), (cube(), 4, 1.0))
EXHAUSTIVE = (
    *((line(6), 6, distance) for distance in (0.5, 1.0, 2.0)),
    *((square(3), 5, distance) for distance in (1.0, SQRT2)),
    *((cube(), 5, distance) for distance in (1.0, SQRT2)),
)


def broken_bounds(small, count):
    """Whenever a count is less than the outliers; as many though a cover holds too much; or more though none does."""
    d = small.grid.shape[1]
    unit = ratio_for(d, 1, "above") * small.distance / covering_radius(d)
    held_by = [covers_by_definition(place, unit, small.distance / unit) for place in small.grid]
    for rows in small.tables():
        low, high = small.count(count, rows)
        q, is_light = 0, True
        for stratum in range(small.strata):
            places = [kind % len(small.grid) for kind in rows if kind // len(small.grid) == stratum]
            held, surpluses = {}, surpluses_by_definition(small.grid[places], small.k, small.radius)
            for place, surplus in zip(places, surpluses, strict=True):
                for cover in held_by[place] if surplus > 0 else ():
                    held[cover] = held.get(cover, 0) + Fraction(1, surplus)
            q += sum(surplus <= 0 for surplus in surpluses)
            is_light &= max(held.values(), default=0) <= small.reach
        if low < q or (float(high - q) < 1e-9) != is_light:
            yield f"{float(low)} to {float(high)} of {q} outliers, light: {is_light}: {rows}"


def violations(small, count=ours_above):
    yield from broken_moves(small.moves(count), small.reach)
    yield from broken_replacements(small.replacements(count), small.reach + 1)
    yield from broken_bounds(small, count)


@pytest.mark.parametrize(("grid", "rows", "distance"), QUICK)
@pytest.mark.parametrize(("k", "reach"), [(1, 1), (2, 1)])
def test_count_from_above_withstands_all_small_tables(grid, rows, distance, k, reach):
    assert next(violations(Small(grid, rows, k, distance, reach)), None) is None


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "rows", "distance"), EXHAUSTIVE)
@pytest.mark.parametrize(("k", "reach"), list(itertools.product((1, 2, 3), (1, 2))))
def test_count_from_above_withstands_all_tables_of_more_rows(grid, rows, distance, k, reach):
    assert next(violations(Small(grid, rows, k, distance, reach)), None) is None


@pytest.mark.parametrize(("grid", "rows"), [(line(3), 4), pytest.param(line(4), 5, marks=pytest.mark.slow)])
def test_count_from_above_withstands_rows_that_change_their_stratum(grid, rows):
    assert next(violations(Small(grid, rows, 1, 1.0, 1, strata=2)), None) is None


def test_both_ends_are_reached_from_above():
    """The lower one as nearly as the row that comes has neighbors: it takes the room of one over its own gap."""
    small = Small(square(3), 4, 1, 1.0, 1)
    moves = [(sum(more) - sum(less)) / 2 for _, less, more in small.moves(ours_above)]
    assert abs(max(moves) - 1) < 1e-6
    for n in (2, 10, 100):
        around = np.repeat([[-1.0], [1.0]], n, axis=0)
        less, more = (sum(ours_above(rows, n, 1.0, 1)) / 2 for rows in (around, np.vstack([around, [[0.0]]])))
        assert abs(more - less + 1 - Fraction(1, n + 1)) < 1e-6


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 30))])
def test_count_from_above_withstands_random_walks(d, seed):
    for k, reach in ((1, 1), (2, 1), (4, 2)):
        assert next(broken_moves(walk(ours_above, d, seed, 40, k, reach), reach), None) is None


@pytest.mark.parametrize(("grid", "rows", "distance", "k"), [(line(5), 4, 1.0, 1), (square(3), 3, 1.0, 1)])
def test_count_from_above_brackets_the_definition(grid, rows, distance, k):
    assert_brackets(Small(grid, rows, k, distance, 1))


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "rows", "distance"), [(line(6), 5, 1.0), (square(3), 4, 1.0), (cube(), 4, SQRT2)])
@pytest.mark.parametrize(("k", "reach"), [(1, 1), (2, 1), (1, 2)])
def test_count_from_above_brackets_the_definition_on_more_tables(grid, rows, distance, k, reach):
    assert_brackets(Small(grid, rows, k, distance, reach))


def assert_brackets(small):
    for rows in small.tables():
        low, high = small.count(ours_above, rows)
        points, _ = small.points_and_starts(rows)
        assert low <= above_by_definition(points, small.k, small.radius, small.reach) <= high, rows


@pytest.mark.parametrize("d", [1, 2, 3])
def test_pruning_changes_nothing(d, monkeypatch):
    """Blocks, lattices that are looked at first, and who is left alone, leave out rows of light covers alone."""
    rng = np.random.default_rng(d)
    points = np.vstack([rng.normal(0.5, 0.02, (60, d)), rng.random((40, d)), np.full((10, d), 0.7)])
    for k, reach in ((2, 1), (5, 2), (9, 3)):
        pruned = ours_above(points, k, 0.05, reach)
        with monkeypatch.context() as patch:
            patch.setattr(covers, "coarse_ratios", lambda *_: [])
            patch.setattr(counting, "in_heavy_blocks", lambda points, *_: np.ones(len(points), np.bool_))
            patch.setattr(covers, "_in_company", lambda places, *_: np.arange(len(places)))
            patch.setattr(covers, "MOST_SLOTS", 1)
            patch.setattr(covers, "_FEWEST_SLOTS", 1)
            whole = ours_above(points, k, 0.05, reach)
        assert max(pruned[0], whole[0]) <= min(pruned[1], whole[1])


# Mistakes in the definition written out, and in the library.


@pytest.fixture(autouse=True)
def fresh_covers():
    """Covers by definition are kept, and here the definition changes."""
    definition._covers.cache_clear()
    yield
    definition._covers.cache_clear()


def by_definition(cells=None, **changes):
    def count(points, k, radius, reach, starts=None):
        points, total = np.asarray(points, dtype=float), Fraction(0)
        for begin, end in pairwise([0, len(points)] if starts is None else starts.tolist()):
            some = points[begin:end]
            held = cells(some, radius * np.sqrt(some.shape[1])) if cells else None
            total += above_by_definition(some, k, radius, reach, held, **changes)
        return total, total

    return count


def caught(count):
    smalls = [Small(line(4), 5, 1, 1.0, 1), Small(square(3), 4, 1, 1.0, 1), Small(line(3), 5, 2, 1.0, 1)]
    small = (broken_moves(one.moves(count), one.reach) for one in smalls)
    crowds = (broken_moves([move], reach) for reach, move in chain(crowded_moves(count), hostile_moves(count)))
    return next(chain.from_iterable(chain(crowds, small)), None)


def hostile_moves(count):
    """Rows as far from the edge of a cover as R allows; the row in the middle is all that makes core rows of them."""
    for points, added, k, radius, reach in hostile_tables():
        if len(points) <= 4 and len(added) == 2:
            normalized, more = radius / np.sqrt(len(added)), np.vstack([points, added])
            yield reach, ((points.tolist(), k), *(count(some, k, normalized, reach) for some in (points, more)))


def crowded_moves(count):
    """Pairs about one place, each row with k neighbors; then the row in the middle, which they all need, comes."""
    for d, pairs in ((1, 2), (2, 4), (2, 6)):
        angles = np.linspace(0, 2 * np.pi, pairs, endpoint=False)
        around = np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, :d] if d > 1 else np.array([[-1.0], [1.0]])
        for k in (1, 3):
            points = np.repeat(0.999 * around, k, axis=0)
            said = [count(some, k, 1 / np.sqrt(d), 1) for some in (points, np.vstack([points, np.zeros(d)]))]
            yield 1, ((points.tolist()[:3], k), *said)


def test_attack_finds_nothing_in_the_definition_from_above():
    assert caught(by_definition()) is None
    assert caught(ours_above) is None


def test_attack_catches_weights_of_one_over_all_neighbors():
    def degrees(points, k, radius):
        return [(s + k - 1) if s > 0 else s for s in surpluses_by_definition(points, k, radius)]

    def count(points, k, radius, reach, starts=None):
        points = np.asarray(points, dtype=float)
        held = grown_cells(points, radius * np.sqrt(points.shape[1]), side="above")
        u = len(points) - definition.capped_rows(degrees(points, k, radius), held, reach)
        return u, u

    assert caught(count) is not None


def around_rows(points, radius):
    """The rows within R of each row."""
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    return [set(np.flatnonzero(row <= radius).tolist()) for row in gaps]


def test_attack_catches_covers_around_core_rows():
    assert caught(by_definition(cells=around_rows)) is not None


@pytest.mark.parametrize("share", [0.8, 0.99])
def test_attack_catches_covers_of_a_radius_below_r_from_above(share):
    assert caught(by_definition(cells=lambda points, radius: grown_cells(points, share * radius, side="above")))


def test_attack_catches_the_reach_alone_where_rows_are_replaced_from_above():
    small = Small(line(5), 3, 1, 1.0, 1)
    assert next(broken_replacements(small.replacements(ours_above), small.reach), None) is not None


def test_attack_catches_degrees_that_are_not_counted_to_the_end(monkeypatch):
    """They are as private, but more rows are taken for crowded than are."""
    count_all = counting.count_neighbors

    def capped(points, radius, cap):
        return np.minimum(count_all(points, radius, None), cap or 2)

    monkeypatch.setattr(counting, "count_neighbors", capped)
    small = Small(line(3), 5, 1, 1.0, 2)
    assert next(broken_moves(small.moves(ours_above), small.reach), None) is None
    assert next(broken_bounds(small, ours_above), None) is not None


def test_attack_catches_a_count_that_holds_rows_which_take_no_part():
    """U_D counts the rows that take part, and not N: a row that is left out is no row."""
    small = Small(line(4), 4, 1, 1.0, 1)

    def of_all(points, k, radius, reach, starts=None):
        return tuple(bound + 6 - len(points) for bound in ours_above(points, k, radius, reach, starts))

    assert next(broken_moves(small.moves(of_all), small.reach), None) is not None


def test_hostile_tables_move_the_count_from_above_by_no_more_than_the_reach():
    for points, added, k, radius, reach in hostile_tables():
        normalized, more = radius / np.sqrt(len(added)), np.vstack([points, added])
        pair = [ours_above(some, min(k, 5), normalized, reach) for some in (points, more)]
        assert next(broken_moves([("hostile", *pair)], reach), None) is None


def test_capped_pair_is_the_middle_of_both_brackets():
    points = np.random.default_rng(8).random((80, 2))
    of = counting.OutlierDefinition(min_neighbors=4, radius=0.08)
    for side, value in zip(("below", "above"), counting.capped_pair(points, of, (1, 2)), strict=True):
        low, high = count_of_reach(points, of, 1 if side == "below" else 2, side)
        assert low <= value <= high


# A pruning that leaves out rows of heavy covers: found by the value without it.


def pruned_wrongly(monkeypatch):
    """Whether a table shows that rows of heavy covers were left out."""
    for d, k, spread in ((1, 3, 0.03), (2, 4, 0.03), (3, 4, 0.05)):
        rng = np.random.default_rng(d)
        points = np.vstack([rng.normal(0.5, spread, (60, d)), rng.random((30, d))])
        found = ours_above(points, k, 0.05, 1)
        with monkeypatch.context() as patch:
            patch.setattr(counting, "in_heavy_blocks", lambda points, *_: np.ones(len(points), np.bool_))
            whole = ours_above(points, k, 0.05, 1)
        if max(found[0], whole[0]) > min(found[1], whole[1]):
            return True
    return False


def _of(**changed):
    return classmethod(lambda cls, *asked: replace(of(*asked), **{k: f(of(*asked).span) for k, f in changed.items()}))


of, heavy = Grid.of, Grid.heavy
PRUNING = {
    "blocks of one cell": ("of", _of(span=lambda _: 1)),
    "blocks of half a cover": ("of", _of(span=lambda span: span // 2)),
    "blocks of twice the weight": ("heavy", lambda self, sums, threshold: heavy(self, sums, 2 * threshold)),
}


@pytest.mark.parametrize("mistake", PRUNING)
def test_pruning_catches(monkeypatch, mistake):
    assert not pruned_wrongly(monkeypatch)
    monkeypatch.setattr(Grid, *PRUNING[mistake])
    assert pruned_wrongly(monkeypatch)
