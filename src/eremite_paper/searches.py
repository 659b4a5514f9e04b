"""Our search for subspaces as an experiment runs it: simulated many times, for any epsilon."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from eremite.forecast.draws import Drawing, Field, Ints
from eremite.queries.subspaces import CENTER_SHARE, LITTLE_MOVED, few_compared


@dataclass(frozen=True, slots=True)
class Search:
    """A way to search for subspaces. `share` is the part of epsilon spent on the center; 0 means no center."""

    utility: str
    selection: str = "permute-and-flip"
    share: Fraction = Fraction(0)

    def picks(self, of: Field, epsilon: float, h: int, runs: int, seed: int) -> Ints:
        """The places of the h winners, one row a run."""
        if self.utility == "auto":
            return _chosen(of, h).picks(of, epsilon, h, runs, seed)
        each, center = shared_out(epsilon, self.share, h)
        return Drawing(self.utility, self.selection, h, each, center).picks(of, runs, seed)


OURS = Search("auto")


def _chosen(of: Field, h: int) -> Search:
    """What `auto` chooses for a release."""
    if of.most.max() <= LITTLE_MOVED:
        return Search("paper")
    return Search("compared") if few_compared(h, len(of.counts)) else Search("centered", share=CENTER_SHARE)


def shared_out(epsilon: float, share: Fraction, h: int) -> tuple[float, Fraction | None]:
    """The epsilon of each of h draws, and that of the center; None for a share of 0."""
    center = Fraction(f"{epsilon:.6g}") * share if share else None
    return epsilon * float(1 - share) / h, center


def joined(parts: Sequence[Field]) -> Field:
    """One field of the subspaces of several, all of the same table."""
    return Field(
        parts[0].n_rows,
        [subspace for part in parts for subspace in part.subspaces],
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.most for part in parts]),
        [profile for part in parts for profile in part.profiles],
        [profile for part in parts for profile in part.coarse],
    )
