"""Slots of covers, for rows in tiles: what the rows of a tile weigh there can be sent, and added up (claim C8).

In few columns a slot is a cell, and blocks of cells hold covers. Elsewhere all covers with the same last digits of a
name share a slot, so that a slot holds at least what each of its covers does.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.engines import Slots
from eremite.reach.covers import (
    Covers,
    Places,
    apart,
    coarse_ratios,
    ratio_for,
    salts_of,
    weight_of,
    weights_of_gaps,
)
from eremite.reach.grid import MOST_CELLS, Grid
from eremite.reach.lattice import FULL, Lattice, covers_of_a_row, mark, weigh

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_FEWEST, _MOST = 1 << 12, 1 << 22
_ALWAYS_COARSE = 3  # in so many columns, coarse covers of dense places are light
_COARSE = 1  # the lattice of those that are looked at first, from the coarsest on


def slots_for(d: int, strata: int, radius: float, min_neighbors: int, reach: int, about: int) -> Slots:
    """For core rows in the unit cube, the (Euclidean) radius R, and a table of about so many rows. Public."""
    ratio = ratio_for(d, about, "above")
    within = apart(np.ones((1, d)), radius, ratio)
    grid = Grid.of((0.0,) * d, (1.0,) * d, strata, radius, within, MOST_CELLS)
    if grid is not None:
        return BlockSlots(radius, ratio, min_neighbors, reach, grid)
    lattice, covers = Lattice.of(d, ratio * radius, radius), covers_of_a_row(d, ratio)
    coarse = coarse_ratios(d, ratio)
    if coarse and d <= _ALWAYS_COARSE:  # each fine cover lies in one of these (claim C5)
        chosen = coarse[min(_COARSE, len(coarse) - 1)]
        lattice = Lattice.of(d, chosen * radius, (1 + ratio) * radius, roundings=2)
        covers = covers_of_a_row(d, chosen / (1 + ratio))
    wanted = max(_FEWEST, min(_MOST, int(4 * covers * about)))
    return CoverSlots(radius, ratio, min_neighbors, reach, lattice, 1 << (wanted - 1).bit_length(), int(covers))


@dataclass(frozen=True, slots=True)
class _Slots:
    """What slots are for: core rows, the fine lattice of a ratio, and a reach."""

    radius: float
    ratio: float
    min_neighbors: int
    reach: int

    def narrowed(self, points: Floats, strata: Ints, degrees: Ints) -> NDArray[np.bool_]:
        """Which of these rows may be in a heavy cover, if core rows have these degrees at least (claim C8)."""
        order = np.argsort(strata, kind="stable")
        gaps, ones = _gaps(degrees, self.min_neighbors), np.ones(len(points), np.int64)
        places = Places(np.ascontiguousarray(points[order]), strata[order], gaps[order], ones)
        found = np.zeros(len(points), np.bool_)
        with np.errstate(all="ignore"):  # a warning would tell of rows
            found[order[Covers(places, self.radius, self.reach, self.ratio).kept]] = True
        return found


@dataclass(frozen=True, slots=True)
class BlockSlots(_Slots):
    """Cells, of which blocks hold covers, for core rows and a reach. Public."""

    grid: Grid

    @property
    def size(self) -> int:
        """How many slots there are."""
        return self.grid.size

    def sums(self, points: Floats, strata: Ints, degrees: Ints) -> tuple[NDArray[np.uint32], Ints]:
        """Slots, ascending, and what core rows of these degrees weigh in each; one with fewer than k, all that a core
        row can weigh."""
        filled, which = np.unique(self.grid.cells(points, strata), return_inverse=True)  # a tile has few of all cells
        sums = np.bincount(which, _weights(degrees, self.min_neighbors), filled.size)  # below 2^53: exact
        return filled.astype(np.uint32), sums.astype(np.int64)

    def holding(self, points: Floats, strata: Ints, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows are in one of the marked slots."""
        return marked[self.grid.cells(points, strata)]

    def heavy(self, sums: Ints) -> NDArray[np.bool_]:
        """Which slots are in a block that may have a heavy cover."""
        return self.grid.heavy(sums, weight_of(self.reach))


@dataclass(frozen=True, slots=True)
class CoverSlots(_Slots):
    """The slots of the covers of one lattice, for core rows and a reach. Public."""

    lattice: Lattice
    size: int
    covers: int  # about so many hold a row, or fewer

    def sums(self, points: Floats, strata: Ints, degrees: Ints) -> tuple[NDArray[np.uint32], Ints]:
        """As for `BlockSlots`, in the slots of all covers of each row."""
        weights, ends = _weights(degrees, self.min_neighbors), np.zeros(len(points), np.int64)
        names, nothing, salts = self._names(), np.empty(0, np.int32), salts_of(strata)
        while True:
            slots = np.zeros(self.size, np.int32)
            found = weigh(points, salts, weights, *self.lattice.size, names, slots, nothing, ends)
            if found <= names.size:
                break
            names = np.empty(found, np.uint64)
        filled = np.flatnonzero(slots)
        return filled.astype(np.uint32), slots[filled].astype(np.int64)

    def holding(self, points: Floats, strata: Ints, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows have a cover in one of the marked slots."""
        marks, held = marked.astype(np.int32), np.zeros(len(points), np.bool_)
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


def _weights(degrees: Ints, min_neighbors: int) -> Ints:
    return weights_of_gaps(_gaps(degrees, min_neighbors))


def _gaps(degrees: Ints, min_neighbors: int) -> Ints:
    return np.maximum(degrees - min_neighbors + 1, 1)
