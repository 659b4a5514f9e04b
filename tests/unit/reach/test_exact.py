"""The program in fractions, against another solver whose answers are proved by duality."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from eremite.reach.exact import maximum, solved
from tests.attacks.reach_by_definition import maximum_in_fractions


def fraction(value):
    return Fraction(int(value.p), int(value.q))


def by_another_solver(gains, most, reach, covers):
    n = len(gains)
    rows = [[int(i in cover) for i in range(n)] for cover in covers] + np.eye(n, dtype=int).tolist()
    return maximum_in_fractions(gains, rows, [reach] * len(covers) + most)


def assert_solved(gains, most, reach, covers):
    fmpqs = [fmpq(one.numerator, one.denominator) for one in most]
    wanted = by_another_solver(gains, most, reach, covers)
    assert fraction(maximum(gains, fmpqs, reach, covers)) == wanted
    u = [fraction(value) for value in solved(gains, fmpqs, reach, covers)]
    assert all(0 <= value <= limit for value, limit in zip(u, most, strict=True))
    assert all(sum(u[i] for i in cover) <= reach for cover in covers)
    assert sum(gain * value for gain, value in zip(gains, u, strict=True)) == wanted


@pytest.mark.parametrize("seed", [*range(20), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20, 400))])
def test_maximum_is_that_of_another_solver(seed):
    rng = np.random.default_rng(seed)
    n, covers = int(rng.integers(1, 9)), int(rng.integers(0, 8))
    gains = rng.integers(1, (2, 5, 10**9)[seed % 3], n).tolist()
    most = [Fraction(int(copies), c) for copies, c in zip(rng.integers(1, (2, 6)[seed % 2], n), gains, strict=True)]
    some = [np.flatnonzero(rng.random(n) < 0.6).tolist() for _ in range(covers)]
    assert_solved(gains, most, int(rng.integers(1, 3)), [one for one in some if one])


@pytest.mark.parametrize("n", [3, 5, 7])
@pytest.mark.parametrize("together", [2, 3])
def test_maximum_of_a_circle_of_covers_is_a_fraction(n, together):
    """Every cover holds neighbors on a circle; all bases are degenerate."""
    covers = [[(i + step) % n for step in range(together)] for i in range(n)]
    assert_solved([1] * n, [Fraction(1)] * n, 1, covers + covers[:2])
    assert fraction(maximum([1] * n, [fmpq(1)] * n, 1, covers)) == Fraction(n, together)


def test_maximum_of_pairs_of_all_rows():
    covers = [[i, j] for i in range(6) for j in range(i)]
    for gains in ([1] * 6, [1, 2, 3, 3, 2, 1], [1, 1, 1, 1, 1, 10**12]):
        assert_solved(gains, [Fraction(1, gain) for gain in gains], 1, covers)
        assert_solved(gains, [Fraction(3, gain) for gain in gains], 1, covers)


def test_maximum_of_covers_in_one_another():
    covers = [list(range(size)) for size in range(1, 8)]
    assert_solved([7, 6, 5, 4, 3, 2, 1], [Fraction(1)] * 7, 2, covers)
    assert_solved([1, 2, 3, 4, 5, 6, 7], [Fraction(1)] * 7, 2, covers[::-1])


def test_maximum_without_covers_is_everything():
    assert_solved([3, 1], [Fraction(1, 3), Fraction(5)], 1, [])
