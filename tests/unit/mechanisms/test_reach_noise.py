"""Noise of a public scale: its law, its public figures and its draws, against sums written out."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import arb, fmpq

from eremite.errors import InputError
from eremite.ledger.zcdp import largest_rho
from eremite.mechanisms import ReachGaussian, ReachLaplace
from eremite.mechanisms.discrete_normal import discrete_tail
from eremite.mechanisms.margins import least, surely_at_most, to_whole

TENTH, ONE, TWENTY = Fraction(1, 10), Fraction(1), Fraction(20)
SLACK, DELTA = Fraction(1, 32), Fraction(1, 10**6)
NOISES = [
    ReachLaplace(ONE, 1 + SLACK),
    ReachLaplace(ONE, 8 + SLACK),
    ReachLaplace(TENTH, 2 + SLACK),
    ReachLaplace(TWENTY, 1 + SLACK),
    ReachLaplace(TWENTY, 3 + SLACK),
    ReachLaplace(ONE, 1 + SLACK, 256),
    ReachGaussian(ONE, DELTA, 1 + SLACK),
    ReachGaussian(TWENTY, DELTA, 1 + SLACK),
    ReachGaussian(TWENTY, Fraction(1, 2), 1 + SLACK),
]


@cache
def tails(noise):
    """P(Z >= z) for z = 0, 1, ... until 1e-18: sums of the masses that the definition gives, from the small ones on."""
    z = np.arange(int(45 * noise.scale * noise.fineness))
    if isinstance(noise, ReachLaplace):
        weights = np.exp(-z * float(noise.rate))
    else:
        weights = np.exp(-((z / float(noise.sigma * noise.fineness)) ** 2) / 2)
    sums = np.cumsum(weights[::-1])[::-1]
    return sums / (2 * sums[0] - weights[0])


def at_least(noise, z):
    """P(Z >= z) for any integer z."""
    if z <= 0:
        return 1 - at_least(noise, 1 - z)
    return tails(noise)[z] if z < len(tails(noise)) else 0.0


def released_at_least(noise, y, units):
    """P(floor((units + Z) / g + 1/2) >= y), by the definition of rounding."""
    return at_least(noise, noise.fineness * y - noise.fineness // 2 - units)


def covered(noise, h, f):
    """P(|R - v| <= h) for v = f / g, f from 0 to g - 1."""
    low = -h if f == 0 else 1 - h
    return released_at_least(noise, low, f) - released_at_least(noise, h + 1, f)


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_tail_encloses_the_sum_of_the_masses(noise):
    for z in (1, 2, 31, 32, 33, 64, 100, 200):
        enclosed = noise.tail(z)
        assert float(enclosed.lower()) - 1e-14 <= at_least(noise, z) <= float(enclosed.upper()) + 1e-14


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000)])
@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_half_width_covers_the_noise_wherever_the_value_lies_and_one_less_does_not(noise, share):
    h = noise.half_width(share)
    assert min(covered(noise, h, f) for f in range(noise.fineness)) >= share
    assert min(covered(noise, h - 1, f) for f in range(noise.fineness)) < share


@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000)])
@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_answer_less_the_margin_is_at_most_the_count_for_all_values_a_solver_may_find(noise, confidence):
    """v <= q + 1/g for the true count q = 0, on the grid down to three below."""
    g, t, most = noise.fineness, noise.margin_below(confidence), float(1 - confidence)
    assert max(released_at_least(noise, t + 1, units) for units in range(-3 * g, 2)) <= most
    if t:
        assert released_at_least(noise, t, 1) > most


def test_figures_are_those_that_a_hand_computes():
    """Two masses e^-x over 1 + e^-r, about: the margin is where that falls below a twentieth."""
    noise = ReachLaplace(ONE, 8 + SLACK)
    assert noise.scale == Fraction(257, 32)
    assert (noise.half_width(), noise.margin_below()) == (25, 19)
    assert noise.half_width(0.95) == noise.half_width("19/20") == 25


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), TENTH, TWENTY])
@pytest.mark.parametrize("reach", [1, 2**32])
@pytest.mark.parametrize("fineness", [64, 2**20])
def test_figures_of_extreme_scales_are_those_of_the_continuous_law(epsilon, reach, fineness):
    noise = ReachLaplace(epsilon, reach + SLACK, fineness)
    gaussian = ReachGaussian(epsilon, DELTA, reach + SLACK, fineness)
    assert float(noise.half_width() / noise.scale) == pytest.approx(2.9957, abs=1e-4 + float(2 / noise.scale))
    assert float(noise.margin_below() / noise.scale) == pytest.approx(2.3026, abs=1e-4 + float(2 / noise.scale))
    assert float(gaussian.half_width() / gaussian.scale) == pytest.approx(1.95996, abs=1e-4 + float(2 / gaussian.scale))
    assert float(gaussian.margin_below() / gaussian.scale) == pytest.approx(
        1.64485, abs=1e-4 + float(2 / gaussian.scale)
    )


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(ONE, DELTA), (Fraction(1, 10**6), Fraction(1, 10**100)), (TWENTY, TENTH)]
)
@pytest.mark.parametrize("sensitivity", [1 + SLACK, 1 + 10**9 * ONE])
def test_gaussian_scale_is_the_least_that_the_conversion_certifies(epsilon, delta, sensitivity):
    noise = ReachGaussian(epsilon, delta, sensitivity)
    assert noise.rho == sensitivity**2 / (2 * noise.sigma**2) <= largest_rho(epsilon, delta)
    assert noise.rho * Fraction(4097, 4096) > largest_rho(epsilon, delta)


@pytest.mark.parametrize("deviation", [ONE, Fraction(7, 3), Fraction(50)])
def test_normal_tail_encloses_the_discrete_one(deviation):
    """Down to a deviation of 1, which no release comes near."""
    weights = {
        z: float((arb(fmpq(-(z**2), 2)) / arb(fmpq(*(deviation**2).as_integer_ratio()))).exp())
        for z in range(-600, 601)
    }
    for z in (1, 2, 5, 30, 100):
        share = sum(weight for at, weight in weights.items() if at >= z) / sum(weights.values())
        enclosed = discrete_tail(z, deviation)
        assert float(enclosed.lower()) <= share <= float(enclosed.upper())


def test_rounding_is_to_the_nearest_whole_number_and_halves_go_up():
    assert [to_whole(units, 64) for units in (-97, -96, -33, -32, -31, 0, 31, 32, 95, 96)] == [
        -2,
        -1,
        -1,
        0,
        0,
        0,
        0,
        1,
        1,
        2,
    ]


def test_search_finds_the_least_number_of_a_claim():
    assert [least(lambda n, at=at: n >= at, 1) for at in (-3, 1, 2, 3, 17, 1000)] == [1, 1, 2, 3, 17, 1000]


def test_undecided_comparison_counts_as_no():
    assert not surely_at_most(lambda: arb(0).union(arb(1)), Fraction(1, 2))
    assert surely_at_most(lambda: arb(1) / 3, Fraction(1, 2))
    assert not surely_at_most(lambda: arb(2) / 3, Fraction(1, 2))


@pytest.mark.parametrize("share", [0, 1, -1, 2, "much"])
def test_share_must_be_one(share):
    with pytest.raises(InputError, match="share must be"):
        NOISES[0].half_width(share)


def test_gaussian_needs_a_delta():
    with pytest.raises(InputError, match="reach-gaussian needs a delta above 0"):
        ReachGaussian(ONE, Fraction(0), ONE)


def test_draw_adds_noise_on_the_grid_and_rounds(monkeypatch):
    for module in ("reach_laplace.draw_integer", "reach_gaussian.draw_discrete_normal"):
        monkeypatch.setattr(f"eremite.mechanisms.{module}", lambda *_: -33)
    assert [noise.draw(units) for noise in NOISES[::8] for units in (0, 1, 64 * 5, 64 * 5 + 1)] == [-1, 0, 4, 5] * 2


def test_laplace_draw_is_one_of_the_discrete_law_with_the_scale_in_steps_of_the_grid(monkeypatch):
    asked = []
    monkeypatch.setattr("eremite.mechanisms.reach_laplace.laplace_below", lambda z, n, rate: asked.append((z, rate)))
    monkeypatch.setattr("eremite.mechanisms.reach_laplace.draw_integer", lambda enclose, start: enclose(7, 64) or start)
    assert ReachLaplace(Fraction(1, 3), 5 + SLACK, 256).draw(256 * 4) == 4
    assert asked == [(7, Fraction(1, 3) / 256 / (5 + SLACK))]
