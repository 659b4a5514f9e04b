"""How fast a smooth bound may change, as a fraction."""

from fractions import Fraction

from eremite.intervals import as_arb, at_least

_DIGITS = 40  # binary digits of beta that survive


def decay_above(beta: Fraction) -> Fraction:
    """A fraction just above e^-beta, and below 1.

    Above is the safe side: a bound that changes by at most 1 / decay between neighbors changes by at most e^beta.
    """
    small = (beta.denominator // beta.numerator).bit_length()
    return at_least(lambda: (-as_arb(beta)).exp(), _DIGITS + small)
