"""Which covers are heavy, and which rows are in them (claims C5 and C6 of `covers.proof.md`).

theory          here
c_i, e_i        gaps: how many neighbors more turn an outlier, or how many fewer a core row
m_i             copies: how many such rows lie in the same place of the same stratum; their gaps are the same
C, heavy        a cover whose rows have more than D in sum over 1 / gap: only these can hold back a row
rho             `ratio_for` times R

Nearly all rows of ordinary tables are in light covers alone. Three looks leave these out, each without an error: how
many others are within twice the radius of a cover; how much coarse covers hold, the coarsest first; how much the slot
of a cover holds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eremite.engines import count_neighbors
from eremite.outliers.definition import LARGEST
from eremite.reach.grid import Grid
from eremite.reach.grouping import distinct, grouped, told_apart
from eremite.reach.lattice import (
    FULL,
    NAME_BITS,
    ROUNDING,
    Lattice,
    covers_of_a_row,
    emit,
    mark,
    mark_remembered,
    ratio_of_covers,
    thickness,
    weigh,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Which side of the count: at most the number of outliers, or at least.
Side = Literal["below", "above"]

MOST_COLUMNS = 24
"""The most columns that covers are offered for: in more, thousands hold a row, each far wider than its ball."""
MOST_COLUMNS_ABOVE = 6
"""The most columns in which core rows are capped for a release: in more, covers hold so many that little is left."""
#: Coordinates are at most so many times the (Euclidean) radius of the covers: names are whole numbers of 64 bits.
FURTHEST = 2.0**33

#: The covering radius of the lattice, over R, by columns; from 11 on as fine as puts a row into about `_COVERS`.
_FINEST = (0.05, 0.1, 0.1, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0, 1.2)
_FINEST_ABOVE = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75)  # of core rows, which are nearly all rows
_COVERS = 2_000
_MOST_PAIRS = 2**30  # of a row and a cover, whatever the rows are: where there are more rows, the lattice is coarser,
_LEAST_COVERS = 10  # until a row has so few, or twice as many as in cells of any width: a coarser one caps far more
_COARSER = 1.05  # a step to a coarser lattice
_FEWER = 4  # a lattice that is looked at first has so many times fewer covers of a row than the next one
_FEWEST_COVERS = 2  # of a row, for a look to be worth it

#: The unit of weights is 1 over this; they are rounded up. Core rows have gaps as large as the table.
UNIT = 1 << 20
MOST_SLOTS = 1 << 26
_FEWEST_SLOTS = 1 << 12
MOST_EMITTED = 1 << 26  # pairs that are found at once
MOST_ORDERED = 1 << 23  # pairs that are put in order at once
MOST_REMEMBERED = 1 << 25  # slots of rows, so that covers need not be found again to look at these
CELLS_FOR_A_ROW = 8  # of the blocks that are looked at first
MOST_KEPT = 1 << 28  # pairs that are kept; more are found anew whenever they are asked for
_SLACK = 1e-6
_SALT = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The outliers of a table by place, or its core rows: how many there are in each, and the gap of each of these.

    They are ordered by stratum and coordinates, so that the order depends on them alone. Two with the same are one
    place, if they were `gathered`.
    """

    points: Floats
    strata: Ints
    gaps: Ints
    copies: Ints

    def __len__(self) -> int:
        return len(self.gaps)

    @property
    def rows(self) -> int:
        """How many rows these are."""
        return int(self.copies.sum())

    @classmethod
    def gathered(cls, points: Floats, strata: Ints, gaps: Ints) -> "Places":
        """From rows in any order; those that are equal in everything are one place."""
        order = np.lexsort((gaps, *points.T[::-1], strata))
        points, strata, gaps = points[order], strata[order], gaps[order]
        new = (np.diff(points, axis=0) != 0).any(axis=1) | (np.diff(strata) != 0) | (np.diff(gaps) != 0)
        first = np.flatnonzero(np.append(np.ones(min(len(order), 1), np.bool_), new))
        copies = np.diff(np.append(first, len(order)))
        return cls(np.ascontiguousarray(points[first]), strata[first], gaps[first], copies)

    def at(self, places: NDArray[np.intp]) -> "Places":
        """Some of them."""
        return Places(self.points[places], self.strata[places], self.gaps[places], self.copies[places])


@dataclass(frozen=True, slots=True, eq=False)
class Heavy:
    """Heavy covers and the rows in them: those of cover i are rows[begins[i] : begins[i + 1]]."""

    rows: NDArray[np.int32]
    begins: Ints

    def __len__(self) -> int:
        return self.begins.size - 1


