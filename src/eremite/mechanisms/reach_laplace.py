"""Discrete Laplace noise of a public scale, for a count of bounded reach (`reach_laplace.proof.md`).

theory     here
Delta      sensitivity, of the value v that gets the noise
g          fineness: v is a multiple of 1 / g
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb

from eremite.intervals import as_arb
from eremite.mechanisms import margins
from eremite.mechanisms.global_laplace import laplace_below
from eremite.mechanisms.margins import USUAL_SHARE
from eremite.mechanisms.sampling import draw_integer
from eremite.privacy import positive


@dataclass(frozen=True, slots=True)
class ReachLaplace:
    """floor(v + Z / fineness + 1/2), P(Z = z) proportional to e^(-epsilon |z| / (fineness * sensitivity)).

    epsilon-DP if |v - v'| <= sensitivity surely: for all neighbors, and for any two runs that compute v and v'. The
    scale is public, and all that is said here about the noise holds for every table.
    """

    epsilon: Fraction
    sensitivity: Fraction
    fineness: int = 64

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))

    @property
    def scale(self) -> Fraction:
        """The scale of the noise, in rows. Public."""
        return self.sensitivity / self.epsilon

    @property
    def rate(self) -> Fraction:
        """By e^-rate the noise gets unlikelier with each step of the grid."""
        return 1 / (self.scale * self.fineness)

    def draw(self, units: int) -> int:
        """The nearest integer to units / fineness plus noise; not clamped. Distributed exactly so."""
        rate = self.rate
        noise = draw_integer(lambda y, n: laplace_below(y, n, rate), 0)
        return margins.to_whole(units + noise, self.fineness)

    def tail(self, z: int) -> arb:
        """P(Z >= z) for z >= 0, enclosed: in steps of the grid."""
        return as_arb(-self.rate * z).exp() / (1 + as_arb(-self.rate).exp())

    def half_width(self, share: Fraction | float = USUAL_SHARE) -> int:
        """Whatever v is, this share of all answers is off it by at most this many rows. Public, exact (claim M2)."""
        return _half_width(self, margins.checked_share(share))

    def margin_below(self, confidence: Fraction | float = USUAL_SHARE) -> int:
        """Whatever the table is, an answer less this is at most the true count, so often. Public, exact (claim M3)."""
        return _margin_below(self, margins.checked_share(confidence))


@lru_cache(maxsize=1024)
def _half_width(noise: ReachLaplace, share: Fraction) -> int:
    return margins.half_width(noise.tail, noise.fineness, share)


@lru_cache(maxsize=1024)
def _margin_below(noise: ReachLaplace, confidence: Fraction) -> int:
    return margins.margin_below(noise.tail, noise.fineness, confidence)
