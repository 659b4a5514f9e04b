"""Smooth Laplace noise: its closed forms against the density they were integrated from, and what it is told to be."""

from fractions import Fraction
from itertools import pairwise
from math import exp, expm1, log

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from eremite.errors import InputError
from eremite.mechanisms import SmoothLaplace
from eremite.mechanisms.smooth_laplace import _half_tail, _shortened
from eremite.mechanisms.smooth_laplace_law import Law, fixed_point, kappa_above

#: With the first piece and without; it is missing from 2.29 on.
EPSILONS = [Fraction(1, 10**6), Fraction(1, 10), Fraction(1), Fraction(9, 4), Fraction(4), Fraction(20)]


def slope(w, epsilon):
    """-d ln g / dw for w > 0: the largest that both conditions of the path argument allow (proof, N1)."""
    beta = epsilon / 3
    kappa = beta / expm1(beta)
    if w < kappa / epsilon:  # w psi <= 1 there
        return min(epsilon, (epsilon - beta) / (kappa - beta * w))
    return min(epsilon, (epsilon + beta) / (kappa + beta * w))


def cuts(noise):
    return [float(at / noise.epsilon) for at in (noise.law.start, noise.law.end)]


def density(w, noise):
    """e to the minus integral of the slope, up to a factor: the density as the path argument gives it."""
    points = [at for at in cuts(noise) if 0 < at < w]
    ends = [0.0, *points, w]
    steps = pairwise(ends)
    return exp(-sum(quad(slope, *step, args=(float(noise.epsilon),), epsabs=1e-13, epsrel=1e-13)[0] for step in steps))


def mass(low, high, noise):
    ends = [low, *(at for at in cuts(noise) if low < at < high), high]
    return sum(quad(density, *step, args=(noise,), epsrel=1e-10)[0] for step in pairwise(ends))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_law_has_the_steepest_density_that_the_path_argument_allows(epsilon):
    """The share of v beyond x, by integrating the slope twice; it has no closed form in it but the conditions."""
    noise, unit = SmoothLaplace(epsilon), float(1 / epsilon)
    whole = mass(0, 5 * unit, noise)
    share = 1 - float(noise.tail(5 / epsilon))
    for v in (0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 3.5):
        inside = 1 - float(noise.tail(Fraction(v) / epsilon))
        assert inside / share == pytest.approx(mass(0, v * unit, noise) / whole, rel=1e-7)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("v", [5, 100, 10**4, 10**9, 10**100])
def test_tail_far_out_falls_with_the_third_power(epsilon, v):
    """And keeps all its digits: P(v > x) (a + x)^3 is the same for all x beyond the middle piece."""
    noise = SmoothLaplace(epsilon)
    a, there = 3 * noise.law.kappa, noise.law.end
    expected = float(noise.tail(there / epsilon)) * float((a + there) / (a + v)) ** 3
    assert float(noise.tail(v / epsilon)) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_tail_is_one_at_zero_and_has_no_jump_where_its_pieces_meet(epsilon):
    noise, tiny = SmoothLaplace(epsilon), Fraction(1, 10**25)
    assert abs(noise.tail(0) - 1) < arb(2) ** -100
    for cut in (noise.law.start, noise.law.end):
        if cut > 0:
            near, at, far = (noise.tail((cut + step) / epsilon) for step in (-tiny, 0, tiny))
            assert 0 < near - at < arb(10) ** -25
            assert 0 < at - far < arb(10) ** -25


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_tail_is_enclosed_to_a_hundred_bits_and_to_more_on_request(epsilon):
    noise = SmoothLaplace(epsilon)
    for v in (Fraction(1, 3), Fraction(1), Fraction(3, 2), Fraction(10**6)):
        assert noise.tail(v / epsilon).rel_accuracy_bits() > 100
        with ctx.workprec(400):
            finer = noise.tail(v / epsilon)
            assert finer.rel_accuracy_bits() > 350
            assert noise.tail(v / epsilon).overlaps(finer)


@given(st.fractions(0, 100), st.fractions(0, 100), st.sampled_from(EPSILONS))
def test_tail_falls(one, other, epsilon):
    near, far = (SmoothLaplace(epsilon).tail(w) for w in sorted((one, other)))
    assert near > far or near.overlaps(far)


