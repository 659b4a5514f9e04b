"""Discrete Laplace noise for the global sensitivity (`global.proof.md`).

paper      here
GS         bound
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log

from flint import arb

from eremite.intervals import as_arb, scaled
from eremite.mechanisms.sampling import draw_integer
from eremite.privacy import positive


@dataclass(frozen=True, slots=True)
class GlobalLaplace:
    """center plus an integer z with probability proportional to e^(-epsilon |z| / bound).

    epsilon-DP if |q - q'| <= bound for all neighbors.
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))

    @property
    def decay(self) -> None:
        """None: it takes the global bound."""

    def draw(self, center: int, bound: Fraction) -> int:
        """The center with noise; not clamped. Distributed exactly so."""
        if bound == 0:
            return center
        return draw_integer(lambda y, n: laplace_below(y - center, n, self.epsilon / bound), center)

    def half_width(self, share: float = 0.95) -> float:
        """For a bound of 1, the noise stays below about this with probability `share`."""
        return -log(1 - share) / float(self.epsilon)


def laplace_below(z: int, n: int, rate: Fraction) -> tuple[int, int]:
    """Integers around 2^n P(Z <= z), P(Z = z) proportional to e^(-rate |z|)."""

    def tail(steps: int) -> arb:
        """P(Z >= steps), steps >= 0: e^(-rate steps) / (1 + e^-rate)."""
        return as_arb(-rate * steps).exp() / (1 + as_arb(-rate).exp())

    return scaled(lambda: tail(-z) if z < 0 else 1 - tail(z + 1), n)
