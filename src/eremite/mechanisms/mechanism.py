"""What a mechanism for counts offers: the noise, and the bound on the sensitivity that it needs."""

from fractions import Fraction
from typing import Protocol


class Mechanism(Protocol):
    """Noise for a count, given the bound it needs."""

    @property
    def decay(self) -> Fraction | None:
        """Decay of the smooth bound this mechanism needs; None if it uses the global sensitivity."""

    def draw(self, center: int, bound: Fraction) -> int:
        """The noisy count, rounded but not clamped."""

    def half_width(self, share: float = 0.95) -> float:
        """Half the width of the interval that holds this share of the noise, for a bound of 1."""
