"""The count of bounded reach against its definition, in fractions; and odd tables."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog

from eremite import InputError, OutlierDefinition
from eremite.reach import capped_count, count_of_reach, counting
from eremite.reach.covers import FURTHEST, MOST_COLUMNS
from tests.attacks.reach_by_definition import (
    capped_by_definition,
    deficits_by_definition,
    grown_cells,
    windows_by_definition,
)
from tests.attacks.reach_tables import ours
from tests.definition import outliers_by_definition


def some_table(d, seed, n):
    """Rows in a few places, some on a grid, some equal."""
    rng = np.random.default_rng(seed)
    points = rng.random((3, d))[rng.integers(3, size=n)] + rng.normal(0, 0.1, (n, d))
    points[: n // 3] = np.round(points[: n // 3] * 10) / 10
    points[-1] = points[0]
    return points


def assert_brackets(bracket, wanted):
    low, high = bracket
    assert low <= wanted <= high
    assert high - low <= Fraction(1, 64)


CASES = [(1, 12), (2, 8), (3, 6)]


@pytest.mark.parametrize(("d", "n"), CASES)
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 30))])
def test_count_of_reach_is_that_of_the_definition(d, n, seed):
    points = some_table(d, seed, n)
    for k, radius, reach in ((1, 0.05, 1), (2, 0.1, 1), (3, 0.1, 1), (4, 0.15, 2), (7, 0.2, 1), (200, 0.1, 3)):
        assert_brackets(ours(points, k, radius, reach), capped_by_definition(points, k, radius, reach))


@pytest.mark.parametrize("d", [1, 2])
def test_count_of_reach_of_strata_is_the_sum_of_theirs(d):
    points, starts = some_table(d, 3, 18), np.array([0, 7, 7, 12, 18])
    for k, radius, reach in ((2, 0.1, 1), (3, 0.15, 1), (5, 0.2, 2)):
        parts = [points[a:b] for a, b in pairwise(starts) if b > a]
        assert_brackets(
            ours(points, k, radius, reach, starts), sum(capped_by_definition(part, k, radius, reach) for part in parts)
        )


def by_floats(points, k, radius, reach, cells):
    """The program of the definition, solved by SciPy."""
    lacking = np.array(deficits_by_definition(points, k, radius))
    u = np.flatnonzero(lacking > 0)
    held = np.array([[i in cell for i in u] for cell in cells], float)
    found = linprog(-lacking[u], A_ub=held, b_ub=np.full(len(cells), reach), bounds=[(0, 1 / c) for c in lacking[u]])
    return -found.fun


@pytest.mark.parametrize(("d", "n"), [(1, 150), (2, 60), pytest.param(2, 200, marks=pytest.mark.slow)])
def test_count_of_reach_of_more_rows_is_that_of_floats(d, n):
    points = some_table(d, 5, n)
    for k, radius, reach in ((4, 0.03, 1), (12, 0.05, 1), (30, 0.08, 2)):
        cells = (windows_by_definition if d == 1 else grown_cells)(points, radius * np.sqrt(d))
        low, high = ours(points, k, radius, reach)
        assert float(low) == pytest.approx(by_floats(points, k, radius, reach, cells), abs=1e-4)
        assert high - low <= Fraction(1, 64)


def test_count_of_reach_in_one_column_of_a_lattice_is_that_of_its_cells(monkeypatch):
    monkeypatch.setattr(counting, "_MOST_IN_WINDOWS", 0)
    points = some_table(1, 6, 12)
    for k, radius, reach in ((1, 0.05, 1), (3, 0.1, 1), (5, 0.1, 2)):
        cells = grown_cells(points, radius)
        assert_brackets(ours(points, k, radius, reach), capped_by_definition(points, k, radius, reach, cells))


@pytest.mark.parametrize(("d", "n"), [(1, 3000), (2, 2000), (3, 100)])
def test_many_equal_rows_count_for_what_they_lack(d, n):
    points = np.full((n, d), 0.3)
    for k, reach in ((n, 1), (n + 10, 1), (n + 10, 2), (n + n // 2, 1), (3 * n, 1), (n - 1, 1), (10**5, 1)):
        lacking = k - n + 1
        wanted = min(n, lacking * reach) if lacking > 0 else 0
        assert ours(points, k, 0.1, reach) == (wanted, wanted)


def test_rows_far_apart_all_count():
    points = np.arange(50.0)[:, None] * [3, 0]
    assert ours(points, 1, 0.5, 1) == (50, 50)


def test_a_circle_of_pairs_counts_for_a_fraction():
    """Every interval of the circle unrolled holds two of three in a row: a half of each."""
    points = np.array([[0.0], [0.15], [0.3], [0.45], [0.6]])
    assert capped_by_definition(points, 1, 0.1, 1) == 3
    assert_brackets(ours(points, 1, 0.1, 1), 3)


def test_the_order_of_rows_does_not_matter():
    rng, points = np.random.default_rng(7), some_table(2, 8, 80)
    assert len({ours(rng.permutation(points), 6, 0.06, 1) for _ in range(6)}) == 1


@pytest.mark.parametrize("d", [1, 2, 7, 16, 24])
@pytest.mark.parametrize("radius", [1e-140, 1e-9, 0.3, 0.99, 1e150])
def test_odd_tables_are_counted(d, radius):
    definition = OutlierDefinition(min_neighbors=3, radius=radius)
    corners = np.array([np.zeros(d), np.ones(d), np.zeros(d), np.ones(d), np.full(d, 0.5)])
    for points in (np.empty((0, d)), corners[:1], corners[1:2], np.zeros((5, d)), np.ones((2, d)), corners):
        q = outliers_by_definition(points, 3, radius)
        value = capped_count(points, definition, 1, about=5)
        assert 0 <= value <= 64 * q
        assert value == 64 * q or q > 1
        if radius > 1e-100:
            assert abs(value - 32 * sum(count_of_reach(points, definition, 1))) <= 1


@pytest.mark.parametrize("reach", [1, 2, 2**31, 2**32])
@pytest.mark.parametrize("k", [1, 2, 10**5])
def test_large_numbers_are_counted(k, reach):
    for d in (1, 2):
        points = np.full((300, d), 0.3) + np.repeat([0, 0.15, 0.3], 100)[:, None]
        q = 300 if k == 10**5 else 0
        assert ours(points, k, 0.1, reach) == (q, q)


def test_rows_as_far_out_as_can_be_keep_to_the_reach():
    points = np.array([[1e150, 0], [-1e150, 0], [0, 0]])
    radius = 1e150 / np.sqrt(2) * (1 + 1e-9)
    assert ours(points, 1, radius, 1) == (0, 0)
    assert ours(points[:2], 1, radius, 1) == (1, 1)


@pytest.mark.parametrize("further", [1e3, 1e8, 5e8])
def test_rows_far_out_count_as_much(further):
    points = np.round(some_table(2, 9, 40) * 2**8) / 2**8
    low, _ = ours(points, 5, 0.1, 1)
    low_there, high_there = ours(points + further, 5, 0.1, 1)
    assert abs(low - low_there) < 12  # the origin of the lattice is another one
    assert high_there <= outliers_by_definition(points, 5, 0.1)


def test_count_of_reach_refuses_what_it_cannot_count():
    definition, points = OutlierDefinition(min_neighbors=2, radius=0.1), np.zeros((2, 2))
    for reach in (0, -1, 1.0, True):
        with pytest.raises(InputError, match="reach must be"):
            count_of_reach(points, definition, reach)
    with pytest.raises(InputError, match="side must be"):
        count_of_reach(points, definition, 1, side="beside")
    with pytest.raises(InputError, match="up to 24 columns"):
        count_of_reach(np.zeros((2, MOST_COLUMNS + 1)), definition, 1)
    with pytest.raises(InputError, match="missing"):
        count_of_reach(np.array([[np.nan, 0.0]]), definition, 1)
    with pytest.raises(InputError, match="too small"):
        count_of_reach(points + FURTHEST, definition, 1)
