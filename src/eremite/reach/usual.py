"""Which reach a count gets where nobody chose one: from public facts alone."""

from fractions import Fraction

from eremite.outliers import OutlierDefinition
from eremite.privacy import Neighbors


def usual_reach(rows: int, columns: int, definition: OutlierDefinition, epsilon: Fraction, neighbors: Neighbors) -> int:
    """The reach D of a count, an integer of 1 or more. Public."""
    usual: float = 0.3 * float(epsilon**2 * rows) ** 0.25
    return max(1, round(usual))
