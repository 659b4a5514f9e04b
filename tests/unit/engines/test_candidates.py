"""Rows near candidates against the definition. This file also runs with compilation off."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eremite.engines import candidates as module
from eremite.engines import count_neighbors, count_rows_near
from eremite.engines.pair import UNROLLED
from tests.definition import are_neighbors

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"
WIDTHS = (1, 2, 3, 5, UNROLLED, UNROLLED + 1, 12, 16, 20)


def near_by_definition(candidates, points, radius, cap):
    return [min(cap, sum(are_neighbors(c, p, radius) for p in points)) for c in candidates.tolist()]


def assert_counted(candidates, points, radius, caps=(0, 1, 2, 5, 10**9)):
    for cap in caps:
        found = count_rows_near(candidates, points, radius, cap)
        assert found.dtype == np.int64
        assert found.tolist() == near_by_definition(candidates, points.tolist(), radius, cap)


@pytest.mark.parametrize("d", WIDTHS)
def test_rows_near_follow_the_definition_on_a_lattice(d):
    """Ties and duplicates everywhere; candidates on rows, between rows and far away."""
    rng = np.random.default_rng(d)
    points = rng.integers(0, 3, (60, d)) / 2
    candidates = np.vstack([points[:5], points[5:8] + 0.25, np.full((1, d), 9.0)])
    for radius in (0.25, 0.5, 1 / np.sqrt(d)):
        assert_counted(candidates, points, radius)


@pytest.mark.parametrize("d", range(1, 21))
def test_rows_near_follow_the_definition_on_random_points(d):
    rng = np.random.default_rng(100 + d)
    assert_counted(rng.random((7, d)), rng.random((80, d)), 0.35, caps=(3, 80))


@given(
    st.integers(1, 11).flatmap(
        lambda d: st.tuples(
            st.lists(st.lists(st.integers(0, 2), min_size=d, max_size=d), min_size=1, max_size=5),
            st.lists(st.lists(st.integers(0, 2), min_size=d, max_size=d), min_size=1, max_size=9),
        )
    ),
    st.sampled_from([0.5, 1.0, np.sqrt(0.5), np.nextafter(1.0, 0)]),
    st.integers(0, 10),
)
@settings(max_examples=60)
def test_rows_near_follow_the_definition_at_ties(tables, radius, cap):
    candidates, points = (np.array(rows, dtype=float) for rows in tables)
    assert_counted(candidates, points, radius, caps=(cap,))


@pytest.mark.parametrize("d", [2, UNROLLED + 1])
def test_candidate_on_a_row_counts_it(d):
    """A row is near itself: one more than its degree, decided by the same expression as among rows."""
    points = np.random.default_rng(d).random((50, d))
    near = count_rows_near(points, points, 0.3, 10**6)
    assert (near == count_neighbors(points, 0.3, None) + 1).all()


@pytest.mark.parametrize("d", [1, 3, UNROLLED + 1])
@pytest.mark.parametrize("block", [1, 7, 50, 64])
def test_blocks_and_caps_change_nothing(monkeypatch, d, block):
    """Compiled kernels took the block as it was; with compilation off every block size is seen."""
    monkeypatch.setattr(module, "_BLOCK", block)
    rng = np.random.default_rng(9)
    assert_counted(rng.random((4, d)), rng.random((50, d)), 0.4)


@pytest.mark.skipif(not COMPILED, reason="too many rows for plain Python")
@pytest.mark.parametrize("d", [2, UNROLLED + 1])
def test_more_rows_than_a_block_are_all_counted(d):
    rng = np.random.default_rng(10)
    points, candidates = rng.random((10_000, d)), rng.random((6, d))
    total = ((candidates[:, None] - points[None]) ** 2).sum(axis=2)
    near = (total <= 0.2).sum(axis=1)
    radius = float(np.sqrt(0.2 / d))
    assert np.abs(total - radius * radius * d).min() > 1e-9  # no tie, so that the order of sums does not matter
    for cap in (0, 1, 4096, 5000, 10**9):
        assert (count_rows_near(candidates, points, radius, cap) == np.minimum(near, cap)).all()


@pytest.mark.parametrize("d", [1, UNROLLED + 1])
def test_no_candidates_and_no_rows_are_counted_too(d):
    assert count_rows_near(np.zeros((0, d)), np.zeros((3, d)), 0.1, 5).tolist() == []
    assert count_rows_near(np.zeros((2, d)), np.zeros((0, d)), 0.1, 5).tolist() == [0, 0]
