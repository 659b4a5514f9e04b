"""Attack counts of bounded reach, on all tables of small grids, on tables made to break covers, and on random walks."""

import itertools

import numpy as np
import pytest

from eremite import OutlierDefinition
from eremite.reach import capped_count, count_of_reach
from tests.attacks.reach_by_definition import capped_by_definition
from tests.attacks.reach_tables import (
    Small,
    attack,
    broken_equalities,
    broken_moves,
    broken_replacements,
    cube,
    hostile_tables,
    line,
    ours,
    square,
    walk,
)

SQRT2, SQRT3 = np.sqrt(2), np.sqrt(3)
# Many rows of these grids are exactly as far apart as the radius, or as the radius of a cover.
QUICK = (
    (line(5), 4, 1.0),
    (line(6), 3, 2.0),
    (square(3), 3, 1.0),
    (cube(), 3, 1.0),
)
EXHAUSTIVE = (
    *((line(6), 6, distance) for distance in (0.5, 1.0, 1.5, 2.0)),
    *((square(3), 5, distance) for distance in (1.0, SQRT2, 2.0)),
    *((cube(), 5, distance) for distance in (1.0, SQRT2, SQRT3)),
)


def violations(small):
    yield from broken_moves(small.moves(ours), small.reach)
    yield from broken_replacements(small.replacements(ours), small.reach + 1)
    yield from broken_equalities(small, ours)


def test_count_of_reach_withstands_the_attack():
    assert next(attack(ours), None) is None


@pytest.mark.parametrize(("grid", "rows", "distance"), QUICK)
@pytest.mark.parametrize(("k", "reach"), [(1, 1), (2, 1), (3, 2)])
def test_count_of_reach_withstands_all_small_tables(grid, rows, distance, k, reach):
    assert next(violations(Small(grid, rows, k, distance, reach)), None) is None


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "rows", "distance"), EXHAUSTIVE)
@pytest.mark.parametrize(("k", "reach"), list(itertools.product((1, 2, 3), (1, 2, 3))))
def test_count_of_reach_withstands_all_tables_of_more_rows(grid, rows, distance, k, reach):
    assert next(violations(Small(grid, rows, k, distance, reach)), None) is None


@pytest.mark.parametrize(("grid", "rows"), [(line(3), 4), pytest.param(line(4), 5, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("k", "reach"), [(1, 1), (2, 1), (2, 2)])
def test_count_of_reach_withstands_rows_that_change_their_stratum(grid, rows, k, reach):
    assert next(violations(Small(grid, rows, k, 1.0, reach, strata=2)), None) is None


@pytest.mark.slow
@pytest.mark.parametrize(("k", "reach"), [(1, 1), (2, 1), (2, 2)])
def test_count_of_reach_withstands_strata_of_a_square(k, reach):
    assert next(violations(Small(square(2), 5, k, 1.0, reach, strata=2)), None) is None


@pytest.mark.parametrize(("grid", "distance"), [(line(5), 1.0), (square(3), 1.0)])
def test_both_ends_are_reached(grid, distance):
    small = Small(grid, 4, 1, distance, 1)
    moves = [(sum(more) - sum(less)) / 2 for _, less, more in small.moves(ours)]
    assert min(moves) == -1
    assert max(moves) == 1
    assert next(broken_replacements(small.replacements(ours), 2 - 1e-9)) is not None


@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 30))])
def test_count_of_reach_withstands_random_walks(d, seed):
    for k, reach in ((1, 1), (2, 1), (4, 2), (3, 3)):
        assert next(broken_moves(walk(ours, d, seed, 40, k, reach), reach), None) is None


@pytest.mark.slow
@pytest.mark.parametrize("further", [1e3, 1e7, 5e9])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_count_of_reach_withstands_random_walks_far_out(d, further):
    def count(points, k, radius, reach):
        return ours(points + further, k, radius, reach)

    for seed in range(10):
        assert next(broken_moves(walk(count, d, seed, 40, 2, 1), 1), None) is None


@pytest.mark.parametrize(
    ("grid", "rows", "distance", "k", "reach"), [(line(5), 3, 1.0, 2, 1), (square(3), 2, 1.0, 2, 1)]
)
def test_count_of_reach_brackets_the_definition(grid, rows, distance, k, reach):
    assert_brackets(Small(grid, rows, k, distance, reach))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("grid", "rows", "distance"), [(line(6), 5, 1.0), (line(6), 5, 2.0), (square(3), 4, 1.0), (cube(), 4, SQRT2)]
)
@pytest.mark.parametrize(("k", "reach"), [(1, 1), (2, 1), (3, 1), (3, 2), (5, 1)])
def test_count_of_reach_brackets_the_definition_on_more_tables(grid, rows, distance, k, reach):
    assert_brackets(Small(grid, rows, k, distance, reach))


def assert_brackets(small):
    for rows in small.tables():
        low, high = small.count(ours, rows)
        points, _ = small.points_and_starts(rows)
        assert low <= capped_by_definition(points, small.k, small.radius, small.reach) <= high, rows


def test_capped_count_moves_by_no_more_than_the_reach_and_twice_its_error():
    for points, added, k, radius, reach in hostile_tables():
        low = min(points.min(), added.min())
        length = max(points.max(), added.max()) - low or 1.0
        definition = OutlierDefinition(min_neighbors=k, radius=radius / length / np.sqrt(len(added)))
        less, more = (np.clip((some - low) / length, 0, 1) for some in (points, np.vstack([points, added])))
        without, value = (capped_count(some, definition, reach, about=300) for some in (less, more))
        assert without - 64 * reach - 2 <= value <= without + 64 + 2


def test_capped_count_is_the_middle_of_the_bracket():
    rng = np.random.default_rng(8)
    for d, k, reach in itertools.product((1, 2, 3), (2, 5), (1, 2)):
        points, definition = rng.random((40, d)), OutlierDefinition(min_neighbors=k, radius=0.2)
        low, high = count_of_reach(points, definition, reach)
        assert abs(capped_count(points, definition, reach, about=1) - 32 * (low + high)) <= 1
