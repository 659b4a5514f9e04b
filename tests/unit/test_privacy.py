import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from eremite import InputError, Privacy
from eremite.privacy import (
    checked_delta,
    checked_epsilon,
    exact,
    json_number,
    positive,
    shown,
    times_as_likely,
    written_fraction,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (" 0.1\n", Fraction(1, 10)),
        ("1e-1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        ("0.1 / 0.3", Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (3, Fraction(3)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(3), Fraction(3)),
        (np.uint8(255), Fraction(255)),
        (np.float32(0.5), Fraction(1, 2)),
        (1e-300, Fraction(1, 10**300)),
    ],
)
def test_number_means_what_it_shows(written, meant):
    found = exact(written, "epsilon")
    assert found == meant
    assert type(found) is Fraction
    assert {type(found.numerator), type(found.denominator)} == {int}  # a NumPy integer would overflow in a sum


@pytest.mark.parametrize(
    "value", [True, False, np.True_, None, "", "many", "0x1", "1/2/3", "1/0", "/", [0.1], b"0.1", 1j]
)
def test_what_is_no_number_is_refused(value):
    with pytest.raises(InputError, match=r"^epsilon must be a number, written like 0\.5\.$"):
        exact(value, "epsilon")


@pytest.mark.parametrize(
    "value", ["nan", "inf", "-inf", "sNaN", "1/inf", np.nan, np.inf, np.float32("nan"), Decimal("NaN")]
)
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(InputError, match=r"^epsilon must be a finite number\.$"):
        exact(value, "epsilon")


@pytest.mark.parametrize("value", ["1e301", "1e-301", "0." + "1" * 301, "1/1e999999999", Decimal("1e999999")])
def test_numbers_stay_short(value):
    with pytest.raises(InputError, match="at most 300 digits"):
        exact(value, "epsilon")


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-300, max_value=1e300))
def test_float_is_its_shortest_decimal(number):
    assert exact(number, "x") == Fraction(repr(number)) == exact(Decimal(repr(number)), "x")


@given(st.fractions(min_value=0, max_value=20))
def test_shown_number_reads_back_as_itself(number):
    assert exact(shown(number), "x") == number


def test_shown_number_is_a_decimal_where_it_has_one():
    assert [shown(Fraction(text)) for text in ("2", "0.1", "1e-6", "1/3", "0")] == ["2", "0.1", "1e-06", "1/3", "0"]


def test_thousand_tenths_are_a_hundred():
    total = Privacy(Fraction(0))
    for _ in itertools.repeat(None, 1000):
        total += Privacy(exact(0.1, "epsilon"), exact(1e-9, "delta"))
    assert total == Privacy(Fraction(100), Fraction(1, 10**6))
    assert total - total == Privacy(Fraction(0))


def test_privacy_is_shown_in_full():
    assert str(Privacy(Fraction(1, 5))) == "epsilon 0.2"
    assert str(Privacy(Fraction(1, 3), Fraction(1, 10**6))) == "epsilon 1/3, delta 1e-06"


@pytest.mark.parametrize(("value", "words"), [(0, "above 0"), (-0.1, "above 0"), ("-1/3", "above 0")])
def test_positive_refuses_what_is_not(value, words):
    with pytest.raises(InputError, match=words):
        positive(value, "epsilon")


def test_epsilon_of_a_release_has_ends():
    assert checked_epsilon(20) == 20
    assert checked_epsilon("0.000001") == Fraction(1, 10**6)
    for value, words in ((0, "above 0"), ("20.0000001", "at most 20"), (9e-7, "at least 0.000001")):
        with pytest.raises(InputError, match=words):
            checked_epsilon(value)


def test_delta_of_a_release_is_a_probability():
    assert checked_delta(0) == 0
    assert checked_delta("1e-100") == Fraction(1, 10**100)
    assert checked_delta(0.999) == Fraction(999, 1000)
    for value, words in ((-1, "at least 0 and below 1"), (1, "below 1"), ("1e-101", "0 or at least 1e-100")):
        with pytest.raises(InputError, match=words):
            checked_delta(value)


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=20, max_denominator=10**6))
def test_times_as_likely_are_never_below_e_to_the_epsilon_and_by_little_above(epsilon):
    told = Fraction(times_as_likely(epsilon).replace(",", ""))
    e = arb(fmpq(epsilon.numerator, epsilon.denominator)).exp()
    assert arb(fmpq(told.numerator, told.denominator)) >= e
    assert told <= float(e) * (1 + 1e-11) + 0.01


@pytest.mark.parametrize(
    "number",
    [Fraction(1, 3), Fraction(1, 10), Fraction(0), Fraction(7), Fraction(2**60 + 1, 2**1024), Fraction(1, 10**600)],
)
def test_json_number_is_exactly_the_fraction(number):
    """What is left of a budget, written down and asked for, must not be more than is left."""
    assert Fraction(str(json_number(number))) == number


@given(st.fractions())
def test_fraction_reads_back_as_it_was_written(number):
    assert written_fraction(str(number)) == number


@pytest.mark.parametrize("text", ["1e99999999", "0.5", "", "a/b", "1" * 5_000, None, 0.5, 3])
def test_text_that_is_no_written_fraction_is_refused_at_once(text):
    with pytest.raises(ValueError, match=r".*"):
        written_fraction(text)


@pytest.mark.parametrize("text", ["1_0", "\uff11", "\u0660.\u0665"])
def test_number_in_other_digits_is_refused(text):
    with pytest.raises(InputError, match="epsilon must be a number"):
        checked_epsilon(text)


@pytest.mark.parametrize("typed", ["0,02", " 0,02 "])
def test_decimal_comma_gets_the_number_to_write(typed: str) -> None:
    with pytest.raises(InputError, match=r"^share must be written with a decimal point, as 0\.02\.$"):
        exact(typed, "share")


@pytest.mark.parametrize("typed", ["1,5/2", "1,000,5", ",5", "1,", "0," + "0" * 30, "٣,٣"])
def test_other_commas_are_no_numbers(typed: str) -> None:
    with pytest.raises(InputError, match=r"^share must be a number, written like 0\.5\.$"):
        exact(typed, "share")
