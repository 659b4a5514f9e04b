"""The cost of one release, in the two units that a budget counts.

A release is (epsilon, delta)-DP, and also `rho_delta`-approximate `rho`-zCDP (zero-concentrated differential privacy,
Bun and Steinke 2016). Both hold for the same release, so a budget may count either (`decide.proof.md`, L2 and L3).
"""

from dataclasses import dataclass, fields
from fractions import Fraction

from eremite.errors import InputError

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of a release that is (epsilon, delta)-DP and `rho_delta`-approximate `rho`-zCDP."""

    epsilon: Fraction
    delta: Fraction = _ZERO
    rho: Fraction
    rho_delta: Fraction = _ZERO

    def __post_init__(self) -> None:
        if not all(isinstance(getattr(self, field.name), Fraction) for field in fields(self)):
            raise InputError("A cost is made of exact fractions; convert its numbers with eremite.privacy.exact.")
        if not (self.epsilon > 0 and self.rho > 0 and 0 <= self.delta < 1 and 0 <= self.rho_delta < 1):
            raise InputError("A cost needs epsilon and rho above 0, and deltas from 0 to below 1.")

    @classmethod
    def pure(cls, epsilon: Fraction) -> "Cost":
        """The cost of any epsilon-DP release, which is epsilon^2/2-zCDP (Bun and Steinke 2016, Proposition 1.4)."""
        return cls(epsilon=epsilon, rho=epsilon**2 / 2)

    @classmethod
    def approximate(cls, epsilon: Fraction, delta: Fraction) -> "Cost":
        """The cost of any (epsilon, delta)-DP release: delta-approximate epsilon^2/2-zCDP (same paper, section 8)."""
        return cls(epsilon=epsilon, delta=delta, rho=epsilon**2 / 2, rho_delta=delta)
