"""Bounds from any solution at all: whole numbers that keep to every cover, and prices that leave nothing out."""

from fractions import Fraction

import numpy as np
import pytest

from eremite.reach import certificate
from eremite.reach.certificate import Scale, feasible, left_over
from tests.attacks.reach_by_definition import capped_program
from tests.unit.reach.heavy import apart, parts_of, some_covers

SMALL, LARGE = 3, 2**32  # what outliers lack: with the latter, Python's integers are taken


def hostile_task(seed, most):
    rng = np.random.default_rng(seed)
    n, reach = int(rng.integers(3, 9)), int(rng.integers(1, 3))
    gaps = rng.integers(max(1, most // 3), most + 1, n)
    return rng, gaps, some_covers(rng, n, int(rng.integers(1, 7)), 4), reach


def single(n):
    """One outlier in each of so many places."""
    return np.ones(n, np.int64)


def test_scale_is_of_64_bits_where_these_are_enough():
    assert Scale.of(np.full(1000, 5), single(1000), 8, 64).kind is np.int64
    assert Scale.of(np.full(5, 2**20), single(5), 8, 64).kind is np.int64
    assert Scale.of(np.full(10**6, 10**6), single(10**6), 8, 64).kind is object
    assert Scale.of(np.full(5, 2**32), single(5), 2**32, 2**40).kind is object
    assert Scale.of(np.empty(0, np.int64), single(0), 1, 64).digits > 50


@pytest.mark.parametrize("scale", [Scale(55, np.int64), Scale(28, np.int64), Scale(60, np.int64), Scale(120, object)])
def test_wholes_are_rounded_down(scale):
    rng = np.random.default_rng(1)
    values = [0.0, 5e-324, 2.0**-1022, 2.0**-70, 1 - 2.0**-53, 1.0, 0.5, 1 / 3, *rng.random(20), *rng.random(5) * 1e-12]
    wholes = scale.wholes(np.array(values))
    assert [int(whole) for whole in wholes] == [int(Fraction(value) * 2**scale.digits) for value in values]


@pytest.mark.parametrize("scale", [Scale(55, np.int64), Scale(60, np.int64), Scale(120, object)])
def test_wholes_of_large_numbers_are_no_larger(scale):
    for value in (1.5, 3.0, 100.0, 2.0**40, 1e300):
        assert 0 < int(scale.wholes(np.array([value]))[0]) <= int(value * 2) << scale.digits


PROPOSALS = {
    "all": lambda rng, gaps: 1 / gaps,
    "nothing": lambda rng, gaps: np.zeros(len(gaps)),
    "too much": lambda rng, gaps: np.full(len(gaps), 1e9),
    "negative": lambda rng, gaps: -1 / gaps,
    "anything": lambda rng, gaps: rng.normal(0, 1, len(gaps)),
    "hardly anything": lambda rng, gaps: np.full(len(gaps), 5e-324),
}


@pytest.mark.parametrize("tries", [0, 2])
@pytest.mark.parametrize("most", [1, SMALL, LARGE])
@pytest.mark.parametrize("proposal", PROPOSALS)
def test_feasible_keeps_to_every_cover(proposal, most, tries, monkeypatch):
    monkeypatch.setattr(certificate, "_TRIES", tries)
    for seed in range(8):
        rng, gaps, covers, reach = hostile_task(seed, most)
        copies = rng.integers(1, 4, len(gaps))
        for scale in (Scale.of(gaps, copies, reach, 64), Scale.of(gaps, copies, reach, 2**40)):
            u = PROPOSALS[proposal](rng, gaps)
            whole = [int(one) for one in feasible(u, gaps, copies, reach, parts_of(covers), scale)]
            all_of_it = [m << scale.digits for m in copies.tolist()]
            assert all(0 <= one * c <= m for one, c, m in zip(whole, gaps.tolist(), all_of_it, strict=True))
            assert all(sum(whole[i] for i in cover) <= reach << scale.digits for cover in covers)


def test_feasible_keeps_what_is_feasible():
    scale = Scale(40, np.int64)
    u = np.array([0.25, 0.5, 0.25, 1.0])
    whole = feasible(u, np.array([1, 2, 3, 1]), single(4), 1, parts_of([[0, 1, 2]]), scale)
    assert (whole == u * 2**40).all()


def test_feasible_loses_little_of_what_holds_hardly_too_much():
    scale, n = Scale(50, np.int64), 7
    covers = [[i, (i + 1) % n] for i in range(n)]
    whole = feasible(np.full(n, 0.5 * (1 + 1e-9)), single(n), single(n), 1, parts_of(covers), scale)
    assert n / 2 - 1e-6 < int(whole.sum()) / 2**50 <= n / 2


PRICES = {
    "none": lambda rng, size: np.zeros(size),
    "some": lambda rng, size: rng.random(size) * 2,
    "high": lambda rng, size: np.full(size, 4 / size),
    "one": lambda rng, size: np.eye(1, size)[0],
    "tiny": lambda rng, size: np.full(size, 1e-300),
}


@pytest.mark.parametrize("most", [1, SMALL, LARGE])
@pytest.mark.parametrize("prices", PRICES)
def test_prices_bound_the_program_whatever_they_are(prices, most):
    for seed in range(8):
        rng, gaps, covers, reach = hostile_task(seed, most)
        copies = rng.integers(1, 3, len(gaps))
        wanted = capped_program(*apart(gaps, copies, covers), reach)
        for fineness in (64, 2**40):
            scale = Scale.of(gaps, copies, reach, fineness)
            members = [np.array(cover, np.int32) for cover in covers]
            wholes = scale.wholes(PRICES[prices](rng, len(covers)))
            left = left_over(wholes, members, gaps, copies, scale)
            assert all(0 <= int(one) <= int(m) << scale.digits for one, m in zip(left, copies, strict=True))
            bound = reach * sum(int(one) for one in wholes) + sum(int(one) for one in left)
            assert Fraction(bound, 1 << scale.digits) >= wanted


def test_prices_that_are_optimal_bound_the_program_closely():
    """Five outliers on a circle, pairs in covers: a price of 1/2 for each pair leaves nothing of anybody."""
    covers, gaps = [[i, (i + 1) % 5] for i in range(5)], np.ones(5, np.int64)
    scale = Scale.of(gaps, single(5), 1, 64)
    wholes = scale.wholes(np.full(5, 0.5))
    assert int(left_over(wholes, [np.array(one, np.int32) for one in covers], gaps, single(5), scale).sum()) == 0
    assert Fraction(int(wholes.sum()), 1 << scale.digits) == capped_program([1] * 5, set(map(frozenset, covers)), 1)
