"""Conversions between exact fractions and interval enclosures. Each names the direction it rounds in."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq

_GUARD = 32  # extra bits, so that an enclosure is rarely wider than one unit


def as_arb(number: Fraction) -> arb:
    """An enclosure of a fraction."""
    return arb(fmpq(number.numerator, number.denominator))


def at_most(function: Callable[[], arb], digits: int) -> Fraction:
    """A multiple of 2^-digits that is at most the number, and less than two units below it."""
    with ctx.workprec(2 * digits + _GUARD):
        return Fraction(_floor(function().lower(), digits), 1 << digits)


def at_least(function: Callable[[], arb], digits: int) -> Fraction:
    """A multiple of 2^-digits that is at least the number, and less than two units above it."""
    with ctx.workprec(2 * digits + _GUARD):
        return Fraction(_ceil(function().upper(), digits), 1 << digits)


def scaled(probability: Callable[[], arb], n: int) -> tuple[int, int]:
    """Integers below and above 2^n times a probability, clipped to [0, 2^n]."""
    with ctx.workprec(n + _GUARD):
        enclosed = probability()
        low, high = _floor(enclosed.lower(), n), _ceil(enclosed.upper(), n)
    return max(low, 0), min(high, 1 << n)


def _floor(number: arb, n: int) -> int:
    """The largest integer not above 2^n times an exact number."""
    mantissa, shift = _parts(number, n)
    return mantissa << shift if shift >= 0 else mantissa >> -shift


def _ceil(number: arb, n: int) -> int:
    """The smallest integer not below 2^n times an exact number."""
    mantissa, shift = _parts(number, n)
    return mantissa << shift if shift >= 0 else -(-mantissa >> -shift)


def _parts(number: arb, n: int) -> tuple[int, int]:
    """2^n times an exact number, as a mantissa and an exponent of two.

    The caller continues with integers: operations on `arb` round to the current precision, which other threads share.
    Rounding keeps an enclosure valid, but would not keep an exact number exact.
    """
    mantissa, exponent = number.man_exp()
    return int(mantissa), int(exponent) + n
