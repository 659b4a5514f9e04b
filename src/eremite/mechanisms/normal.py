"""Normal noise, rounded to an integer and sampled exactly."""

from fractions import Fraction
from statistics import NormalDist

from flint import arb

from eremite.errors import InputError
from eremite.intervals import as_arb, scaled
from eremite.mechanisms.sampling import draw_integer
from eremite.privacy import exact


def half_width(share: float) -> float:
    """N(0, 1) stays within this with probability `share`."""
    return NormalDist().inv_cdf((1 + share) / 2)


def below(x: arb) -> arb:
    """P(N(0, 1) <= x)."""
    return (-x / arb(2).sqrt()).erfc() / 2


def draw_normal(center: int, deviation: Fraction) -> int:
    """The nearest integer to center + deviation * N(0, 1), distributed exactly so."""
    if deviation == 0:
        return center
    return draw_integer(lambda y, n: rounded_below(y, n, center, deviation), center)


def rounded_below(y: int, n: int, center: int, deviation: Fraction) -> tuple[int, int]:
    """Integers around 2^n P(draw_normal(center, deviation) <= y)."""
    steps = (y - center + Fraction(1, 2)) / deviation
    return scaled(lambda: below(as_arb(steps)), n)


def proper_delta(value: object, mechanism: str) -> Fraction:
    """The delta of a mechanism that cannot do without one."""
    delta = exact(value, "delta")
    if not 0 < delta < 1:
        raise InputError(f"{mechanism} needs a delta above 0 and below 1; smooth-laplace needs none.")
    return delta
