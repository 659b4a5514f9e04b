"""The largest rho for which rho-zCDP implies (epsilon, delta)-DP, rounded down (`decide.proof.md`, L4).

paper (Canonne, Kamath, Steinke 2020)     here
rho                                       the returned fraction
alpha, the order of a Renyi divergence    order, any number above 1; the best one is searched in floats
delta(alpha)                              e^((alpha-1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha / (alpha - 1)
"""

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb

from eremite.intervals import as_arb, at_least, at_most

_DIGITS = 192  # binary, after the point: an epsilon of 10^-6 still has a rho of fifty significant ones
_PER_DOUBLING = 64  # orders tried between alpha - 1 and twice that; finer ones gain less than a part in 10^4
_DOUBLINGS = range(-40, 80)
_TRIES = 100  # threads share the working precision; if another thread lowered it, the enclosure is computed again


@lru_cache(maxsize=1024)
def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A rho, as large as can be proved, for which every rho-zCDP release is (epsilon, delta)-DP; 0 < delta < 1.

    Every order gives a valid rho, so the search for the best order need not be trusted. The result is the same on every
    machine: orders come from a fixed grid, and the enclosure must be narrow.
    """
    order = _best_order(float(epsilon), _log(delta))
    digits = _DIGITS + int(epsilon).bit_length()
    low = Fraction(0)
    for _ in range(_TRIES):
        low, high = (rounded(lambda: _rho(order, epsilon, delta), digits) for rounded in (at_most, at_least))
        if high - low <= Fraction(2, 1 << digits):
            break
    return max(low, Fraction(0))


def _rho(order: Fraction, epsilon: Fraction, delta: Fraction) -> arb:
    """delta(alpha) = delta, solved for rho: ((ln delta + ln(a-1) - a ln(1 - 1/a)) / (a-1) + epsilon) / a."""
    a, above = as_arb(order), as_arb(order - 1)
    return ((as_arb(delta).log() + above.log() - a * (above / a).log()) / above + as_arb(epsilon)) / a


def _best_order(epsilon: float, log_delta: float) -> Fraction:
    """The order on the grid with the largest rho in floats: first the best doubling, then the best order near it."""

    def rho(order: Fraction) -> float:
        above = float(order - 1)
        return ((log_delta + math.log(above) - (above + 1) * math.log(above / (above + 1))) / above + epsilon) / (
            above + 1
        )

    coarse = max(_DOUBLINGS, key=lambda doubling: rho(_order(doubling, 0)))
    fine = [_order(doubling, part) for doubling in (coarse - 1, coarse) for part in range(_PER_DOUBLING)]
    return max(fine, key=rho)


def _order(doubling: int, part: int) -> Fraction:
    return 1 + Fraction(2) ** doubling * (1 + Fraction(part, _PER_DOUBLING))


def _log(number: Fraction) -> float:
    """The natural logarithm, also of a number too small for a float."""
    return math.log(number.numerator) - math.log(number.denominator)
