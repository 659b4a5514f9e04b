"""Smooth Laplace noise: its closed forms against the density they were integrated from, and what it is told to be."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from eremite.errors import InputError
from eremite.mechanisms import SmoothLaplace
from eremite.mechanisms.smooth_laplace import _half_tail, _shortened

EPSILONS = [Fraction(1, 10), Fraction(1), Fraction(7, 3), Fraction(20)]


def density(v):
    """Of v = epsilon W, up to a factor: continuous at 1, where (3/4)^3 meets c (5/4)^-5."""
    v = abs(v)
    return (1 - v / 4) ** 3 if v <= 1 else 0.75**3 * 1.25**5 * (1 + v / 4) ** -5


def mass(low, high):
    return quad(density, low, high, points=[1] if low < 1 < high < np.inf else None, epsabs=1e-14, epsrel=1e-13)[0]


WHOLE = mass(0, 1) + mass(1, np.inf)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("v", [Fraction(n, 10) for n in (0, 1, 5, 9, 10, 11, 20, 100, 10000)])
def test_tail_is_the_integral_of_the_density(epsilon, v):
    outside = mass(1, np.inf) + mass(float(v), 1) if v < 1 else mass(float(v), np.inf)
    assert float(SmoothLaplace(epsilon).tail(v / epsilon)) == pytest.approx(outside / WHOLE, rel=1e-8)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_tail_is_one_at_zero_and_has_no_jump_where_its_halves_meet(epsilon):
    noise, tiny = SmoothLaplace(epsilon), Fraction(1, 10**30)
    assert noise.tail(0) == 1
    assert noise.tail(1 / epsilon) == Fraction(135, 310)
    assert 0 < noise.tail(1 / epsilon) - noise.tail((1 + tiny) / epsilon) < tiny
    assert 0 < noise.tail((1 - tiny) / epsilon) - noise.tail(1 / epsilon) < tiny


@given(st.fractions(0, 100), st.fractions(0, 100))
def test_tail_falls(one, other):
    near, far = sorted((one, other))
    assert SmoothLaplace(Fraction(1)).tail(near) >= SmoothLaplace(Fraction(1)).tail(far)


@given(st.fractions(Fraction(1, 10**6), 20), st.fractions(0, 1000))
def test_law_of_epsilon_times_the_noise_is_one_law(epsilon, v):
    assert SmoothLaplace(epsilon).tail(v / epsilon) == SmoothLaplace(Fraction(1)).tail(v)


def test_law_has_the_spread_that_theory_states():
    """Of epsilon W: standard deviation 2.38, median .83, 95 % within 4.59."""
    noise = SmoothLaplace(Fraction(1))
    second = quad(lambda v: v * v * density(v), 0, 1)[0] + quad(lambda v: v * v * density(v), 1, np.inf)[0]
    assert np.sqrt(second / WHOLE) == pytest.approx(2.38, abs=0.005)
    for share, at in ((0.5, 0.83), (0.05, 4.59)):
        assert noise.tail(Fraction(at + 0.005)) < share < noise.tail(Fraction(at - 0.005))
    assert float(noise.tail(Fraction(noise.half_width()))) == pytest.approx(0.05, rel=1e-12)


@pytest.mark.parametrize("w", [-1, Fraction(-1, 10**9)])
def test_tail_refuses_what_no_distance_is(w):
    with pytest.raises(InputError, match="w must be 0 or more"):
        SmoothLaplace(Fraction(1)).tail(w)


@pytest.mark.parametrize("epsilon", [0, -1, "nan", float("inf"), True, "one"])
def test_epsilon_must_be_a_positive_number(epsilon):
    with pytest.raises(InputError, match="epsilon"):
        SmoothLaplace(epsilon)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), *EPSILONS])
def test_decay_lies_just_above_a_quarter_of_epsilon(epsilon):
    """Above is the safe side; 2^-38 of beta above costs nothing."""
    decay, beta = SmoothLaplace(epsilon).decay, epsilon / 4
    with ctx.workprec(300):
        exact = (-arb(fmpq(beta.numerator, beta.denominator))).exp()
        found = arb(fmpq(decay.numerator, decay.denominator))
        assert exact <= found
        assert (found - exact) <= arb(fmpq(beta.numerator, beta.denominator)) * arb(2) ** -38


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
    expected = noise.tail(-steps) / 2 if steps < 0 else 1 - noise.tail(steps) / 2
    assert noise.cumulative(y, center, bound) == expected
    assert noise.cumulative(2 * center - 1 - y, center, bound) == 1 - expected


@pytest.mark.parametrize("side", [-1, 0, 1])
@pytest.mark.parametrize("y", [-7, -1, 0, 4, 5, 6, 30])
def test_draw_follows_cumulative_to_the_last_bit(feed, y, side):
    """U at P(Y <= y), cut to 128 bits and moved by one unit: the draw falls on the right side of it."""
    noise, bound = SmoothLaplace(Fraction(1)), Fraction(17, 5)
    bits = int(noise.cumulative(y, 5, bound) * (1 << 128)) + side
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


@given(st.fractions(Fraction(1, 10**6), 10**6), st.integers(1, 60), st.integers(0, 10**6), st.integers(1, 100))
def test_shortened_steps_enclose_the_tail(step, digits, times, n):
    low, high = _half_tail(*_shortened(step, digits), times, n)
    assert low <= SmoothLaplace(Fraction(1)).tail(step * times) / 2 * (1 << n) <= high


@given(st.fractions(Fraction(1, 10**6), 10**6), st.integers(0, 10**6), st.sampled_from([64, 128, 256]))
def test_shortened_steps_enclose_it_narrowly_with_the_digits_a_draw_takes(step, times, n):
    low, high = _half_tail(*_shortened(step, n + 32), times, n)
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
    u = sum(Fraction(chunk, 1 << 64 * i) for i, chunk in enumerate(chunks, start=1))
    assert noise.cumulative(drawn - 1, 5, bound) <= u < noise.cumulative(drawn, 5, bound)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.5645, 0.565, 0.95, 0.9999])
def test_half_width_is_the_tail_inverted(share):
    noise = SmoothLaplace(Fraction(2, 3))
    assert float(noise.tail(Fraction(noise.half_width(share)))) == pytest.approx(1 - share, rel=1e-9)
