"""Choosing one of many by a private score: permute and flip, and the exponential mechanism (`selection.proof.md`).

paper / theory       here
u_i                  the score of candidate i, 1-Lipschitz in the table
exp(epsilon u / 2)   weight exp(rate u); e^-drop of the largest, drop = rate (max u - u_i)

Scores are looked at only as closely as a draw takes (claim C3 of `queries/subspaces.proof.md`).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from heapq import nlargest

from eremite.intervals import as_arb, scaled
from eremite.mechanisms import entropy
from eremite.mechanisms.sampling import Uniform

# Bounds on a score that leave its weight open by more than e to the power of this are vague.
_VAGUE = 1

#: Closer bounds on the score of a candidate; after some looks they meet.
Look = Callable[[int], tuple[Fraction, Fraction]]


class Scores:
    """Scores u_i known by bounds, and more closely where that matters. Drawn is as if all were known exactly."""

    def __init__(self, bounds: Sequence[tuple[Fraction, Fraction]], look: Look, rate: Fraction) -> None:
        self._low = [low for low, _ in bounds]
        self._high = [high for _, high in bounds]
        self._look = look
        self._rate = rate  # weight exp(rate u)
        self._highest = self._surest = list[int]()
        self._left = list(range(len(bounds)))  # in this order bits are used, so bounds do not change what is drawn

    @classmethod
    def known(cls, exact: Sequence[Fraction], rate: Fraction) -> "Scores":
        """Scores that need no look."""
        return cls([(score, score) for score in exact], lambda i: (exact[i], exact[i]), rate)

    def permute_and_flip(self) -> int:
        """Draw one candidate and take it out: each is kept with probability e^-drop, then one of the kept at random."""
        self._rank()
        kept = [i for i in self._left if self._keeps(i)]
        return self._take(kept[below(len(kept))])

    def exponential(self) -> int:
        """Draw one candidate and take it out: with probability proportional to e^-drop."""
        self._rank()
        while True:
            i = self._left[below(len(self._left))]
            if self._keeps(i):
                return self._take(i)

    def _take(self, i: int) -> int:
        self._left.remove(i)
        return i

    def _rank(self) -> None:
        """Note the two candidates left with the largest upper bounds, and the two with the largest lower ones."""
        self._highest = nlargest(2, self._left, key=self._high.__getitem__)
        self._surest = nlargest(2, self._left, key=self._low.__getitem__)

    def _rivals(self, i: int) -> tuple[int, int] | None:
        """The other candidates with the largest upper bound and with the largest lower bound; None if there is none."""
        if len(self._left) == 1:
            return None
        highest, surest = (next(one for one in ahead if one != i) for ahead in (self._highest, self._surest))
        return highest, surest

    def _keeps(self, i: int) -> bool:
        """Whether a uniform number is below e^-drop, with looks until that is clear."""
        uniform = Uniform()
        while (decided := uniform.side(lambda _, n: self._enclosed(i, n), 0)) is None:
            unclear = self._least_clear(i)
            if unclear is None:
                return uniform.below(lambda _, n: self._enclosed(i, n), 0)
            self._low[unclear], self._high[unclear] = self._look(unclear)
            self._rank()
        return decided

    def _enclosed(self, i: int, n: int) -> tuple[int, int]:
        """Integers around 2^n e^-drop, whichever scores between their bounds are the true ones."""
        least, most = self._drop(i)
        low = scaled(lambda: as_arb(-self._rate * most).exp(), n)
        return low if least == most else (low[0], scaled(lambda: as_arb(-self._rate * least).exp(), n)[1])

    def _drop(self, i: int) -> tuple[Fraction, Fraction]:
        """Bounds on max u - u_i: how far the largest other score is above this one, or 0."""
        rivals, none = self._rivals(i), Fraction(0)
        if rivals is None:
            return none, none
        highest, surest = rivals
        return max(none, self._low[surest] - self._high[i]), max(none, self._high[highest] - self._low[i])

    def _least_clear(self, i: int) -> int | None:
        """Whom to look at: those ahead until they are known well, as all coins depend on them; then the least known.

        None if the bounds of all of them meet.
        """
        rivals = self._rivals(i) or ()
        vague = [one for one in rivals if self._rate * self._width(one) > _VAGUE]
        unclear = max(vague or (*rivals, i), key=self._width)
        return unclear if self._width(unclear) else None

    def _width(self, i: int) -> Fraction:
        return self._high[i] - self._low[i]


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
