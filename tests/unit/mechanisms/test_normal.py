"""Normal noise: its distribution function, what is refused, what is drawn."""

from fractions import Fraction
from math import exp, log, pi, sqrt

import pytest
from scipy.integrate import quad
from scipy.stats import norm

from eremite.errors import InputError
from eremite.mechanisms import Gaussian, GlobalGaussian, PaperGaussian
from eremite.mechanisms.normal import draw_normal, half_width, rounded_below


@pytest.mark.parametrize("deviation", [Fraction(1, 3), Fraction(2), Fraction(40)])
@pytest.mark.parametrize("y", [-30, 4, 5, 6, 31])
def test_rounded_below_is_the_integral_of_the_density(y, deviation):
    """P(Y <= y) = P(5 + deviation Z < y + 1/2)."""
    steps = (y - 5 + 0.5) / float(deviation)
    low, high = rounded_below(y, 120, 5, deviation)
    assert high - low <= 2
    from_middle = quad(lambda z: exp(-z * z / 2) / sqrt(2 * pi), 0, min(max(steps, -40), 40), points=[-5, 5])[0]
    assert low / 2**120 == pytest.approx(0.5 + from_middle, abs=1e-9)
    assert low / 2**120 == pytest.approx(norm.cdf(steps), rel=1e-9, abs=1e-35)


def test_rounded_below_sees_tails_that_floats_lose():
    """40 standard deviations out P is about e^-804.6; no float holds it, its logarithm does."""
    low, high = rounded_below(-1, 1400, 0, Fraction(1, 80))
    assert 0 < low <= high <= low + 2
    assert log(low) - 1400 * log(2) == pytest.approx(norm.logcdf(-40), rel=1e-12)


@pytest.mark.parametrize("side", [-1, 0, 1])
@pytest.mark.parametrize("y", [-3, 4, 5, 9])
def test_draw_normal_follows_its_distribution_function(feed, y, side):
    low, _ = rounded_below(y, 128, 5, Fraction(7, 3))
    bits = low + side
    feed(bits >> 64, bits & (1 << 64) - 1, 0)
    assert draw_normal(5, Fraction(7, 3)) == (y + 1 if side == 1 else y)


def test_draw_normal_without_deviation_is_the_center(feed):
    feed()
    assert draw_normal(7, Fraction(0)) == 7


@pytest.mark.parametrize("mechanism", [Gaussian, PaperGaussian, GlobalGaussian])
@pytest.mark.parametrize("delta", [0, 1, -0.1, 2])
def test_gaussians_refuse_a_delta_that_is_none(mechanism, delta):
    with pytest.raises(InputError, match="needs a delta above 0 and below 1"):
        mechanism(Fraction(1, 2), delta)


@pytest.mark.parametrize("epsilon", [1, 1.0, 2, "20"])
def test_paper_gaussian_refuses_what_its_theorem_does_not_cover(epsilon):
    with pytest.raises(InputError, match="proved for epsilon below 1 only"):
        PaperGaussian(epsilon, 0.01)


def test_global_gaussian_refuses_an_epsilon_too_large_for_its_theorem():
    with pytest.raises(InputError, match="does not hold for an epsilon as large as this"):
        GlobalGaussian(20, 0.01)


def test_half_width_holds_95_percent_of_normal_noise():
    for share in (0.5, 0.95, 0.999):
        assert 2 * norm.cdf(half_width(share)) - 1 == pytest.approx(share, abs=1e-12)