def ratio_for(d: int, rows: int, side: Side = "below") -> float:
    """The covering radius of the lattice, over R: finer than this is not worth it, for about so many rows. Public."""
    finest = _FINEST if side == "below" else _FINEST_ABOVE + _FINEST[len(_FINEST_ABOVE) :]
    ratio = finest[min(d, len(finest)) - 1]
    least = max(_LEAST_COVERS, 2 * thickness(d))
    most = min(max(_MOST_PAIRS / max(rows, 1), least), np.inf if d <= len(_FINEST) else _COVERS)
    while covers_of_a_row(d, ratio) > most:
        ratio *= _COARSER
    return ratio


def pairs_of(rows: int, covers: float) -> int:
    """About how many pairs of a row and a cover there are, where about so many covers hold a row; rather more."""
    return int(1.2 * covers * rows)


def coarse_ratios(d: int, ratio: float) -> list[float]:
    """The covering radii, over R, of the lattices that are looked at before that of `ratio`, the coarsest first."""
    ratios, covers = list[float](), covers_of_a_row(d, ratio) / _FEWER
    while covers >= _FEWEST_COVERS and (of_balls := ratio_of_covers(d, covers)) is not None:
        ratios.insert(0, of_balls * (1 + ratio))
        covers /= _FEWER
    return ratios


class Covers:
    """The heavy covers of some rows, of a lattice; `crowded` are those that may be in one. Private."""

    def __init__(self, places: Places, radius: float, reach: int, ratio: float) -> None:
        """For the (Euclidean) radius R, the reach D, and the covering radius over R."""
        self._reach = reach
        d = places.points.shape[1]
        self._apart = apart(places.points, radius, ratio)
        self.kept = _in_company(places, self._apart, reach)  # which of the places are crowded
        self.crowded = places.at(self.kept)
        for coarse in coarse_ratios(d, ratio):
            lattice = Lattice.of(d, coarse * radius, (1 + ratio) * radius, roundings=2)
            heavy = self._in_heavy(lattice, covers_of_a_row(d, coarse / (1 + ratio)))
            self._keep(np.flatnonzero(heavy))
        self._lattice = Lattice.of(d, ratio * radius, radius)
        self._covers = covers_of_a_row(d, ratio)
        self._names, self._slots, in_heavy = self._weighed(self._lattice, self._covers)
        if in_heavy is not None:
            self._keep(np.flatnonzero(in_heavy))
        self._kept: list[Heavy] | None = None

    def _keep(self, some: NDArray[np.intp]) -> None:
        self.kept, self.crowded = self.kept[some], self.crowded.at(some)

    def __iter__(self) -> Iterator[Heavy]:
        """All heavy covers, in parts, of the places in `crowded`; found anew where they are too many to be kept."""
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Heavy] | None = []
        pairs = 0
        for part in self._found():
            pairs += part.rows.size
            kept = None if kept is None or pairs > MOST_KEPT else [*kept, part]
            yield part
        self._kept = kept

    def _found(self) -> Iterator[Heavy]:
        """Covers by their names, in ranges that are halved until what is in one fits into memory."""
        pairs = pairs_of(len(self.crowded), self._covers)
        ranges, room = [(0, 1 << NAME_BITS)], max(min(pairs, MOST_EMITTED), len(self.crowded))
        members, rows = np.empty(room, np.uint64), np.empty(room, np.int32)
        while ranges:
            low, high = ranges.pop()
            filled = self._emitted(low, high, members, rows)
            if filled >= 0:
                yield from self._ordered(members[:filled], rows[:filled])
            elif high - low > 1:
                middle = (low + high) // 2
                ranges += [(middle, high), (low, middle)]
            else:
                members, rows = np.empty(2 * members.size, np.uint64), np.empty(2 * rows.size, np.int32)
                ranges.append((low, high))

    def _ordered(self, members: NDArray[np.uint64], rows: NDArray[np.int32]) -> Iterator[Heavy]:
        """The heavy ones of these covers, each set of rows once; some of them at a time, by their names."""
        strata, weights, threshold = self.crowded.strata, weights_of(self.crowded), weight_of(self._reach)
        parts = -(-members.size // MOST_ORDERED)
        which = (members >> np.uint64(64 - NAME_BITS)) % np.uint64(max(parts, 1))
        for part in range(parts):
            chosen = which == part
            named = grouped(members[chosen], rows[chosen], strata, weights, threshold)
            yield Heavy(*distinct(*told_apart(self.crowded.points, *named, self._apart)))

    def _emitted(self, low: int, high: int, members: NDArray[np.uint64], rows: NDArray[np.int32]) -> int:
        points, salts, lattice = self.crowded.points, salts_of(self.crowded.strata), self._lattice
        slots = (self._names, self._slots, self._heavy_slot)
        return int(emit(points, salts, *lattice.size, *slots, low, high, members, rows))

    @property
    def _heavy_slot(self) -> int:
        """What a slot holds more of, if one of its covers may be heavy: a full slot always does."""
        return min(weight_of(self._reach), FULL - 1)

    def _in_heavy(self, lattice: Lattice, covers: float) -> NDArray[np.bool_]:
        """Who is in a heavy cover of a coarse lattice: each fine cover lies in one of them (claim C5)."""
        names, slots, heavy = self._weighed(lattice, covers)
        if heavy is None:
            heavy = np.zeros(len(self.crowded), np.bool_)
            points, salts = self.crowded.points, salts_of(self.crowded.strata)
            mark(points, salts, *lattice.size, names, slots, self._heavy_slot, heavy)
        return heavy

    def _weighed(
        self, lattice: Lattice, covers: float
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.bool_] | None]:
        """Room for the names of the covers of a row; for each slot, what all covers in it hold together; and who is in
        a slot that may be heavy, or None if these are too many to be remembered."""
        points, salts, weights = self.crowded.points, salts_of(self.crowded.strata), weights_of(self.crowded)
        wanted = max(_FEWEST_SLOTS, min(MOST_SLOTS, int(4 * covers * len(points))))
        names, ends = np.empty(2 * int(covers) + 64, np.uint64), np.zeros(len(points), np.int64)
        remembered = np.empty(min(pairs_of(len(points), covers), MOST_REMEMBERED), np.int32)
        while True:
            slots = np.zeros(1 << (wanted - 1).bit_length(), np.int32)
            found = weigh(points, salts, weights, *lattice.size, names, slots, remembered, ends)
            if found <= names.size:
                break
            names = np.empty(found, np.uint64)
        if ends.max(initial=0) > remembered.size:
            return names, slots, None
        heavy = np.zeros(len(points), np.bool_)
        mark_remembered(remembered, ends, slots, self._heavy_slot, heavy)
        return names, slots, heavy


