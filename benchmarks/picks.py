"""How often the right subspace is drawn, and for which epsilon; the draws are those of `eremite.forecast.draws`."""

import numpy as np

from eremite.forecast.draws import Field, Floats, field, largest_bound
from eremite.paper.searches import DAMPENED, OURS, PAPER, Search

__all__ = ["DAMPENED", "OURS", "PAPER", "Field", "Floats", "Search", "field", "found", "largest_bound", "needed"]


def found(search: Search, of: Field, epsilon: float, runs: int, seed: int = 3) -> float:
    """How often the subspace with the most outliers is the one drawn."""
    return float(np.mean(search.picks(of, epsilon, 1, runs, seed)[:, 0] == of.best))


def needed(search: Search, of: Field, chance: float = 0.9, runs: int = 4_000) -> float:
    """The epsilon at which the right one is found with this chance; infinite where 1,000 do not suffice."""
    low, high = 0.001, 1_000.0
    if found(search, of, high, runs) < chance:
        return float("inf")
    while high / low > 1.01:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if found(search, of, middle, runs) >= chance else (middle, high)
    return high
