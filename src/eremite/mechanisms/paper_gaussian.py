"""The paper's Gaussian noise for a smooth bound: its Theorem 4, after Nissim, Raskhodnikova and Smith (2007).

paper      here
alpha      1 / sigma    epsilon / (5 sqrt(2 ln(2 / delta)))
beta       paper_steadiness(epsilon, delta) = epsilon / (4 (1 + ln(2 / delta)))
"""

from dataclasses import dataclass, field
from fractions import Fraction

from eremite.errors import InputError
from eremite.intervals import as_arb, at_least, at_most
from eremite.mechanisms.decay import decay_above
from eremite.mechanisms.hockey_stick import certified
from eremite.mechanisms.normal import draw_normal, half_width, proper_delta
from eremite.privacy import positive

_DIGITS = 40


@dataclass(frozen=True, slots=True)
class PaperGaussian:
    """q + bound / alpha * N(0, 1), rounded: (epsilon, delta)-DP for epsilon and delta between 0 and 1.

    It needs |q - q'| <= min(bound, bound') and bound / bound' <= 1 / decay.
    """

    epsilon: Fraction
    delta: Fraction
    sigma: Fraction = field(init=False)
    decay: Fraction = field(init=False)

    def __post_init__(self) -> None:
        epsilon, delta = positive(self.epsilon, "epsilon"), proper_delta(self.delta, "gaussian-paper")
        if epsilon >= 1:
            raise InputError("gaussian-paper is proved for epsilon below 1 only; use gaussian or smooth-laplace.")
        sigma, steadiness = 5 * root_of_two_logs(delta) / epsilon, paper_steadiness(epsilon, delta)
        if not certified(epsilon, delta, sigma, steadiness):
            raise InputError("gaussian-paper is not certified for this epsilon and delta; use gaussian.")
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


def paper_steadiness(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A fraction just below the paper's beta."""
    return epsilon * at_most(lambda: 1 / (4 * (1 + as_arb(2 / delta).log())), _DIGITS)


def root_of_two_logs(delta: Fraction) -> Fraction:
    """A fraction just above sqrt(2 ln(2 / delta))."""
    return at_least(lambda: (2 * as_arb(2 / delta).log()).sqrt(), _DIGITS)
