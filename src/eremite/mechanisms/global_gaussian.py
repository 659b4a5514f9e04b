"""The paper's Gaussian noise for the global sensitivity: its Theorem 2, after Dwork et al. (2006).

paper                            here
GS                               bound
sqrt(2 ln(2 / delta)) / epsilon  sigma
"""

from dataclasses import dataclass, field
from fractions import Fraction

from eremite.errors import InputError
from eremite.mechanisms.hockey_stick import certified
from eremite.mechanisms.normal import draw_normal, half_width, proper_delta
from eremite.mechanisms.paper_gaussian import root_of_two_logs
from eremite.privacy import positive


@dataclass(frozen=True, slots=True)
class GlobalGaussian:
    """q + bound * sigma * N(0, 1), rounded: (epsilon, delta)-DP if |q - q'| <= bound for all neighbors.

    The theorem says nothing on where it holds; a sigma is used only if the exact divergence certifies it.
    """

    epsilon: Fraction
    delta: Fraction
    sigma: Fraction = field(init=False)

    def __post_init__(self) -> None:
        epsilon, delta = positive(self.epsilon, "epsilon"), proper_delta(self.delta, "global-gaussian")
        sigma = root_of_two_logs(delta) / epsilon
        if not certified(epsilon, delta, sigma, Fraction(0)):
            raise InputError("global-gaussian does not hold for an epsilon as large as this; use global-laplace.")
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "sigma", sigma)

    @property
    def decay(self) -> None:
        """None: it takes the global bound."""

    def draw(self, center: int, bound: Fraction) -> int:
        """The nearest integer to center + bound * sigma * N(0, 1); not clamped. Distributed exactly so."""
        return draw_normal(center, bound * self.sigma)

    def half_width(self, share: float = 0.95) -> float:
        """For a bound of 1, the noise stays below this with probability `share`."""
        return half_width(share) * float(self.sigma)
