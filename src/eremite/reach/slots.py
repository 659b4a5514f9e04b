"""Covers by slots, for rows in tiles: what the rows of a tile weigh there can be sent, and added up (claim C8).

All covers with the same last digits of a name share a slot, so that a slot holds at least what each of its covers does.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.reach.covers import coarse_ratios, ratio_for, salts_of, weight_of, weights_of_gaps
from eremite.reach.lattice import FULL, Lattice, covers_of_a_row, mark, weigh

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_FEWEST, _MOST = 1 << 12, 1 << 24
_ALWAYS_COARSE = 3  # in so many columns, coarse covers of dense places are light


@dataclass(frozen=True, slots=True)
class CoverSlots:
    """The slots of the covers of one lattice, for core rows and a reach. Public."""

    lattice: Lattice
    size: int
    covers: int  # about so many hold a row, or fewer
    min_neighbors: int
    reach: int

    @classmethod
    def of(cls, d: int, radius: float, min_neighbors: int, reach: int, about: int) -> "CoverSlots":
        """For the (Euclidean) radius R, in a table of about so many rows."""
        ratio = ratio_for(d, about, "above")
        lattice, covers = Lattice.of(d, ratio * radius, radius), covers_of_a_row(d, ratio)
        coarse = coarse_ratios(d, ratio)
        if coarse and d <= _ALWAYS_COARSE:  # each fine cover lies in one of these (claim C5)
            lattice = Lattice.of(d, coarse[-1] * radius, (1 + ratio) * radius, roundings=2)
            covers = covers_of_a_row(d, coarse[-1] / (1 + ratio))
        wanted = max(_FEWEST, min(_MOST, int(4 * covers * about)))
        return cls(lattice, 1 << (wanted - 1).bit_length(), int(covers), min_neighbors, reach)

    def sums(self, points: Floats, strata: Ints, degrees: Ints) -> tuple[NDArray[np.uint32], Ints]:
        """Slots, ascending, and what core rows of these degrees weigh in each; one with fewer than k, all that a core
        row can weigh."""
        gaps = np.maximum(degrees - self.min_neighbors + 1, 1)
        weights, ends = weights_of_gaps(gaps), np.zeros(len(points), np.int64)
        names, nothing, salts = self._names(), np.empty(0, np.int32), salts_of(strata)
        while True:
            slots = np.zeros(self.size, np.int32)
            found = weigh(points, salts, weights, *self.lattice.size, names, slots, nothing, ends)
            if found <= names.size:
                break
            names = np.empty(found, np.uint64)
        filled = np.flatnonzero(slots)
        return filled.astype(np.uint32), slots[filled].astype(np.int64)

    def holding(self, points: Floats, strata: Ints, slots: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Which rows have a cover in one of these slots."""
        marks, held = np.zeros(self.size, np.int32), np.zeros(len(points), np.bool_)
        marks[slots] = 1
        names = self._names()
        while True:
            found = mark(points, salts_of(strata), *self.lattice.size, names, marks, 0, held)
            if found <= names.size:
                return held
            names = np.empty(found, np.uint64)

    def _names(self) -> NDArray[np.uint64]:
        return np.empty(2 * self.covers + 64, np.uint64)

    def heavy(self, sums: Ints) -> NDArray[np.bool_]:
        """Which slots may have a heavy cover."""
        return sums > min(weight_of(self.reach), FULL - 1)
