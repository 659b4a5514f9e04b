"""Discrete Gaussian noise of a public scale, for a count of bounded reach (`reach_gaussian.proof.md`).

theory     here
Delta      sensitivity, of the value v that gets the noise
g          fineness: v is a multiple of 1 / g
sigma      sigma, in rows
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from flint import arb

from eremite.errors import InputError
from eremite.intervals import as_arb, at_least
from eremite.ledger.zcdp import largest_rho
from eremite.mechanisms import margins
from eremite.mechanisms.discrete_normal import discrete_tail, draw_discrete_normal
from eremite.mechanisms.margins import USUAL_SHARE
from eremite.mechanisms.normal import proper_delta
from eremite.privacy import positive

_DIGITS = 24  # binary, after the point, of sigma


@dataclass(frozen=True, slots=True)
class ReachGaussian:
    """floor(v + Z / fineness + 1/2), P(Z = z) proportional to e^(-z^2 / (2 (fineness * sigma)^2)).

    rho-zCDP and (epsilon, delta)-DP if |v - v'| <= sensitivity surely: for all neighbors, and for any two runs that
    compute v and v'. The scale is public, and all that is said here about the noise holds for every table.
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    fineness: int = 64
    sigma: Fraction = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", proper_delta(self.delta, "reach-gaussian"))
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))
        object.__setattr__(self, "sigma", _least_sigma(self.epsilon, self.delta, self.sensitivity))

    @property
    def scale(self) -> Fraction:
        """The scale of the noise, in rows: sigma. Public."""
        return self.sigma

    @property
    def rho(self) -> Fraction:
        """The answer is rho-zCDP (claim G1)."""
        return (self.sensitivity / self.sigma) ** 2 / 2

    def draw(self, units: int) -> int:
        """The nearest integer to units / fineness plus noise; not clamped. Distributed exactly so."""
        return margins.to_whole(units + draw_discrete_normal(self._deviation), self.fineness)

    def tail(self, z: int) -> arb:
        """P(Z >= z) for z >= 1, enclosed: in steps of the grid."""
        return discrete_tail(z, self._deviation)

    def half_width(self, share: Fraction | float = USUAL_SHARE) -> int:
        """Whatever v is, this share of all answers is off it by at most this many rows. Public, proved (claim M2)."""
        return _half_width(self, margins.checked_share(share))

    def margin_below(self, confidence: Fraction | float = USUAL_SHARE) -> int:
        """Whatever the table is, an answer less this is at most the true count, so often. Public, proved (claim M3)."""
        return _margin_below(self, margins.checked_share(confidence))

    @property
    def _deviation(self) -> Fraction:
        """sigma in steps of the grid."""
        return self.sigma * self.fineness


@lru_cache(maxsize=1024)
def _least_sigma(epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> Fraction:
    """A multiple of 2^-24, the least but one or two, with sensitivity^2 / (2 sigma^2) <= the largest rho."""
    rho = largest_rho(epsilon, delta)
    if rho == 0:
        raise InputError("No Gaussian noise is certified for this epsilon and delta; use reach.")
    return at_least(lambda: (as_arb(sensitivity**2) / as_arb(2 * rho)).sqrt(), _DIGITS)


@lru_cache(maxsize=1024)
def _half_width(noise: ReachGaussian, share: Fraction) -> int:
    return margins.half_width(noise.tail, noise.fineness, share)


@lru_cache(maxsize=1024)
def _margin_below(noise: ReachGaussian, confidence: Fraction) -> int:
    return margins.margin_below(noise.tail, noise.fineness, confidence)
