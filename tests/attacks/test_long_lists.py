"""Clumps whose rows see each other's rings: where lists are too long, f takes the place of C (claim L6).

Then two windows of one step share the triangles, and neither is part of the other. What the truss of one tells of edges
must not be used for the other (claim H10), or the smooth bound is too small for the count.
"""

from fractions import Fraction

import numpy as np
import pytest

from eremite.outliers import OutlierDefinition
from eremite.sensitivity import count_with_bound
from eremite.sensitivity import windows as windows_module

HALF = Fraction(1, 2)


def planet(center, clump, per):
    """`clump` equal rows, and five groups of `per` equal rows just within 1 of them, apart from each other."""
    angles = 2 * np.pi * np.arange(5) / 5
    ring = np.repeat(0.99 * np.stack([np.cos(angles), np.sin(angles)], axis=1), per, axis=0)
    return np.concatenate([np.zeros((clump, 2)), ring]) + center


def neighbors(k, planets, per, other):
    """Rows on rings of degree k around many clumps, of degree k - 1 around one; a row of the first clump leaves."""
    parts = [planet((10 * i, 0), k - per + 1, per) for i in range(planets)]
    rows = np.concatenate([*parts, planet((0, 50), k - other, other)])
    moved = rows.copy()
    moved[0] = (0, -100)
    return rows, moved, OutlierDefinition(min_neighbors=k, radius=1 / np.sqrt(2))


def assert_covered(rows, moved, definition):
    (count, bound), (other_count, other_bound) = (count_with_bound(x, definition, HALF) for x in (rows, moved))
    assert abs(count - other_count) <= min(bound, other_bound)


def test_bound_covers_the_count_where_lists_are_too_long(monkeypatch):
    monkeypatch.setattr(windows_module, "limits_for", lambda _: windows_module.Limits(1_400, 10**9, 256))
    monkeypatch.setattr(windows_module, "_MANY_LOOKS", 2)
    assert_covered(*neighbors(k=40, planets=2, per=4, other=2))


@pytest.mark.slow
def test_bound_covers_the_count_where_lists_are_too_long_for_a_release():
    assert_covered(*neighbors(k=5_000, planets=101, per=14, other=8))
