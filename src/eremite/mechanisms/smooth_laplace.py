"""Smooth Laplace noise: pure epsilon-DP for a bound that changes from table to table (`smooth_laplace.proof.md`).

theory     here
beta       epsilon / SHARPNESS; the smooth bound may change by e^beta between neighbors
rho        decay, a fraction just above e^-beta
W          the noise for a bound of 1; epsilon W has one law for every epsilon
"""

from dataclasses import dataclass
from fractions import Fraction

from eremite.errors import InputError
from eremite.mechanisms.decay import decay_above
from eremite.mechanisms.sampling import draw_integer
from eremite.privacy import exact, positive

#: m = epsilon / beta. A whole number keeps every probability rational; 4 gives the noise a variance.
SHARPNESS = 4

_GUARD = 16  # digits beyond those asked for, so that an enclosure is rarely wider than one unit


@dataclass(frozen=True, slots=True)
class SmoothLaplace:
    """q + bound * W, rounded: epsilon-DP if |q - q'| <= min(bound, bound') and bound / bound' <= 1 / decay.

    The density of v = epsilon W is proportional to (1 - |v|/4)^3 up to |v| = 1 and to (1 + |v|/4)^-5 beyond.
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))

    @property
    def decay(self) -> Fraction:
        """A fraction just above e^(-epsilon / 4), for `smooth_bound`."""
        return decay_above(self.epsilon / SHARPNESS)

    def tail(self, w: Fraction | int) -> Fraction:
        """P(|W| > w), exactly, for w >= 0."""
        at = exact(w, "w")
        if at < 0:
            raise InputError("w must be 0 or more.")
        return Fraction(*_tail(*(self.epsilon * at).as_integer_ratio()))

    def draw(self, center: int, bound: Fraction) -> int:
        """The nearest integer to center + bound * W; not clamped. Distributed exactly so, from integer arithmetic."""
        if bound == 0:
            return center
        half_step = self.epsilon / (2 * bound)  # in v; a bound from many steps away has many digits
        shortened: dict[int, tuple[int, int]] = {}

        def enclose(y: int, n: int) -> tuple[int, int]:
            if n not in shortened:
                shortened[n] = _shortened(half_step, n + _GUARD)
            half_steps = 2 * (y - center) + 1  # y + 1/2 lies this many halves from the center
            low, high = _half_tail(*shortened[n], abs(half_steps), n)
            return (low, high) if half_steps < 0 else ((1 << n) - high, (1 << n) - low)

        return draw_integer(enclose, center)

    def cumulative(self, y: int, center: int, bound: Fraction) -> Fraction:
        """P(draw(center, bound) <= y), exactly."""
        half_steps = 2 * (y - center) + 1
        tail = self.tail(Fraction(abs(half_steps), 2) / bound) / 2
        return tail if half_steps < 0 else 1 - tail

    def half_width(self, share: float = 0.95) -> float:
        """|W| stays below this with probability `share`: `tail`, inverted on either side of v = 1."""
        rest = 310 * (1 - share)
        v: float = 4 - (rest - 54) ** 0.25 if rest >= 135 else (84375 / rest) ** 0.25 - 4
        return v / float(self.epsilon)


def _shortened(number: Fraction, n: int) -> tuple[int, int]:
    """The first n binary digits of a number, as an integer and the power of two it is to be divided by."""
    above, below = number.as_integer_ratio()
    digits = max(0, n + below.bit_length() - above.bit_length())
    return (above << digits) // below, digits


def _half_tail(step: int, digits: int, times: int, n: int) -> tuple[int, int]:
    """Integers around 2^n P(|v| > times x) / 2, for every x from step / 2^digits to (step + 1) / 2^digits."""
    least, whole = _tail((step + 1) * times, 1 << digits)
    most, its_whole = _tail(step * times, 1 << digits)
    return (least << n) // (2 * whole), -((-most << n) // (2 * its_whole))


def _tail(above: int, below: int) -> tuple[int, int]:
    """P(|v| > above / below) as a numerator and a denominator, not reduced."""
    if above <= below:
        fourth = below**4
        return (4 * below - above) ** 4 + 54 * fourth, 310 * fourth
    return 84375 * below**4, 310 * (4 * below + above) ** 4