@pytest.mark.parametrize(
    ("epsilon", "deviation", "median", "most"),
    [
        ("1/1000000", 3.12, 0.88, 5.36),
        ("1/10", 3.07, 0.87, 5.28),
        ("1/2", 2.89, 0.82, 4.96),
        ("1", 2.69, 0.78, 4.63),
        ("2", 2.40, 0.745, 4.15),
        ("4", 2.05, 0.72, 3.60),
        ("20", 1.64, 0.70, 3.12),
    ],
)
def test_law_has_the_spread_that_the_docs_state(epsilon, deviation, median, most):
    """Of epsilon W: standard deviation, median of the size, 95 % half-width."""
    noise = SmoothLaplace(Fraction(epsilon))
    unit = float(noise.epsilon)
    assert noise.deviation * unit == pytest.approx(deviation, abs=0.006)
    assert noise.half_width(0.5) * unit == pytest.approx(median, abs=0.006)
    assert noise.half_width() * unit == pytest.approx(most, abs=0.006)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_deviation_is_the_integral_of_the_tail(epsilon):
    """E W^2 is the integral of 2 w P(|W| > w); from 1,000 on, with its closed form."""
    noise, law = SmoothLaplace(epsilon), SmoothLaplace(epsilon).law
    ends = [0.0, *(float(at) for at in (law.start, law.end)), 10.0, 1000.0]
    pieces = [
        quad(lambda v: 2 * v * float(noise.tail(Fraction(v) / epsilon)), *step, epsrel=1e-10)[0]
        for step in pairwise(ends)
    ]
    a = float(3 * law.kappa)
    far = float(noise.tail(1000 / epsilon)) * (a + 1000) ** 3 * (2 / (a + 1000) - a / (a + 1000) ** 2)
    assert noise.deviation * float(epsilon) == pytest.approx(np.sqrt(sum(pieces) + far), rel=1e-8)


@pytest.mark.parametrize("w", [-1, Fraction(-1, 10**9)])
def test_tail_refuses_what_no_distance_is(w):
    with pytest.raises(InputError, match="w must be 0 or more"):
        SmoothLaplace(Fraction(1)).tail(w)


@pytest.mark.parametrize("epsilon", [0, -1, "nan", float("inf"), True, "one"])
def test_epsilon_must_be_a_positive_number(epsilon):
    with pytest.raises(InputError, match="epsilon"):
        SmoothLaplace(epsilon)


def ball(number):
    return arb(fmpq(number.numerator, number.denominator))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_decay_lies_just_above_a_third_of_epsilon(epsilon):
    """Above is the safe side; 2^-38 of beta above costs nothing."""
    decay, beta = SmoothLaplace(epsilon).decay, epsilon / 3
    with ctx.workprec(300):
        exact = (-ball(beta)).exp()
        assert exact <= ball(decay)
        assert ball(decay) - exact <= ball(beta) * arb(2) ** -38


@given(st.fractions(Fraction(1, 10**30), 300))
def test_kappa_lies_just_above_its_formula(beta):
    """Above is the safe side; two units of the last digit cost nothing."""
    kappa = kappa_above(beta)
    with ctx.workprec(1000):
        exact = ball(beta) / ball(beta).expm1()
        assert exact <= ball(kappa) <= exact + arb(2) ** -63
    assert kappa <= 1


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**300), Fraction(10**300)])
def test_law_exists_at_both_ends_of_all_numbers(epsilon, seeded):
    """Where kappa is 1, or next to nothing: power and power, or Laplace and power."""
    seeded(4)
    noise = SmoothLaplace(epsilon)
    assert noise.law.kappa in (1, Fraction(1, 1 << 64))
    assert float(noise.tail(Fraction(1) / epsilon)) == pytest.approx(16 / 35 if epsilon < 1 else exp(-1), rel=0.02)
    assert abs(noise.draw(0, epsilon)) < 10**6


@given(
    st.integers(-50, 50),
    st.integers(-10, 10),
    st.fractions(Fraction(1, 100), 50, max_denominator=10**6),
    st.sampled_from(EPSILONS),
)
def test_cumulative_is_half_a_tail(y, center, bound, epsilon):
    """P(Y <= y) = P(center + bound W < y + 1/2); symmetric about the center."""
    noise = SmoothLaplace(epsilon)
    steps = (y - center + Fraction(1, 2)) / bound
    with ctx.workprec(128):
        expected = noise.tail(-steps) / 2 if steps < 0 else 1 - noise.tail(steps) / 2
        assert noise.cumulative(y, center, bound).overlaps(expected)
        assert noise.cumulative(2 * center - 1 - y, center, bound).overlaps(1 - expected)


