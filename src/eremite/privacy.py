"""Privacy parameters as exact numbers.

A number is taken as written: 0.1 is the fraction 1/10, not the float nearest to it, so that a thousand charges of 0.1
spend exactly 100.
"""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import ceil, exp
from numbers import Rational, Real
from typing import Literal

from eremite.errors import InputError

#: Above this, a guarantee protects next to nothing.
LARGEST_EPSILON = 20
#: Below this, every answer is noise; the limits also keep exact numbers short.
SMALLEST_EPSILON = Fraction(1, 10**6)
SMALLEST_DELTA = Fraction(1, 10**100)

#: Which tables the guarantee compares. "replace": tables of the same public number of rows that differ in one row.
#: "add-remove": tables of which one has a row more, so that the number of rows is private too.
Neighbors = Literal["replace", "add-remove"]

_DIGITS = 300
_LONGEST = 10 ** (_DIGITS + 1)  # largest numerator or denominator; still within the range of floats
_DECIMAL_COMMA = re.compile(r"\s*(-?[0-9]{1,20}),([0-9]{1,20})\s*")
_PART_DIGITS = len(str(_LONGEST))  # so that "p/q" reads back whatever was admitted


@dataclass(frozen=True, slots=True)
class Privacy:
    """The parameters of differential privacy; `delta` 0 is pure differential privacy."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __add__(self, other: "Privacy") -> "Privacy":
        return Privacy(self.epsilon + other.epsilon, self.delta + other.delta)

    def __sub__(self, other: "Privacy") -> "Privacy":
        return Privacy(self.epsilon - other.epsilon, self.delta - other.delta)

    def __str__(self) -> str:
        pure = f"epsilon {shown(self.epsilon)}"
        return f"{pure}, delta {shown(self.delta)}" if self.delta else pure


def exact(value: object, name: str) -> Fraction:
    """The number as a fraction: a float or a text is taken as written, and must be finite. `name` is for errors."""
    if isinstance(value, bool):
        raise InputError(f"{name} must be a number, written like 0.5.")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    try:
        text = repr(float(value)) if isinstance(value, Real) else str(value).strip()
        if isinstance(value, str) and "/" in text:
            above, below = text.split("/")
            return _decimal(above, name, _PART_DIGITS) / _decimal(below, name, _PART_DIGITS)
        return _decimal(text, name, _DIGITS)
    except (ValueError, InvalidOperation, ZeroDivisionError, OverflowError):
        point = with_point(value)
        like = "a number, written like 0.5" if point is None else f"written with a decimal point, as {point}"
        raise InputError(f"{name} must be {like}.") from None


def with_point(text: object) -> str | None:
    """The number that a text with a decimal comma means, as in 0,02, written with a point; None for all else."""
    matched = isinstance(text, str) and _DECIMAL_COMMA.fullmatch(text)
    return f"{matched[1]}.{matched[2]}" if matched else None


def _decimal(text: str, name: str, digits: int) -> Fraction:
    if not text.isascii() or "_" in text:
        raise ValueError  # Decimal takes 1_0 and digits of all scripts
    number = Decimal(text)
    if not number.is_finite():
        raise InputError(f"{name} must be a finite number.")
    if (number and abs(number.adjusted()) > digits) or len(number.as_tuple().digits) > digits:
        raise _too_long(name)
    return Fraction(number)


def _too_long(name: str) -> InputError:
    return InputError(f"{name} must have at most {_DIGITS} digits before or after the point.")


def positive(value: object, name: str) -> Fraction:
    """The number as a fraction, which must be above 0."""
    number = exact(value, name)
    if number <= 0:
        raise InputError(f"{name} must be above 0.")
    return number


def checked_budget(epsilon: object, delta: object) -> "Privacy":
    """A valid cap for the total of many releases."""
    return Privacy(_of_length(positive(epsilon, "epsilon"), "epsilon"), checked_delta(delta))


def checked_epsilon(value: object) -> Fraction:
    """A valid epsilon for one release."""
    epsilon = _of_length(positive(value, "epsilon"), "epsilon")
    if epsilon > LARGEST_EPSILON:
        raise InputError(
            f"epsilon must be at most {LARGEST_EPSILON}: with more, a release protects next to nothing; "
            "0.1 to 1 is usual."
        )
    if epsilon < SMALLEST_EPSILON:
        raise InputError("epsilon must be at least 0.000001: with less, the answer is nothing but noise.")
    return epsilon


def checked_delta(value: object) -> Fraction:
    """A valid delta: 0, or a probability, which should be well below one over the number of rows."""
    delta = _of_length(exact(value, "delta"), "delta")
    if not 0 <= delta < 1:
        raise InputError("delta must be at least 0 and below 1.")
    if 0 < delta < SMALLEST_DELTA:
        raise InputError("delta must be 0 or at least 1e-100.")
    return delta


def _of_length(number: Fraction, name: str) -> Fraction:
    """The number, if it is short enough: a long one would make every later sum long."""
    if max(abs(number.numerator), number.denominator) > _LONGEST:
        raise _too_long(name)
    return number


def shown(number: Fraction) -> str:
    """The exact number, as a decimal if a float's repr is exact, else as p/q; a very long one only approximately."""
    if max(abs(number.numerator), number.denominator) > _LONGEST:
        return f"about {float(number):.6g}"
    text = repr(float(number))
    return text.removesuffix(".0") if Fraction(text) == number else f"{number.numerator}/{number.denominator}"


def written_fraction(text: object) -> Fraction:
    """The fraction that `str` wrote as "p/q" or "p"; a ValueError for any other text. Takes bounded time.

    `Fraction(text)` also reads "1e99999999", and computes it; and it takes longer than the rest of a ledger's read.
    """
    if not isinstance(text, str):
        raise ValueError  # noqa: TRY004 -- what a file holds is wrong, not a caller's type
    above, _, below = text.partition("/")
    return Fraction(int(above), int(below) if below else 1)


def json_number(number: Fraction) -> float | int | str:
    """A JSON value that is exactly this fraction: a number if a float's repr is exact, else "p/q"."""
    nearest = float(number)
    if Fraction(repr(nearest)) != number:
        return f"{number.numerator}/{number.denominator}"
    return int(number) if number.denominator == 1 else nearest


def times_as_likely(epsilon: Fraction) -> str:
    """e^epsilon with two decimals, rounded up."""
    return f"{ceil(exp(float(epsilon)) * (1 + 1e-12) * 100) / 100:,.2f}"
