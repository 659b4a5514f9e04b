"""How often the right subspace is drawn, and for which epsilon; the draws are those of `eremite.forecast.draws`."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from eremite.forecast.draws import Field, Ints, dampened, draws, noisy_centers
from eremite_paper.searches import Search, shared_out

DAMPENED = Search("dampened")
PAPER = Search("paper", "exponential")


class Picks(Protocol):
    """Any way to search for subspaces: `Search`, or one that no release offers."""

    def picks(self, of: Field, epsilon: float, h: int, runs: int, seed: int) -> Ints:
        """The places of the h winners, one row a run."""
        ...


@dataclass(frozen=True, slots=True)
class CenterAtTheLast:
    """Centered search whose center is the h-th largest count, instead of half-way from it to the next."""

    share: Fraction

    def picks(self, of: Field, epsilon: float, h: int, runs: int, seed: int) -> Ints:
        """The places of the h winners, one row a run."""
        rng = np.random.default_rng(seed)
        each, center = shared_out(epsilon, self.share, h)
        assert center is not None
        centers = noisy_centers(of, np.sort(of.counts)[-h], center, runs, rng)
        return draws(dampened(of, centers, each), each / 2, h, "permute-and-flip", rng)


def best(of: Field) -> int:
    """The place of the subspace with the most outliers."""
    return int(of.counts.argmax())


def of_size(of: Field, size: int) -> Field:
    """Only the subspaces of one size."""
    kept = [i for i, subspace in enumerate(of.subspaces) if len(subspace) == size]
    lists = ([each[i] for i in kept] for each in (of.profiles, of.coarse))
    return Field(of.n_rows, [of.subspaces[i] for i in kept], of.counts[kept], of.most[kept], *lists)


def found(search: Picks, of: Field, epsilon: float, runs: int, seed: int = 3) -> float:
    """How often the subspace with the most outliers is the one drawn."""
    return float(np.mean(search.picks(of, epsilon, 1, runs, seed)[:, 0] == best(of)))


def needed(search: Picks, of: Field, chance: float = 0.9, runs: int = 4_000) -> float:
    """The epsilon at which the right one is found with this chance; infinite where 1,000 do not suffice."""
    low, high = 0.001, 1_000.0
    if found(search, of, high, runs) < chance:
        return float("inf")
    while high / low > 1.01:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if found(search, of, middle, runs) >= chance else (middle, high)
    return high
