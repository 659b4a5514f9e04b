"""Gaussian noise for a smooth bound, as little as (epsilon, delta)-DP allows (`gaussian.proof.md`).

theory     here
beta       steadiness; the smooth bound may change by e^beta between neighbors
sigma/S    sigma, the standard deviation for a bound of 1
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import exp

from eremite.errors import InputError
from eremite.mechanisms.decay import decay_above
from eremite.mechanisms.hockey_stick import certified
from eremite.mechanisms.normal import draw_normal, half_width, proper_delta
from eremite.mechanisms.paper_gaussian import paper_steadiness
from eremite.privacy import positive

#: The steadinesses tried, as multiples of the paper's. More of it means a smaller bound and wider noise.
_MULTIPLES = tuple(Fraction(n, 2) for n in (2, 3, 4, 6, 8, 12, 16))
_FINENESS = 1 << 12


@dataclass(frozen=True, slots=True)
class Gaussian:
    """q + bound * sigma * N(0, 1), rounded: (epsilon, delta)-DP, with the smallest sigma that is certified.

    It needs |q - q'| <= min(bound, bound') and bound / bound' <= 1 / decay.
    """

    epsilon: Fraction
    delta: Fraction
    sigma: Fraction = field(init=False)
    decay: Fraction = field(init=False)

    def __post_init__(self) -> None:
        epsilon, delta = positive(self.epsilon, "epsilon"), proper_delta(self.delta, "gaussian")
        sigma, steadiness = _least(epsilon, delta)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "sigma", sigma)
        object.__setattr__(self, "decay", decay_above(steadiness))

    def draw(self, center: int, bound: Fraction) -> int:
        """The nearest integer to center + bound * sigma * N(0, 1); not clamped. Distributed exactly so."""
        return draw_normal(center, bound * self.sigma)

    def half_width(self, share: float = 0.95) -> float:
        """For a bound of 1, the noise stays below this with probability `share`."""
        return half_width(share) * float(self.sigma)


@lru_cache(maxsize=256)
def _least(epsilon: Fraction, delta: Fraction) -> tuple[Fraction, Fraction]:
    """The pair (sigma, steadiness) with the least noise on the profile t + 3; the choice sees public numbers only."""
    base = paper_steadiness(epsilon, delta)
    found = [(_least_sigma(epsilon, delta, base * times), base * times) for times in _MULTIPLES]
    pairs = [(sigma, steadiness) for sigma, steadiness in found if sigma is not None]
    if not pairs:
        raise InputError("No Gaussian noise is certified for this epsilon and delta; use smooth-laplace.")
    return min(pairs, key=lambda pair: float(pair[0]) * _smallest_bound(float(pair[1])))


def _smallest_bound(steadiness: float) -> float:
    at = max(0.0, 1 / steadiness - 3)
    return exp(-steadiness * at) * (at + 3)


def _least_sigma(epsilon: Fraction, delta: Fraction, steadiness: Fraction) -> Fraction | None:
    """Bisect for the least certified sigma, to one part in 4,096; None if none is below a million / epsilon."""
    low, high = Fraction(1, 100) / epsilon, Fraction(10**6) / epsilon
    if not certified(epsilon, delta, high, steadiness):
        return None
    while high > low * Fraction(_FINENESS + 1, _FINENESS):
        middle = _between(low, high)
        if certified(epsilon, delta, middle, steadiness):
            high = middle
        else:
            low = middle
    return high


def _between(low: Fraction, high: Fraction) -> Fraction:
    """About their geometric mean, with few digits."""
    mean = float(low) ** 0.5 * float(high) ** 0.5
    return Fraction(mean).limit_denominator(10**9) if mean > 1e-3 else Fraction(mean)