def apart(points: Floats, radius: float, ratio: float) -> float:
    """How far two of these rows that are in one cover can be apart (claim C5)."""
    rounded = 4 * ROUNDING * (points.shape[1] + 1) ** 2 * float(np.abs(points).max(initial=0))
    furthest: float = 2 * (1 + ratio) * radius * (1 + _SLACK) + rounded
    return furthest


def in_heavy_blocks(
    points: Floats, strata: Ints, gaps: Ints, radius: float, ratio: float, reach: int
) -> NDArray[np.bool_]:
    """Which rows are in blocks that weigh more than D, each of which holds covers; all, where blocks are too wide."""
    ends = tuple(points.min(axis=0, initial=np.inf)), tuple(points.max(axis=0, initial=-np.inf))
    strata_here, most = int(strata.max(initial=0)) + 1, max(CELLS_FOR_A_ROW * len(points), _FEWEST_SLOTS)
    grid = Grid.of(*ends, strata_here, radius, apart(points, radius, ratio), most) if len(points) else None
    if grid is None:
        return np.ones(len(points), np.bool_)
    cells = grid.cells(points, strata)
    sums = np.bincount(cells, weights_of_gaps(gaps), grid.size).astype(np.int64)  # below 2^53, so exact
    return grid.heavy(sums, weight_of(reach))[cells]


def _in_company(places: Places, distance: float, reach: int) -> NDArray[np.intp]:
    """Who has D others of the stratum as near as two rows of a cover can be: of a heavy cover, all have (claim C5)."""
    near = np.zeros(len(places), np.bool_)
    normalized = distance / sqrt(places.points.shape[1])
    if normalized > LARGEST:  # no degrees are counted for such a radius
        return np.arange(len(places))
    for begin, end in pairwise([0, *(np.flatnonzero(np.diff(places.strata)) + 1).tolist(), len(places)]):
        if places.copies[begin:end].sum() > reach:
            rows = np.repeat(places.points[begin:end], np.minimum(places.copies[begin:end], reach + 1), axis=0)
            degrees = count_neighbors(rows, normalized, reach)
            first = np.cumsum(np.minimum(places.copies[begin:end], reach + 1))
            near[begin:end] = degrees[first - 1] >= reach
    return np.flatnonzero(near)


def weights_of(places: Places) -> Ints:
    """m over the gap, in units of 1 / `UNIT`, rounded up: no heavy cover is taken for a light one."""
    return weights_of_gaps(places.gaps, places.copies)


def weights_of_gaps(gaps: Ints, copies: Ints | int = 1) -> Ints:
    """The same of rows with these gaps."""
    weights: Ints = -(-UNIT * copies // gaps)
    return weights


def weight_of(reach: int) -> int:
    """In these units: what a heavy cover weighs more than."""
    return UNIT * reach


def salts_of(strata: Ints) -> NDArray[np.uint64]:
    """What tells the slots of one stratum from those of another."""
    return (strata.astype(np.uint64) + np.uint64(1)) * _SALT
