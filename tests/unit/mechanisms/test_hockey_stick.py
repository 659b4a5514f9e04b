"""Gaussian noise is certified by a divergence: here the divergence is integrated, and the certificates are used."""

from fractions import Fraction
from itertools import pairwise
from math import exp, log, sqrt

import numpy as np
import pytest
from flint import arb
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from eremite.intervals import as_arb, at_least
from eremite.mechanisms import Gaussian, GlobalGaussian, PaperGaussian
from eremite.mechanisms.hockey_stick import _piece, certified, divergence
from eremite.mechanisms.paper_gaussian import paper_steadiness

MILLIONTH = Fraction(1, 10**6)


def divergence_by_definition(epsilon, shift, b):
    """The integral of max(p - e^epsilon q, 0), piece by piece between the places where it begins and ends."""

    def gap(x):
        return norm.pdf(x) - exp(epsilon) * norm.pdf(x, shift, exp(b))

    grid = np.linspace(-39, 39, 20_001)
    signs = np.sign(gap(grid))
    turns = [brentq(gap, grid[i], grid[i + 1], xtol=1e-14) for i in np.flatnonzero(signs[1:] * signs[:-1] < 0)]
    ends = [-39, *turns, 39]
    pieces = [quad(gap, low, high, epsabs=1e-14, limit=500)[0] for low, high in pairwise(ends)]
    return sum(max(piece, 0) for piece in pieces)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("shift", [0.05, 0.5, 3.0])
@pytest.mark.parametrize("b", [0, 0.001, -0.001, 0.2, -0.2, 1.5, -1.5])
def test_divergence_is_the_integral_it_stands_for(epsilon, shift, b):
    found = divergence(arb(epsilon), arb(shift), arb(b))
    assert float(found) == pytest.approx(divergence_by_definition(epsilon, shift, b), abs=1e-9)


@pytest.mark.parametrize(("epsilon", "shift"), [(0.5, 0.3), (2.0, 1.0)])
def test_divergence_without_a_change_of_scale_is_the_limit_of_small_ones(epsilon, shift):
    at_zero = float(divergence(arb(epsilon), arb(shift), arb(0)))
    for b in (1e-9, -1e-9):
        assert float(divergence(arb(epsilon), arb(shift), arb(b))) == pytest.approx(at_zero, abs=1e-8)


def test_divergence_grows_with_the_shift():
    """Claim H2, on which `certified` leans."""
    for b in (-0.5, -0.01, 0, 0.01, 0.5):
        found = [float(divergence(arb(1), arb(shift), arb(b))) for shift in np.linspace(0.05, 4, 80)]
        assert all(low <= high + 1e-15 for low, high in pairwise(found))


def analytic_sigma(epsilon, delta):
    """The least sigma for shifts alone (Balle and Wang 2018, Theorem 8)."""

    def excess(sigma):
        near, far = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
        return norm.cdf(near) - exp(epsilon) * norm.cdf(far) - delta

    return brentq(excess, 0.05, 1000, xtol=1e-13)


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.1, 1e-3), (4, 1e-2)])
def test_certified_for_a_constant_bound_is_the_analytic_gaussian(epsilon, delta):
    sigma = Fraction(analytic_sigma(epsilon, delta))
    epsilon, delta = Fraction(epsilon), Fraction(delta)
    assert certified(epsilon, delta, sigma * Fraction(10**6 + 1, 10**6), Fraction(0))
    assert not certified(epsilon, delta, sigma * Fraction(10**6 - 1, 10**6), Fraction(0))


def test_certified_takes_a_fifth_of_the_noise_of_the_paper():
    """sigma/S = 5.9 at epsilon 1, delta 1e-6 with the paper's beta, where Theorem 4 asks for 26.9."""
    one = Fraction(1)
    beta = paper_steadiness(one, MILLIONTH)
    assert certified(one, MILLIONTH, Fraction(595, 100), beta)
    assert not certified(one, MILLIONTH, Fraction(580, 100), beta)
    assert 5 * sqrt(2 * log(2e6)) == pytest.approx(26.9, abs=0.05)


