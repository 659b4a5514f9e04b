"""Heavy covers, complete and with all their rows, whichever looks leave out rows and however little room there is."""

from collections import Counter
from fractions import Fraction
from math import lcm

import numpy as np
import pytest

from eremite.reach import counting, covers, windows
from eremite.reach.covers import Covers, Places, ratio_for
from eremite.reach.lattice import Lattice, cover_names
from eremite.reach.windows import Windows
from tests.attacks.reach_by_definition import windows_by_definition
from tests.attacks.reach_tables import ours


def outliers_of_clusters(d, n, seed, strata=1, further=0.0, most=4):
    """Places in clusters: some covers are heavy, most are light, rows are equal now and then."""
    rng = np.random.default_rng(seed)
    centers = rng.random((max(2, n // 8), d)) * 6
    points = centers[rng.integers(len(centers), size=n)] + rng.normal(0, 0.3, (n, d)) + further
    points[rng.integers(n, size=n // 10)] = points[0]
    return Places.gathered(points, np.sort(rng.integers(0, strata, n)), rng.integers(1, most + 1, n))


def all_covers(outliers, radius, ratio):
    """The rows of each cover, found without any look: by stratum and name."""
    d = outliers.points.shape[1]
    lattice, names = Lattice.of(d, ratio * radius, radius), np.empty(20_000, np.uint64)
    held = {}
    for i, row in enumerate(outliers.points):
        for name in names[: cover_names(row, *lattice.size, names)].tolist():
            held.setdefault((int(outliers.strata[i]), name), []).append(i)
    return [tuple(rows) for rows in held.values()]


def heavy_ones(all_of_them, outliers, reach):
    """Those that hold more than the reach in 1 / c, exactly."""
    unit = lcm(*set(outliers.gaps.tolist()))
    weighed = [unit // c * m for c, m in zip(outliers.gaps.tolist(), outliers.copies.tolist(), strict=True)]
    return {rows for rows in set(all_of_them) if sum(weighed[i] for i in rows) > unit * reach}


def found_by(some, outliers):
    """The places of each cover that is said to be heavy, by their numbers among all."""
    parts = list(some)
    numbers = {kind: number for number, kind in enumerate(kinds(outliers))}
    places = np.array([numbers[kind] for kind in kinds(some.crowded)], np.int64)
    return [
        tuple(sorted(places[part.rows[begin:end]].tolist()))
        for part in parts
        for begin, end in zip(part.begins[:-1], part.begins[1:], strict=True)
    ]


def kinds(some):
    """What tells the places apart."""
    return list(zip(some.strata.tolist(), map(tuple, some.points.tolist()), some.gaps.tolist(), strict=True))


def assert_complete(outliers, radius, reach, ratio=None):
    ratio = ratio or max(0.3, ratio_for(outliers.points.shape[1], 1))
    everything = all_covers(outliers, radius, ratio)
    made = Covers(outliers, radius, reach, ratio)
    found = found_by(made, outliers)
    times, names = Counter(found), Counter(everything)
    assert set(times) >= heavy_ones(everything, outliers, reach)
    assert all(times[rows] <= names[rows] for rows in times)  # for each name at most
    assert found_by(made, outliers) == found  # as often as it is asked for


@pytest.mark.parametrize("further", [0.0, 1e5, 1e8, 5e9])
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_heavy_covers_are_found_with_all_their_rows(d, further):
    for strata, reach in ((1, 1), (3, 2)):
        assert_complete(outliers_of_clusters(d, 90 if d < 5 else 40, d, strata, further), 0.5, reach, 0.6)


PATHS = {
    "ranges of names halved": {"MOST_EMITTED": 1},
    "found anew": {"MOST_KEPT": 0},
    "few slots": {"MOST_SLOTS": 16, "_FEWEST_SLOTS": 16},
    "nothing remembered": {"MOST_REMEMBERED": 0},
    "little remembered": {"MOST_REMEMBERED": 100},
    "one slot": {"MOST_SLOTS": 1, "_FEWEST_SLOTS": 1},
    "no coarse lattice": {"_FEWER": 1e9},
    "every coarse lattice": {"_FEWER": 1.5},
    "nobody left alone": {"_in_company": lambda outliers, *_: np.arange(len(outliers))},
    "all at once": {"MOST_EMITTED": 1, "MOST_KEPT": 0, "MOST_SLOTS": 16, "_FEWEST_SLOTS": 16},
    "no look": {
        "_FEWER": 1e9,
        "_in_company": lambda outliers, *_: np.arange(len(outliers)),
        "MOST_SLOTS": 1,
        "MOST_REMEMBERED": 0,
    },
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_heavy_covers_are_the_same_on_every_path(d, path, monkeypatch):
    take(path, monkeypatch)
    assert_complete(outliers_of_clusters(d, 40, 7, 2), 0.6, 1, 0.5)


def take(path, monkeypatch):
    for name, value in PATHS[path].items():
        monkeypatch.setattr(covers, name, value)


def test_count_of_reach_is_the_same_on_every_path(monkeypatch):
    rng = np.random.default_rng(9)
    points = rng.random((12, 2))[rng.integers(12, size=90)] + rng.normal(0, 0.04, (90, 2))
    starts = np.array([0, 45, 45, 90])
    count = ours(points, 9, 0.08, 1, starts)
    assert count[1] < 60
    for path in PATHS:
        with monkeypatch.context() as patch:
            take(path, patch)
            low, high = ours(points, 9, 0.08, 1, starts)
            assert max(low, count[0]) <= min(high, count[1])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("d", [1, 2, 3, 4, 6])
def test_heavy_covers_are_found_in_many_tables(d, seed):
    for further in (0.0, 1e6, 3e10):
        for most, reach in ((1, 1), (1, 3), (9, 1), (400, 1)):
            assert_complete(outliers_of_clusters(d, 150, seed, 1 + seed % 3, further, most), 0.4, reach)


@pytest.mark.parametrize("d", [2, 3])
def test_heavy_covers_hold_rows_as_far_apart_as_covers_reach(d):
    """Two rows at opposite ends of a cover, far from the origin, where rounding makes it larger."""
    rng, ratio = np.random.default_rng(d), ratio_for(d, 1)
    for further in (1e6, 1e9, 5e10):
        for _ in range(20):
            center, direction = rng.uniform(-1, 1, d) * further, rng.normal(size=d)
            half = direction / np.linalg.norm(direction) * (1 + ratio)
            ends = [center + half * (1 - much) * sign for much in (0, 1e-3, 1e-2, 0.1) for sign in (1, -1)]
            assert_complete(alone(np.array(ends)), 1.0, 1)


def parts_of_rows(points):
    return points, np.zeros(len(points), np.int64), np.ones(len(points), np.int64)


def alone(points):
    """Rows of one stratum that lack one neighbor each, a place for each of them."""
    return Places(*parts_of_rows(points), np.ones(len(points), np.int64))


@pytest.mark.parametrize("equal", [16, 17, 40])
def test_a_slot_holds_whatever_is_put_in(equal, monkeypatch):
    """Whether a slot is as large as 8 million rows of one place need it is tried with larger weights."""
    monkeypatch.setattr(covers, "UNIT", 2**27)
    assert_complete(alone(0.3 + 1e-9 * np.arange(2 * equal).reshape(equal, 2)), 0.1, 1)
    assert_complete(Places.gathered(*parts_of_rows(np.full((equal, 2), 0.3))), 0.1, 1)


def test_weights_are_rounded_up():
    gaps = np.array([1, 2, 3, 7, 255, 256, 257, 10**6, 2**32])
    for copies in (1, 2, 300, 2**32):
        some = Places(np.zeros((9, 2)), np.zeros(9, np.int64), gaps, np.full(9, copies))
        for weight, c in zip(covers.weights_of(some).tolist(), gaps.tolist(), strict=True):
            assert 0 <= Fraction(weight, covers.UNIT) - Fraction(copies, c) < Fraction(1, covers.UNIT)


def windows_found(outliers, radius, reach):
    return {frozenset(rows) for rows in found_by(Windows(outliers, radius, reach), outliers)}


@pytest.mark.parametrize("together", [1, 5, 1 << 24])
def test_windows_are_all_heavy_intervals_that_no_other_contains(together, monkeypatch):
    monkeypatch.setattr(windows, "MOST_TOGETHER", together)
    for seed, (radius, reach) in enumerate([(0.3, 1), (0.3, 3), (0.05, 1), (5.0, 2)]):
        some = outliers_of_clusters(1, 70, seed, strata=3)
        intervals = set()
        for stratum in range(3):
            rows = np.flatnonzero(some.strata == stratum)
            intervals |= {
                frozenset(rows[list(one)].tolist()) for one in windows_by_definition(some.points[rows], radius)
            }
        heavy = heavy_ones({tuple(one) for one in intervals}, some, reach)
        widest = {frozenset(one) for one in heavy if not any(set(one) < other for other in intervals)}
        found = windows_found(some, radius, reach)
        assert widest <= found <= intervals


def test_windows_hold_rows_at_a_distance_of_exactly_two_radii():
    some = alone(np.array([[0.1], [0.3], [0.5]]))
    assert windows_found(some, 0.2, 1) == {frozenset({0, 1, 2})}


@pytest.mark.parametrize("d", [1, 2, 9, 10, 11, 16, 24])
def test_ratio_grows_with_the_rows_alone(d):
    ratios = [ratio_for(d, rows) for rows in (0, 1, 10**6, 10**8, 10**10, 10**13)]
    assert ratios == sorted(ratios)
    assert ratios[0] == ratios[1] > 0
    assert covers.covers_of_a_row(d, ratios[0]) <= 10**4
    assert 9 < covers.covers_of_a_row(d, ratios[-1]) <= max(10, 2 * covers.thickness(d))


def test_many_rows_in_one_column_have_covers_of_a_lattice(monkeypatch):
    rng = np.random.default_rng(1)
    points = np.round(rng.random((40, 1)), 2)
    low, _ = ours(points, 4, 0.02, 1)
    monkeypatch.setattr(counting, "_MOST_IN_WINDOWS", 0)
    _, high = ours(points, 4, 0.02, 1)
    assert high <= low + 1 / 32  # every interval of length 2 R is in a cover
    assert high >= low - 4
