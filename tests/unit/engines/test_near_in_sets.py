"""Rows near candidates in many sets of columns, against one count for each set. Also runs with compilation off."""

from itertools import combinations

import numpy as np
import pytest

from eremite.engines import count_rows_near, count_rows_near_in_sets, near_in_sets
from tests.definition import are_neighbors


def up_to(d, size):
    return [one for number in range(1, size + 1) for one in combinations(range(d), number)]


def assert_counted(candidates, points, sets, radius):
    found = count_rows_near_in_sets(candidates, points, sets, radius)
    assert found.dtype == np.int64
    each = [count_rows_near(candidates[:, one], np.ascontiguousarray(points[:, one]), radius, 10**9) for one in sets]
    assert found.tolist() == np.array(each).reshape(len(sets), len(candidates)).T.tolist()
    return found


@pytest.mark.parametrize("radius", [0.25, 0.5, np.sqrt(0.5), np.nextafter(0.5, 0)])
def test_sets_are_counted_as_one_by_one_at_ties_and_duplicates(radius):
    points = np.random.default_rng(1).integers(0, 3, (60, 4)) / 2
    candidates = np.vstack([points[:3], points[3:5] + 0.25, np.full((1, 4), 9.0)])
    found = assert_counted(candidates, points, up_to(4, 4), radius)
    for one, counts in zip(up_to(4, 4), found.T, strict=True):
        near = [sum(are_neighbors(c, p, radius) for p in points[:, one]) for c in candidates[:, one]]
        assert counts.tolist() == near


def test_sets_are_counted_as_one_by_one_where_sums_round():
    """Distances tie in exact arithmetic and differ by the order of their sums: columns of all scales."""
    rng = np.random.default_rng(2)
    points = rng.integers(0, 4, (300, 5)) * np.array([0.1, 0.3, 1e-9, 0.7, 1e-3])
    total = ((points[0] - points) ** 2).sum(axis=1)
    radii = np.sqrt(np.unique(total)[1:6] / 5)
    for radius in radii:
        assert_counted(points[:2], points, up_to(5, 5), float(radius))


@pytest.mark.parametrize("block", [1, 7, 64])
def test_blocks_change_nothing(monkeypatch, block):
    """Compiled kernels took the block as it was; with compilation off every block size is seen."""
    monkeypatch.setattr(near_in_sets, "_BLOCK", block)
    rng = np.random.default_rng(3)
    assert_counted(rng.random((2, 3)), rng.random((50, 3)), up_to(3, 2), 0.3)


def test_more_rows_than_a_block_and_many_columns_are_counted():
    rng = np.random.default_rng(4)
    assert_counted(rng.random((2, 10)), rng.random((2_100, 10)), [(9,), (0, 4, 9), tuple(range(10))], 0.3)


def test_cell_that_is_no_number_is_near_in_no_set_that_uses_it():
    points = np.array([[0.5, np.nan], [0.5, 0.5]])
    found = count_rows_near_in_sets(np.full((1, 2), 0.5), points, [(0,), (1,), (0, 1)], 0.1)
    assert found.tolist() == [[2, 1, 1]]


def test_no_candidates_and_no_rows_are_counted_too():
    assert count_rows_near_in_sets(np.zeros((0, 2)), np.zeros((3, 2)), [(0,)], 0.1).shape == (0, 1)
    assert count_rows_near_in_sets(np.zeros((2, 2)), np.zeros((0, 2)), [(0,), (0, 1)], 0.1).tolist() == [[0, 0]] * 2
