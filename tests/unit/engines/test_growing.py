"""Degrees at several radii against those of each radius alone, with ties and duplicates."""

import numpy as np
import pytest

from eremite.engines import Growing, find_neighbors, growing

RADII = [0.0, 0.05, 0.1, 0.1, 0.25, 1.0]


def rows(d, n=90):
    rng = np.random.default_rng(d)
    return np.ascontiguousarray(np.round(np.clip(rng.normal(0.5, 0.15, (n, d)), 0, 1), 2 if d > 1 else 4))


@pytest.mark.parametrize("few", [1, 1000])
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_every_radius_has_its_own_counts(monkeypatch, d, few):
    """Whether rows are counted all together or one by one, and whatever was counted before."""
    monkeypatch.setattr(growing, "_FEW", few)
    points = rows(d)
    for k in (1, 6):
        alone = [int(np.count_nonzero(find_neighbors(points, radius, k).degrees < k)) for radius in RADII]
        assert Growing(points).with_fewer(k, RADII) == alone
    several = Growing(points)
    for radius, cap in [(0.1, 9), (0.25, 9), (0.05, 9), (0.5, 4), (0.3, 9), (0.5, 2000)]:
        wanted, found = find_neighbors(points, radius, cap), several.at(radius, cap)
        assert np.array_equal(found.degrees, wanted.degrees)
        low = np.flatnonzero(wanted.degrees < min(cap, len(points)))
        assert same_lists(found, wanted, low)


def same_lists(one, two, low):
    parts = np.cumsum(two.degrees[low])[:-1]
    lists = (np.split(of.of(low), parts) for of in (one, two))
    return all(sorted(a.tolist()) == sorted(b.tolist()) for a, b in zip(*lists, strict=True))


def test_rows_with_enough_neighbors_are_not_counted_again(monkeypatch):
    counted = []
    plain = Growing._degrees
    monkeypatch.setattr(
        Growing, "_degrees", lambda self, some, *rest: counted.append(some.size) or plain(self, some, *rest)
    )
    several = Growing(rows(2))
    for radius in (0.05, 0.1, 0.5):
        several.at(radius, 5)
    assert counted[0] == 90 > counted[1] > counted[2]


def test_no_rows_have_no_neighbors():
    assert Growing(np.empty((0, 3))).with_fewer(2, [0.1, 0.2]) == [0, 0]
    assert Growing(np.empty((0, 3))).at(0.1, 3).degrees.size == 0
