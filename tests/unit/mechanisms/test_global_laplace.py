"""Discrete Laplace noise: the closed form against the sum it comes from, and against OpenDP's sampler."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import exp, expm1, fsum

import opendp.prelude as dp
import pytest
from flint import arb, ctx, fmpq
from scipy.stats import chi2_contingency

from eremite.errors import InputError
from eremite.mechanisms import GlobalLaplace
from eremite.mechanisms.global_laplace import laplace_below

RATES = [Fraction(1, 50), Fraction(1, 3), Fraction(1), Fraction(20)]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("z", [-40, -3, -1, 0, 1, 2, 17, 200])
def test_laplace_below_is_the_sum_of_the_masses(rate, z):
    """2,500 terms on each side: what is left out is below 1e-21."""
    masses = [exp(-float(rate) * abs(i)) for i in range(-2500, 2501)]
    low, high = laplace_below(z, 100, rate)
    assert high - low <= 2
    assert low / 2**100 == pytest.approx(fsum(masses[: z + 2501]) / fsum(masses), rel=1e-11)


@pytest.mark.parametrize("rate", RATES)
def test_laplace_below_encloses_tails_that_floats_lose(rate):
    """P(Z <= z) = e^(rate z) / (1 + e^-rate) far out, by ball arithmetic of its own."""
    low, high = laplace_below(-1000, 40_000, rate)
    with ctx.workprec(41_000):
        ball = arb(fmpq(rate.numerator, rate.denominator))
        exact = (-1000 * ball).exp() / (1 + (-ball).exp()) * arb(2) ** 40_000
        assert low <= exact <= high


@pytest.mark.parametrize("bound", [Fraction(1), Fraction(3), Fraction(31)])
def test_neighboring_masses_have_the_ratio_that_privacy_asks_for(bound):
    """A step of the bound costs e^epsilon and no more."""
    epsilon, n = Fraction(3, 4), 300
    below = [laplace_below(z, n, epsilon / bound)[0] for z in range(-100, 101)]
    masses = [Fraction(high - low, 1 << n) for low, high in pairwise(below)]
    ratios = [float(near / far) for near, far in zip(masses, masses[int(bound) :], strict=False)]
    assert max(ratios) == pytest.approx(exp(0.75), rel=1e-12)
    assert min(ratios) == pytest.approx(exp(-0.75), rel=1e-12)


def pooled(one, other, least=40):
    """Two samples as a table of counts; values too rare to count go to the ends."""
    total = Counter(one) + Counter(other)
    kept = [value for value, count in total.items() if count >= least]
    low, high = min(kept), max(kept)
    clipped = [Counter(min(max(y, low), high) for y in sample) for sample in (one, other)]
    return [[sample[y] for y in range(low, high + 1)] for sample in clipped]


def opendp_draws(scale, n):
    dp.enable_features("contrib")
    laplace = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=scale)
    return laplace([0] * n)


@pytest.mark.long
def test_draws_agree_with_those_of_opendp(seeded):
    """Two samples of 20,000, chi-square at 1e-9: OpenDP cannot be seeded, so one run in a billion fails.

    A scale 25 % off has a noncentrality of about 450, far beyond the critical 150: it is rejected as surely.
    """
    seeded(7)
    ours = [GlobalLaplace(Fraction(1, 2)).draw(0, Fraction(2)) for _ in range(20_000)]
    assert chi2_contingency(pooled(ours, opendp_draws(4.0, 20_000))).pvalue > 1e-9
    assert chi2_contingency(pooled(ours, opendp_draws(5.0, 20_000))).pvalue < 1e-9


def test_draw_has_the_distribution_that_opendp_states():
    """OpenDP: P(z) = (e^(1/s) - 1) / (e^(1/s) + 1) e^(-|z|/s), s the scale."""
    scale, n = Fraction(4), 200
    below = [laplace_below(z, n, 1 / scale)[0] for z in range(-61, 61)]
    for z, (low, high) in enumerate(pairwise(below), start=-60):
        stated = expm1(1 / 4) / (exp(1 / 4) + 1) * exp(-abs(z) / 4)
        assert float(Fraction(high - low, 1 << n)) == pytest.approx(stated, rel=1e-12)


def test_draw_with_a_bound_of_zero_is_the_center_alone(feed):
    feed()
    assert GlobalLaplace(Fraction(1)).draw(7, Fraction(0)) == 7


def test_mechanism_takes_the_global_bound_and_a_positive_epsilon():
    assert GlobalLaplace(0.1).decay is None
    assert GlobalLaplace(0.1).epsilon == Fraction(1, 10)
    with pytest.raises(InputError, match="epsilon must be above 0"):
        GlobalLaplace(0)
