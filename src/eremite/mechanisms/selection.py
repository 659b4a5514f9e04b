"""Choosing one of many by a private score: permute and flip, and the exponential mechanism (`selection.proof.md`).

paper / theory       here
u_i                  the score of candidate i, 1-Lipschitz in the table
exp(epsilon u / 2)   weight exp(rate u); e^-drop of the largest, drop = rate (max u - u_i)

Scores are looked at only as closely as a draw takes (claim C3 of `queries/subspaces.proof.md`).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from eremite.intervals import as_arb, scaled
from eremite.mechanisms import entropy
from eremite.mechanisms.sampling import Uniform

#: The exact score of a candidate.
Exact = Callable[[int], Fraction]


class Scores:
    """Scores u_i known by bounds, and exactly where that matters. What is drawn is distributed as if all were known."""

    def __init__(self, bounds: Sequence[tuple[Fraction, Fraction]], exact: Exact, rate: Fraction) -> None:
        self._low = [low for low, _ in bounds]
        self._high = [high for _, high in bounds]
        self._exact = exact
        self._rate = rate  # weight exp(rate u)
        self._left = list(range(len(bounds)))  # in this order bits are used, so bounds do not change what is drawn

    def permute_and_flip(self) -> int:
        """Draw one candidate and take it out: each is kept with probability e^-drop, then one of the kept at random."""
        best = self._best()
        kept = [i for i in self._left if self._keeps(i, best)]
        return self._take(kept[below(len(kept))])

    def exponential(self) -> int:
        """Draw one candidate and take it out: with probability proportional to e^-drop."""
        best = self._best()
        while True:
            i = self._left[below(len(self._left))]
            if self._keeps(i, best):
                return self._take(i)

    def _take(self, i: int) -> int:
        self._left.remove(i)
        return i

    def _best(self) -> Fraction:
        """The largest score left; by falling upper bounds, so that few need an exact look."""
        best: Fraction | None = None
        for i in sorted(self._left, key=lambda i: -self._high[i]):
            if best is None or self._high[i] > best:
                self._settle(i)
                best = self._low[i] if best is None else max(best, self._low[i])
        assert best is not None, "a draw needs a candidate"  # noqa: S101 -- the plan keeps h within the family
        return best

    def _keeps(self, i: int, best: Fraction) -> bool:
        uniform = Uniform()
        decided = uniform.side(lambda _, n: self._enclosed(i, best, n), 0)
        if decided is not None:
            return decided
        self._settle(i)
        return uniform.below(lambda _, n: self._enclosed(i, best, n), 0)

    def _enclosed(self, i: int, best: Fraction, n: int) -> tuple[int, int]:
        """Integers around 2^n e^-drop, whichever score between its bounds is the true one."""
        low = scaled(lambda: as_arb(self._rate * (self._low[i] - best)).exp(), n)
        if self._low[i] == self._high[i]:
            return low
        return low[0], scaled(lambda: as_arb(self._rate * (self._high[i] - best)).exp(), n)[1]

    def _settle(self, i: int) -> None:
        if self._low[i] < self._high[i]:
            self._low[i] = self._high[i] = self._exact(i)


def zcdp_of_draw(epsilon: Fraction, selection: str) -> Fraction:
    """The rho of one draw that is epsilon-DP: by its range for the exponential mechanism (E4), else as of any."""
    return epsilon**2 / (8 if selection == "exponential" else 2)


def below(n: int) -> int:
    """One of 0, ..., n - 1, each with the same probability."""
    bits = (n - 1).bit_length()
    while True:
        drawn = entropy.system_bits(bits) if bits else 0
        if drawn < n:
            return drawn
