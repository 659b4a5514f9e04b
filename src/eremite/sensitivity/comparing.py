"""Counts compared with each other and measured in replaced rows (claims U4 to U6 of `dampening.proof.md`).

theory        here
q_S - q_R     gap
A_S + A_R     a profile of the gap: both counts move towards each other
lead(S, R)    how many replaced rows R needs to catch up with S; negative if S has to catch up
u_S           the h-th smallest lead of S: how many steps until S leaves the h largest counts, or, negative, enters
              them; the largest lead if there are no more than h counts
"""

from bisect import insort
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from eremite.sensitivity.dampening import Profile, dampened
from eremite.sensitivity.smooth import Glimpse

#: The profile of candidate i, for so many steps.
Look = Callable[[int, int], Profile]

# Floats decide in which order leads are computed. They err by less than this, and a tie gets the look.
_SLACK = 1e-9
_FIRST_STEPS = 8
# A profile holds an index of all rows; of so many candidates it is kept, and made again for the others.
_AT_HAND = 16


def lead(gap: int, first: Profile, second: Profile, limit: int, most: int) -> Fraction:
    """By how many steps the first count is ahead; from step `limit` on a step bridges `most`, the sum of both caps.

    1-Lipschitz in the table for two admissible profiles (claim U4).
    """
    steps = -dampened(-abs(gap), lambda step: first(step) + second(step), limit, most)
    return steps if gap > 0 else -steps


class Comparison:
    """The h-th smallest lead of each count: known by bounds, and exactly on demand. As private as the rows."""

    def __init__(self, seen: Sequence[Glimpse], h: int, limit: int, look: Look) -> None:
        self._seen = seen
        self._h = min(h, len(seen) - 1)  # where all are named, the lead over the last tells their order
        self._limit = min(limit, max(one.most for one in seen))  # there every profile has reached its cap
        self._counts = np.array([one.outliers for one in seen])
        self._most = np.array([one.most for one in seen])
        at_hand = lru_cache(_AT_HAND)(look)
        self._profiles = [_Known(i, at_hand) for i in range(len(seen))]
        spans = [self._spans(i) for i in range(len(seen))]
        self._low, self._high = (np.array(part) for part in zip(*spans, strict=True))

    def bounds(self) -> list[tuple[Fraction, Fraction]]:
        """Whole numbers around each score, from what is known of the profiles (claim U6)."""
        if self._h == 0:
            return [(Fraction(0), Fraction(0))]
        counts, (low, high) = self._counts[:, None], (self._low, self._high)
        entered = [nth_largest(counts - span, self._h) for span in (high, low)]
        left = [nth_largest(counts + span, self._h + 1) for span in (low, high)]
        entering = self._walks(entered[0] - counts - high, entered[1] - counts - low)
        leaving = self._walks(counts - high - left[1], counts - low - left[0])
        scores = []
        for count, enters, leaves in zip(self._counts.tolist(), entering, leaving, strict=True):
            if count < entered[0][0]:
                scores.append((-enters[1], -enters[0]))
            else:
                scores.append(leaves if count > left[0][0] else (0, 0))
        return [(Fraction(least), Fraction(most)) for least, most in scores]

    def _walks(self, shortest: NDArray[np.int64], longest: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Whole steps, at least and at most, that close the gap of each row, left open after 0, 1, ... steps."""
        most = self._limit + int(self._counts.max())  # no walk is longer: a step bridges one outlier at least
        steps = zip(whole_steps(shortest).tolist(), whole_steps(longest).tolist(), strict=True)
        return [(least, most if last == self._limit else last + 1) for least, last in steps]

    def exact(self, i: int) -> Fraction:
        """The h-th smallest lead of one count, or the largest if there are not as many; 0 if there is no other."""
        left, smallest = np.arange(len(self._seen)) != i, list[Fraction]()
        while left.any():
            at_least = np.where(left, self._least_leads(i), np.inf)  # every lead that is computed tells more of others
            j = int(at_least.argmin())
            if len(smallest) == self._h and at_least[j] >= smallest[-1]:
                break
            left[j] = False
            insort(smallest, self._lead(i, j))
            del smallest[self._h :]
        return smallest[-1] if smallest else Fraction(0)

    def _lead(self, i: int, j: int) -> Fraction:
        known = [len(self._profiles[one]) for one in (i, j)]
        gap, most = int(self._counts[i] - self._counts[j]), int(self._most[i] + self._most[j])
        steps = lead(gap, self._profiles[i], self._profiles[j], self._limit, most)
        for one, before in zip((i, j), known, strict=True):
            if len(self._profiles[one]) > before:
                self._low[one], self._high[one] = self._spans(one)
        return steps

    def _least_leads(self, i: int) -> NDArray[np.float64]:
        """About the lead of one count over each other one, or less."""
        gaps = self._counts[i] - self._counts
        ahead = (gaps > 0)[:, None]
        span = np.where(ahead, self._high + self._high[i], self._low + self._low[i])
        leads = np.sign(gaps) * _steps(np.abs(gaps), span, self._most + self._most[i])
        return np.asarray(leads - _SLACK * (1 + np.abs(leads)))

    def _spans(self, i: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What 0, 1, ... steps of a profile bridge at least and at most, from what is known of it."""
        known, one = self._profiles[i].sizes[: self._limit], self._seen[i]
        rest, floor = range(len(known), self._limit), known[-1] if known else 0
        low = [0, *known, *(max(floor, one.lower(step)) for step in rest)]
        high = [0, *known, *(one.upper(step) for step in rest)]
        return np.cumsum(low, dtype=np.int64), np.cumsum(high, dtype=np.int64)


class _Known:
    """A profile that remembers the steps it was asked for; it is computed for a few steps first, and for more later."""

    def __init__(self, i: int, look: Look) -> None:
        self._i = i
        self._look = look
        self._steps = 0
        self.sizes: list[int] = []

    def __len__(self) -> int:
        return len(self.sizes)

    def __call__(self, step: int) -> int:
        while len(self.sizes) <= step:
            if len(self.sizes) == self._steps:
                self._steps = 4 * self._steps or _FIRST_STEPS
            self.sizes.append(self._look(self._i, self._steps)(len(self.sizes)))
        return self.sizes[step]


def nth_largest(values: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The n-th largest value of each column."""
    return np.asarray(np.partition(values, len(values) - n, axis=0)[len(values) - n])


def whole_steps(gaps: NDArray[np.int64]) -> NDArray[np.intp]:
    """After how many whole steps the gap of each row is open still, where it is known after 0, 1, ... steps."""
    return np.asarray(np.count_nonzero(gaps[:, 1:] > 0, axis=1))


def _steps(gaps: NDArray[np.int64], span: NDArray[np.int64], most: NDArray[np.int64]) -> NDArray[np.float64]:
    """About how many steps bridge the gap of each row; `most` for each step beyond the last."""
    whole = np.count_nonzero(span[:, 1:] < gaps[:, None], axis=1)
    rows = np.arange(len(gaps))
    longer = np.column_stack([span, span[:, -1] + most])
    before = longer[rows, whole]
    return np.asarray(whole + (gaps - before) / (longer[rows, whole + 1] - before))