@pytest.mark.parametrize("side", [-1, 0, 1])
@pytest.mark.parametrize("y", [-7, -1, 0, 4, 5, 6, 30])
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(4)])
def test_draw_follows_cumulative_to_the_last_bit(feed, y, side, epsilon):
    """U at P(Y <= y), cut to 128 bits and moved by one unit: the draw falls on the right side of it."""
    noise, bound = SmoothLaplace(epsilon), Fraction(17, 5) * epsilon
    with ctx.workprec(200):
        bits = int((noise.cumulative(y, 5, bound) * (1 << 128)).floor().unique_fmpz()) + side
    feed(bits >> 64, bits & (1 << 64) - 1, 0)  # one more chunk: the cell with the boundary in it begins below it
    assert noise.draw(5, bound) == (y + 1 if side == 1 else y)


def test_draw_is_an_integer_near_its_center(seeded):
    seeded(1)
    noise = SmoothLaplace(Fraction(1))
    drawn = [noise.draw(1000, Fraction(5, 2)) for _ in range(300)]
    assert all(type(y) is int for y in drawn)
    assert abs(float(np.median(drawn)) - 1000) < 3


def test_draw_with_a_bound_of_zero_is_the_center(feed):
    feed()  # no bits
    assert SmoothLaplace(Fraction(1)).draw(7, Fraction(0)) == 7


# The draw takes few digits of epsilon / bound, which can have thousands, and answers for all numbers that begin so.

STEPS = st.fractions(Fraction(1, 10**6), 10**6)


def enclosed_half_tail(epsilon, step, digits, times, n):
    kappa = SmoothLaplace(epsilon).law.kappa
    low, high = _half_tail(fixed_point(kappa, n + 64), *_shortened(step, digits), times, n)
    with ctx.workprec(400):
        return low, high, Law(kappa).tail(step * times) / 2 * (1 << n)


@given(STEPS, st.integers(1, 60), st.integers(0, 10**6), st.integers(1, 100), st.sampled_from(EPSILONS))
def test_shortened_steps_enclose_the_tail(step, digits, times, n, epsilon):
    low, high, exact = enclosed_half_tail(epsilon, step, digits, times, n)
    assert low <= exact.upper()
    assert exact.lower() <= high


@given(STEPS, st.integers(0, 10**6), st.sampled_from([64, 128, 256]), st.sampled_from(EPSILONS))
def test_shortened_steps_enclose_it_narrowly_with_the_digits_a_draw_takes(step, times, n, epsilon):
    low, high, _ = enclosed_half_tail(epsilon, step, n + 64, times, n)
    assert high - low <= 2


@given(st.fractions(0, 8), st.sampled_from([64, 128]), st.sampled_from(EPSILONS))
def test_pieces_enclose_the_tail_wherever_they_meet(v, n, epsilon):
    """Also within a unit of where one piece ends and the next begins."""
    law, fixed = SmoothLaplace(epsilon).law, fixed_point(SmoothLaplace(epsilon).law.kappa, n + 64)
    for at in (int(v * (1 << n + 64)), fixed.start, fixed.end):
        for x in (max(at - 1, 0), at, at + 1):
            low, high = fixed.half_tail(x, x + 1, n)
            with ctx.workprec(400):
                near, far = (law.tail(Fraction(x + i, 1 << n + 64)) / 2 * (1 << n) for i in (0, 1))
                assert low <= far.upper()
                assert near.lower() <= high
            assert high - low <= 2


@given(st.lists(st.integers(0, (1 << 64) - 1), min_size=2, max_size=2), st.integers(0, 400), st.sampled_from(EPSILONS))
def test_draw_is_the_smallest_count_above_the_uniform_number(chunks, steps, epsilon):
    """U < P(Y <= y) and not U < P(Y <= y - 1), for a bound that comes from many steps away."""
    chunks = [*chunks, *[0x9E3779B97F4A7C15] * 6]  # so that it ends, also after zeros
    noise, left = SmoothLaplace(epsilon), list(chunks)
    bound = 31 * noise.decay**steps
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eremite.mechanisms.entropy.system_bits", lambda n: left.pop(0))
        drawn = noise.draw(5, bound)
    with ctx.workprec(600):
        u = ball(sum(Fraction(chunk, 1 << 64 * i) for i, chunk in enumerate(chunks, start=1)))
        assert not u < noise.cumulative(drawn - 1, 5, bound).lower()
        assert u < noise.cumulative(drawn, 5, bound).upper()


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.5645, 0.565, 0.8, 0.95, 0.9999])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_half_width_is_the_tail_inverted(share, epsilon):
    noise = SmoothLaplace(epsilon)
    assert float(noise.tail(Fraction(noise.half_width(share)))) == pytest.approx(1 - share, rel=1e-9)


def test_half_width_tends_to_that_of_laplace_noise():
    """For a large epsilon the middle piece holds nearly all."""
    assert SmoothLaplace(Fraction(20)).half_width(0.5) * 20 == pytest.approx(log(2), rel=0.02)
