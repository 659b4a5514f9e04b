"""Names of covers: of 64 bits, and told apart by rows where two covers share one."""

from itertools import pairwise

import numpy as np
import pytest

from eremite.reach import covers, lattice
from eremite.reach.covers import FURTHEST, Covers, Places, apart, ratio_for
from eremite.reach.lattice import Lattice, cover_names, covering_radius, period_of


@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize("d", range(1, 25))
def test_period_is_as_long_as_names_allow_and_tells_covers_apart(d, side):
    period = period_of(d)
    assert (d + 1) * period**d <= 2**64
    assert period >= 2**31 or (d + 1) * (2 * period) ** d > 2**64
    for rows in (1, 10**6, 10**9):
        ratio = ratio_for(d, rows, side)
        made = Lattice.of(d, ratio, 1.0)
        furthest = apart(np.full((1, d), FURTHEST), 1.0, ratio)
        assert np.sqrt(2) * period * made.unit > 2.03 * furthest


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_covers_have_the_same_name_if_and_only_if_their_lattice_points_are_periods_apart(d):
    made, names = Lattice.of(d, 0.5, 0.0), np.empty(64, np.uint64)
    rng = np.random.default_rng(d)
    assert made.grown == 0  # so each row is in the cells next to it alone
    seen = {}
    for row in rng.uniform(-5, 5, (400, d)):
        for name in names[: cover_names(row, *made.size, names)].tolist():
            seen.setdefault(name, []).append(row)
    for rows in seen.values():
        gaps = np.linalg.norm(np.array(rows) - rows[0], axis=1) / made.unit
        assert gaps.max() <= 2 * covering_radius(d) * (1 + 1e-6)


def heavy_covers(points, reach, radius=0.05, ratio=0.3):
    gaps, strata = np.ones(len(points), np.int64), np.zeros(len(points), np.int64)
    found = Covers(Places(points, strata, gaps, np.ones(len(points), np.int64)), radius, reach, ratio)
    places = {tuple(row): place for place, row in enumerate(points.tolist())}
    where = np.array([places[tuple(row)] for row in found.crowded.points.tolist()], np.int64)
    ends = [(part.rows, ends) for part in found for ends in pairwise(part.begins.tolist())]
    rows = {frozenset(where[rows[begin:end]].tolist()) for rows, (begin, end) in ends}
    return {one for one in rows if len(one) > reach}


@pytest.fixture
def short(monkeypatch):
    """Names repeat every eight units; rows lie over some hundred."""
    monkeypatch.setattr(lattice, "period_of", lambda d: 8)


@pytest.mark.parametrize("d", [1, 2])
def test_covers_that_share_a_name_are_told_apart(d, request):
    points = np.random.default_rng(d).random((400, d))
    wanted = heavy_covers(points, 3)
    request.getfixturevalue("short")
    assert len(wanted) > 20
    assert heavy_covers(points, 3) == wanted


@pytest.mark.parametrize("d", [1, 2])
def test_covers_that_share_a_name_would_be_one_without_that(d, monkeypatch, short):
    points = np.random.default_rng(d).random((400, d))
    wanted = heavy_covers(points, 3)
    monkeypatch.setattr(covers, "told_apart", lambda points, rows, begins, apart: (rows, begins))
    assert heavy_covers(points, 3) != wanted