@pytest.mark.parametrize("beta", [Fraction(0), Fraction(1, 100), Fraction(1, 20)])
def test_certified_does_not_turn_back(beta):
    """More noise, more delta, a steadier bound: what was certified stays certified."""
    sigmas = [Fraction(n, 10) for n in range(30, 130, 10)]
    found = [certified(Fraction(1), MILLIONTH, sigma, beta) for sigma in sigmas]
    assert found == sorted(found)
    for i, sigma in enumerate(sigmas):
        looser = [
            certified(Fraction(1), 2 * MILLIONTH, sigma, beta),
            certified(Fraction(11, 10), MILLIONTH, sigma, beta),
            certified(Fraction(1), MILLIONTH, sigma, beta / 2),
        ]
        assert not found[i] or all(looser)


EPSILONS = [Fraction(n, 100) for n in (1, 10, 50, 90, 99)]
DELTAS = [Fraction(1, 10**10), MILLIONTH, Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_theorem_4_of_the_paper_is_certified(epsilon):
    for delta in DELTAS:
        noise = PaperGaussian(epsilon, delta)
        assert certified(epsilon, delta, noise.sigma, paper_steadiness(epsilon, delta))


def worst_divergence(noise, delta_b):
    """Over pairs of bounds up to `delta_b` apart and the largest shift, in floats, by definition."""
    found = []
    for b in np.linspace(-delta_b, delta_b, 21):
        shift = min(1, exp(b)) / float(noise.sigma)
        found.append(float(divergence(arb(float(noise.epsilon)), arb(shift), arb(float(b)))))
    return max(found)


@pytest.mark.parametrize(
    "noise",
    [
        Gaussian(Fraction(1), MILLIONTH),
        Gaussian(Fraction(1, 10), Fraction(1, 1000)),
        Gaussian(Fraction(5), Fraction(1, 100)),
        PaperGaussian(Fraction(1, 2), Fraction(1, 100)),
    ],
    ids=lambda noise: f"{type(noise).__name__} {noise.epsilon}",
)
def test_sigma_and_decay_of_a_gaussian_fit_together(noise):
    """The bound may change by 1 / decay: for that, not for some other beta, the sigma it uses is certified."""
    steadiness = at_least(lambda: -as_arb(noise.decay).log(), 60)
    assert certified(noise.epsilon, noise.delta, noise.sigma, steadiness)
    assert worst_divergence(noise, float(steadiness)) <= noise.delta


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.5, 0.01)])
def test_gaussian_uses_hardly_more_noise_than_it_must(epsilon, delta):
    """Nine tenths of its sigma would break the promise."""
    noise = Gaussian(epsilon, delta)
    steadiness = at_least(lambda: -as_arb(noise.decay).log(), 60)
    assert not certified(noise.epsilon, noise.delta, noise.sigma * Fraction(9, 10), steadiness)
    shift = exp(-float(steadiness)) / (0.9 * float(noise.sigma))
    assert divergence_by_definition(epsilon, shift, -float(steadiness)) > delta


def test_global_gaussian_has_the_sigma_of_theorem_2():
    noise = GlobalGaussian(Fraction(1, 2), MILLIONTH)
    assert float(noise.sigma) == pytest.approx(2 * sqrt(2 * log(2e6)), rel=1e-9)
    assert noise.sigma >= Fraction(2 * sqrt(2 * log(2e6))) * Fraction(10**15 - 10, 10**15)
    assert noise.decay is None


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
@pytest.mark.parametrize("sigma", [Fraction(1, 4), Fraction(1), Fraction(3)])
@pytest.mark.parametrize("low", [Fraction(n, 4) for n in (-2, -1, 0, 1)])
def test_piece_bounds_all_the_pairs_in_it(epsilon, sigma, low):
    """Claims H2 and H3: pieces wide enough that neither the largest shift nor the smaller epsilon can be forgotten."""
    high = low + Fraction(1, 4)
    bound = float(_piece(epsilon, sigma, low, high))
    for b in np.linspace(float(low), float(high), 21):
        shift = min(1, exp(b)) / float(sigma)
        assert float(divergence(arb(float(epsilon)), arb(shift), arb(float(b)))) <= bound + 1e-12
