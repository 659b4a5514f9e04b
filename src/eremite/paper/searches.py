"""Ways to look for subspaces, to be compared: ours, its parts, and the paper's."""

from dataclasses import dataclass
from fractions import Fraction

from eremite.forecast.draws import Drawing, Field, Ints
from eremite.queries.subspaces import CENTER_SHARE, LITTLE_MOVED


@dataclass(frozen=True, slots=True)
class Search:
    """A way to look for subspaces with any epsilon; `share` of it buys the center, unless it is 0."""

    utility: str
    selection: str = "permute-and-flip"
    share: Fraction = Fraction(0)
    between: bool = True

    def picks(self, of: Field, epsilon: float, h: int, runs: int, seed: int) -> Ints:
        """The places of the h winners, one row a run."""
        if self.utility == "auto":
            return (_LITTLE if of.most.max() <= LITTLE_MOVED else _CENTERED).picks(of, epsilon, h, runs, seed)
        each = epsilon * float(1 - self.share) / h
        center = Fraction(f"{epsilon:.6g}") * self.share if self.share else None
        return Drawing(self.utility, self.selection, h, each, center, self.between).picks(of, runs, seed)


_CENTERED = Search("centered", share=CENTER_SHARE)
_LITTLE = Search("paper")
OURS = Search("auto")
DAMPENED = Search("dampened")
PAPER = Search("paper", "exponential")
