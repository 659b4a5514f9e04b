"""Conversions keep the direction they name, whatever the number."""

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from eremite.intervals import as_arb, at_least, at_most, scaled
from eremite.mechanisms.decay import decay_above

numbers = st.fractions(-1000, 1000, max_denominator=10**12)
shares = st.fractions(0, 1, max_denominator=10**15)
digits = st.integers(10, 200)


def ball(number):
    return arb(fmpq(number.numerator, number.denominator))


@given(numbers, digits)
def test_at_most_lies_below_and_near(number, digits):
    found = at_most(lambda: as_arb(number), digits)
    assert found <= number < found + Fraction(2, 1 << digits)
    assert (found * (1 << digits)).denominator == 1


@given(numbers, digits)
def test_at_least_lies_above_and_near(number, digits):
    found = at_least(lambda: as_arb(number), digits)
    assert found - Fraction(2, 1 << digits) < number <= found
    assert (found * (1 << digits)).denominator == 1


@given(st.fractions(-30, 5, max_denominator=10**9), digits)
def test_directions_hold_for_numbers_that_no_fraction_is(number, digits):
    below, above = (bound(lambda: as_arb(number).exp(), digits) for bound in (at_most, at_least))
    with ctx.workprec(1000):
        exact = ball(number).exp()
        assert ball(below) <= exact <= ball(above)
        assert above - below <= Fraction(3, 1 << digits)


@given(shares, st.integers(1, 300))
def test_scaled_holds_the_probability_between_its_integers(share, n):
    low, high = scaled(lambda: as_arb(share), n)
    assert 0 <= low <= share * (1 << n) <= high <= 1 << n
    assert high - low <= 2


@given(shares, st.integers(1, 100), st.integers(0, 40))
def test_scaled_holds_it_also_when_the_enclosure_is_wide(share, n, lost):
    """A ball that reaches below 0 or above 1 is cut to what a probability can be."""
    low, high = scaled(lambda: as_arb(share) + arb(0, 2.0 ** -(n - lost)), n)
    assert 0 <= low <= share * (1 << n) <= high <= 1 << n


@pytest.mark.parametrize(("share", "n"), [(0, 64), (1, 64), (Fraction(1, 2), 1), (Fraction(1, 1 << 90), 64)])
def test_scaled_is_exact_where_it_can_be(share, n):
    low, high = scaled(lambda: as_arb(Fraction(share)), n)
    whole = Fraction(share) * (1 << n)
    assert low == whole.numerator // whole.denominator
    assert high == -(-whole.numerator // whole.denominator)


@given(st.fractions(Fraction(1, 10**9), 20, max_denominator=10**9))
def test_decay_lies_just_above_the_exponential_and_below_one(beta):
    decay = decay_above(beta)
    with ctx.workprec(500):
        exact = (-ball(beta)).exp()
        assert exact <= ball(decay) <= exact + ball(beta) * arb(2) ** -38
    assert 0 < decay < 1
