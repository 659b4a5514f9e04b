"""The rows of a table in tiles that may crowd from above: core rows, in places that may hold too many of them.

Each tile counts the neighbors of its rows within itself, which are at most as many as in the table, so that what a
place weighs by them is at least what it weighs. What all tiles say of a place is added up, and only rows of places that
may be heavy come together here, with their degrees counted to the end (claim T10 of `tiles.proof.md`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eremite.engines import CoreRows, Slots
from eremite.engines.local import find_neighbors_with
from eremite.engines.pair import squared_radius
from eremite.table.bounds import FloatArray
from eremite.tiles.boxes import Boxes
from eremite.tiles.counting import Cell, CountVisitors, Some, box_of, by_stratum, is_inside, numbers_of
from eremite.tiles.low import visited
from eremite.tiles.store import Packed, Tiles, unpacked

Ints = NDArray[np.int64]

#: Slots as they are sent: numbers, or bits.
Marks = NDArray[np.uint32] | NDArray[np.uint8]
#: More neighbors than any row has.
EVERY = 2**62


@dataclass(frozen=True, slots=True)
class AskedOfCore:
    """What is asked of tiles: the shape of their rows, what is near, and what is looked for."""

    d: int
    width: int
    radius: float
    k: int
    slots: Slots

    @property
    def squared_radius(self) -> float:
        """As the engine compares it."""
        return squared_radius(self.radius, self.d)


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """What the rows of a tile weigh in slots, the box around them, and how many there are of each stratum."""

    slots: NDArray[np.uint32]
    sums: Ints  # empty once they are added up
    low: FloatArray
    high: FloatArray
    numbers: Counter[int]


@dataclass(frozen=True, slots=True)
class WeighWithin:
    """Weigh each row by its neighbors within its tile."""

    asked: AskedOfCore

    def __call__(self, rows: Packed, cell: Cell) -> Weighed | None:
        """What they weigh in slots; None of no rows. Rows that are outliers for sure are not weighed."""
        asked = self.asked
        here = Some(*unpacked(rows, asked.d, asked.width))
        if len(here) == 0:
            return None
        degrees = np.empty(len(here), np.int64)
        for _, places in by_stratum(here.codes):
            degrees[places] = find_neighbors_with(1, here.points[places], asked.radius, None).degrees
        may_be_core = (degrees >= asked.k) | ~is_inside(here.points, cell, asked.squared_radius)
        slots, sums = asked.slots.sums(here.points[may_be_core], here.codes[may_be_core], degrees[may_be_core])
        return Weighed(slots, sums, *box_of(here.points), numbers_of(here.codes))


@dataclass(frozen=True, slots=True)
class RowsInSlots:
    """Find the rows of a tile that have a place in some slots, and their neighbors within the tile."""

    asked: AskedOfCore

    def __call__(self, rows: Packed, heavy: Marks) -> tuple[Some, Ints]:
        """These rows, and how many neighbors each has here."""
        asked = self.asked
        here = Some(*unpacked(rows, asked.d, asked.width))
        found = here.at(asked.slots.holding(here.points, here.codes, marked(heavy, asked.slots.size)))
        near = CountVisitors(asked.d, asked.width, asked.radius, EVERY)(rows, found)
        return found, near - 1  # none is its own neighbor


def sent(slots: NDArray[np.uint32], size: int) -> Marks:
    """Some of so many slots, as they are sent: by number if they are few, or a bit for each slot."""
    return slots if slots.size * 32 < size else np.packbits(marked(slots, size))


def marked(marks: Marks, size: int) -> NDArray[np.bool_]:
    """Which slots these are."""
    if marks.dtype == np.uint8:
        return np.unpackbits(marks.astype(np.uint8, copy=False), count=size).astype(np.bool_)
    found = np.zeros(size, np.bool_)
    found[marks] = True
    return found


def core_rows_in(
    tiles: Tiles, views: Sequence[range], cells: Mapping[int, Cell], asked: AskedOfCore
) -> list["CoreTable"]:
    """The core rows of each view that may be in a crowd, with their degrees. As private as the rows."""
    view_of = {number: view for view, numbers in enumerate(views) for number in numbers}
    sums = [np.zeros(asked.slots.size, np.int64) for _ in views]
    found = dict[int, Weighed]()
    for n, weighed in tiles.each(WeighWithin(asked), cells):
        if weighed is not None:
            sums[view_of[n]][weighed.slots] += weighed.sums
            found[n] = replace(weighed, sums=np.empty(0, np.int64))
    heavy = [asked.slots.heavy(some) for some in sums]
    del sums
    wanted = {n: weighed.slots[heavy[view_of[n]][weighed.slots]] for n, weighed in found.items()}
    size = asked.slots.size
    rows = dict(tiles.each(RowsInSlots(asked), {n: sent(some, size) for n, some in wanted.items() if some.size}))
    boxes = [Boxes.of(view, {n: (found[n].low, found[n].high) for n in view if n in found}, asked.d) for view in views]
    numbers = [sum((found[n].numbers for n in view if n in found), Counter[int]()) for view in views]
    crowds = [_narrowed([rows[n] for n in view if n in rows], asked) for view in views]
    degrees = [np.full(len(crowd), -1) for crowd in crowds]  # none is its own neighbor
    for crowd, some, view_boxes in zip(crowds, degrees, boxes, strict=True):
        guests = {n: (crowd, places) for n, places in view_boxes.touched_by(crowd.points, asked.squared_radius).items()}
        for _, places, near in visited(tiles, CountVisitors(asked.d, asked.width, asked.radius, EVERY), guests):
            some[places] += near
    return [CoreTable.of(*one, asked.k) for one in zip(crowds, degrees, numbers, strict=True)]


def _narrowed(some: list[tuple[Some, Ints]], asked: AskedOfCore) -> Some:
    """The rows of all tiles that may crowd, by their neighbors within their own tile."""
    points = np.concatenate([np.empty((0, asked.d)), *(one.points for one, _ in some)])
    codes = np.concatenate([np.empty(0, np.int64), *(one.codes for one, _ in some)])
    degrees = np.concatenate([np.empty(0, np.int64), *(near for _, near in some)])
    return Some(points, codes).at(asked.slots.narrowed(points, codes, degrees))


@dataclass(frozen=True, slots=True, eq=False)
class CoreTable:
    """The core rows of a view that may be in a crowd, by stratum, and how many rows each stratum has."""

    rows: Some
    degrees: Ints
    numbers: Counter[int]

    @classmethod
    def of(cls, rows: Some, degrees: Ints, numbers: Counter[int], k: int) -> "CoreTable":
        core = np.flatnonzero(degrees >= k)
        core = core[np.argsort(rows.codes[core], kind="stable")]
        return cls(rows.at(core), degrees[core], numbers)

    def strata(self, codes: range | None = None) -> CoreRows:
        """The rows of all strata, or of those with codes in the range."""
        begin, end = 0, len(self.rows)
        if codes is not None:
            begin, end = np.searchsorted(self.rows.codes, [codes.start, codes.stop]).tolist()
        of = self.rows.codes[begin:end]
        starts = begin + np.flatnonzero(np.diff(of, prepend=-1))
        parts = [slice(*ends) for ends in pairwise([*starts.tolist(), end])]
        number = sum(n for code, n in self.numbers.items() if codes is None or code in codes)
        return CoreRows([self.rows.points[one] for one in parts], [self.degrees[one] for one in parts], number)
