"""Student's t noise with three degrees of freedom: pure like `SmoothLaplace`, with which it is compared, and wider.

theory     here
nu         3
beta       epsilon / SHARPNESS
s          epsilon / _STRETCH: noise bound / s * T
"""

from dataclasses import dataclass
from fractions import Fraction
from math import atan, pi, sqrt

from flint import arb

from eremite.intervals import as_arb, scaled
from eremite.mechanisms.decay import decay_above
from eremite.mechanisms.sampling import draw_integer
from eremite.privacy import positive

SHARPNESS = 6
_STRETCH = Fraction(189, 125)  # just above 4 / sqrt(7), see student.proof.md


@dataclass(frozen=True, slots=True)
class Student:
    """q + bound * 1.512 / epsilon * T, rounded: epsilon-DP as `SmoothLaplace` is. Not for releases."""

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))

    @property
    def decay(self) -> Fraction:
        """A fraction just above e^(-epsilon / 6)."""
        return decay_above(self.epsilon / SHARPNESS)

    def draw(self, center: int, bound: Fraction) -> int:
        """The nearest integer to center + bound * 1.512 / epsilon * T; not clamped. Distributed exactly so."""
        if bound == 0:
            return center
        scale = bound * _STRETCH / self.epsilon
        return draw_integer(lambda y, n: student_below((y - center + Fraction(1, 2)) / scale, n), center)

    def half_width(self, share: float = 0.95) -> float:
        """For a bound of 1, the noise stays below this with probability `share`; of T, 3.182 for 0.95."""
        low, high = 0.0, 1e9
        while high - low > 1e-12 * high:
            x = (low + high) / 2 / sqrt(3)
            inside = 2 / pi * (x / (1 + x * x) + atan(x))
            low, high = (low, sqrt(3) * x) if inside >= share else (sqrt(3) * x, high)
        return high * float(_STRETCH / self.epsilon)


def student_below(t: Fraction, n: int) -> tuple[int, int]:
    """Integers around 2^n P(T <= t) = 1/2 + (x / (1 + x^2) + arctan x) / pi, x = t / sqrt(3)."""

    def probability() -> arb:
        x = as_arb(t) / arb(3).sqrt()
        return arb(1) / 2 + (x / (1 + x * x) + x.atan()) / arb.pi()

    return scaled(probability, n)
