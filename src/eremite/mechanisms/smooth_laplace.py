"""Smooth Laplace noise: pure epsilon-DP for a bound that changes from table to table (`smooth_laplace.proof.md`).

theory     here
m          SHARPNESS
beta       epsilon / SHARPNESS; the smooth bound may change by e^beta between neighbors
rho        decay, a fraction just above e^-beta
kappa      law.kappa, a fraction just above beta / (e^beta - 1)
W          the noise for a bound of 1; the law of epsilon |W| is in `smooth_laplace_law.py`
"""

from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb

from eremite.errors import InputError
from eremite.mechanisms.decay import decay_above
from eremite.mechanisms.sampling import Enclose, draw_integer
from eremite.mechanisms.smooth_laplace_law import FixedPoint, Law, fixed_point, kappa_above
from eremite.privacy import exact, positive

#: m = epsilon / beta. A whole number keeps two of the three pieces rational; 3 is the least with a variance.
SHARPNESS = 3

_GUARD = 64  # digits beyond those asked for, which hold those of kappa: an enclosure is rarely wider than one unit


@dataclass(frozen=True, slots=True)
class SmoothLaplace:
    """q + bound * W, rounded: epsilon-DP if |q - q'| <= min(bound, bound') and bound / bound' <= 1 / decay.

    The density of W falls like a power near 0, like e^(-epsilon |w|) around 1 / epsilon, and like |w|^-4 far out.
    """

    epsilon: Fraction
    law: Law = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "law", Law(kappa_above(self.epsilon / SHARPNESS)))

    @property
    def decay(self) -> Fraction:
        """A fraction just above e^(-epsilon / 3), for `smooth_bound`."""
        return decay_above(self.epsilon / SHARPNESS)

    def tail(self, w: Fraction | int) -> arb:
        """P(|W| > w) for w >= 0, enclosed: its width is below 2^-100 of it."""
        at = exact(w, "w")
        if at < 0:
            raise InputError("w must be 0 or more.")
        return self.law.tail(self.epsilon * at)

    def draw(self, center: int, bound: Fraction) -> int:
        """The nearest integer to center + bound * W; not clamped. Distributed exactly so, without a float."""
        return center if bound == 0 else draw_integer(self.enclosure(center, bound), center)

    def enclosure(self, center: int, bound: Fraction) -> Enclose:
        """What a draw compares its random number with: integers around 2^n P(draw(center, bound) <= y)."""
        half_step = self.epsilon / (2 * bound)  # in v; a bound from many steps away has many digits
        known: dict[int, tuple[FixedPoint, int, int]] = {}

        def enclose(y: int, n: int) -> tuple[int, int]:
            if n not in known:
                known[n] = fixed_point(self.law.kappa, n + _GUARD), *_shortened(half_step, n + _GUARD)
            half_steps = 2 * (y - center) + 1  # y + 1/2 lies this many halves from the center
            low, high = _half_tail(*known[n], abs(half_steps), n)
            return (low, high) if half_steps < 0 else ((1 << n) - high, (1 << n) - low)

        return enclose

    def cumulative(self, y: int, center: int, bound: Fraction) -> arb:
        """P(draw(center, bound) <= y), enclosed as `tail` is."""
        half_steps = 2 * (y - center) + 1
        return self.law.below(self.epsilon * half_steps / (2 * bound))

    def half_width(self, share: float = 0.95) -> float:
        """|W| stays below this with probability `share`."""
        return self.law.quantile(share) / float(self.epsilon)

    @property
    def deviation(self) -> float:
        """The standard deviation of W."""
        return self.law.deviation() / float(self.epsilon)


def _shortened(number: Fraction, n: int) -> tuple[int, int]:
    """The first n binary digits of a number, as an integer and the power of two it is to be divided by."""
    above, below = number.as_integer_ratio()
    digits = max(0, n + below.bit_length() - above.bit_length())
    return (above << digits) // below, digits


def _half_tail(law: FixedPoint, step: int, digits: int, times: int, n: int) -> tuple[int, int]:
    """Integers around 2^n P(v > times x) / 2, for every x from step / 2^digits to (step + 1) / 2^digits."""
    shift = digits - law.digits
    if shift < 0:
        return law.half_tail(step * times << -shift, (step + 1) * times << -shift, n)
    return law.half_tail(step * times >> shift, -(-(step + 1) * times >> shift), n)
