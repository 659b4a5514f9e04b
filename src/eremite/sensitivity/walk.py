"""A walk between two counts, measured in steps, whose profile is looked at no closer than it takes (U3 and U7 of
`dampening.proof.md`).

theory          here
gap             |q - c|
A^(t)           between low[t] and high[t]; it never falls as t grows
D^-1(gap)       between the walks that `high` and `low` allow
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

#: A^(step), or the floor if that is larger.
LookAtStep = Callable[[int, int], int]


class Walk:
    """How many steps lead over a gap: known by bounds that each look narrows, until they meet. As private as the rows.

    It is -`dampened(-gap, ...)` for the profile that is looked at, with the cap `most` from step `limit` on.

    Args:
        gap: How many outliers lie between the two counts.
        low: A^(0), A^(1), ..., or less, never falling; so many steps that they bridge the gap or are at the cap, or
            `limit` steps.
        high: The same, or more.
        most: The cap of the profile.
        look: A^(t) for one step, or a floor if that is larger: larger floors take less time.
    """

    def __init__(self, gap: int, low: NDArray[np.int64], high: NDArray[np.int64], most: int, look: LookAtStep) -> None:
        self._gap = gap
        self._low, self._high = low.copy(), high.copy()
        self._most = most
        self._look = look

    def bounds(self) -> tuple[Fraction, Fraction]:
        """The fewest steps and the most that it may take, by what is known."""
        return steps_over(self._gap, self._high, self._most), steps_over(self._gap, self._low, self._most)

    def narrow(self) -> None:
        """Look at one step, so closely that it shows whether the walk is longer than about the middle of its bounds.

        Changes nothing if the bounds meet.
        """
        least, most = self.bounds()
        if least == most:
            return
        middle = min(max(floor(least) + 1, (floor(least) + ceil(most)) // 2), self._low.size)
        # Were every step before the middle known, so would be on which side of it the walk ends, and where.
        step = self._least_known(middle)
        enough = self._most_too_small(middle, step) if least < middle else int(self._low[step])
        found = self._look(step, enough)
        np.minimum(self._high[: step + 1], found, out=self._high[: step + 1])
        if found > enough:
            np.maximum(self._low[step:], found, out=self._low[step:])

    def _least_known(self, end: int) -> int:
        """The last step before `end`, or if that is known, the middle of the run of steps of which least is known."""
        open_by = (self._high - self._low)[:end]
        if open_by[-1] > 0:
            return end - 1
        edges = np.flatnonzero(np.diff(open_by > 0, prepend=False, append=False))
        begins, ends = edges[::2], edges[1::2]
        widest = int(np.add.reduceat(open_by, begins).argmax())  # what lies between two runs adds nothing
        return int(begins[widest] + ends[widest] - 1) // 2

    def _most_too_small(self, middle: int, step: int) -> int:
        """The largest A^(step) with which the walk is longer than `middle`; or its lower bound, if there is none."""
        low, high = int(self._low[step]), int(self._high[step]) - 1
        while low < high:
            size = (low + high + 1) // 2
            sizes = np.append(np.minimum(self._high[: step + 1], size), self._high[step + 1 : middle])
            bridged = int(np.minimum(sizes, self._gap).sum())
            low, high = (size, high) if bridged < self._gap else (low, size - 1)
        return low


def steps_over(gap: int, sizes: NDArray[np.int64], most: int) -> Fraction:
    """How many steps bridge a gap if step t bridges sizes[t], and `most` beyond the last."""
    bridged = np.cumsum(np.minimum(sizes, gap))  # a step that bridges more ends the walk, and sums stay small
    whole = int(np.searchsorted(bridged, gap))
    before = int(bridged[whole - 1]) if whole else 0
    return whole + Fraction(gap - before, int(sizes[whole]) if whole < sizes.size else most)
