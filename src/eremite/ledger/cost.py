"""What one release costs, in the two currencies a budget is kept in.

Sums of epsilon and delta, and zero-concentrated privacy (zCDP, Bun and Steinke 2016): a release is
`rho_delta`-approximate `rho`-zCDP. Both hold of the same release, so a budget may count it in either
(`decide.proof.md`, L2 and L3).
"""

from dataclasses import dataclass, fields
from fractions import Fraction

from eremite.errors import InputError

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """A release that is (epsilon, delta)-DP, and `rho_delta`-approximate `rho`-zCDP."""

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
        """Of any epsilon-DP release: epsilon^2/2-zCDP (Bun and Steinke 2016, Proposition 1.4)."""
        return cls(epsilon=epsilon, rho=epsilon**2 / 2)

    @classmethod
    def approximate(cls, epsilon: Fraction, delta: Fraction) -> "Cost":
        """Of any (epsilon, delta)-DP release: delta-approximate epsilon^2/2-zCDP (the same, section 8)."""
        return cls(epsilon=epsilon, delta=delta, rho=epsilon**2 / 2, rho_delta=delta)
