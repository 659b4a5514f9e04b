"""What mechanisms for counts offer: how wide the noise is, and how it is drawn."""

from fractions import Fraction
from typing import Protocol


class Mechanism(Protocol):
    """Noise for a count."""

    @property
    def decay(self) -> Fraction | None:
        """Decay of the smooth bound this mechanism needs; None if it needs none of the table."""

    def half_width(self, share: float = 0.95) -> float:
        """Half the width of the interval that holds this share of the noise, for a bound of 1."""


class BoundedMechanism(Mechanism, Protocol):
    """Noise that is scaled by a bound on what one row can change."""

    def draw(self, center: int, bound: Fraction) -> int:
        """The noisy count, rounded but not clamped."""
