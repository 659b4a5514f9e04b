"""What is done with the rows of one tile, where they are. All of it is exact, and private.

Each work looks at a tile and at rows that visit it, uses one core, and gives the same answer however often it is done.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.engines.local import find_neighbors_with
from eremite.engines.pair import SLACK, U, inlined, kernel, squared_radius
from eremite.engines.visitors import count_visitors, list_visitors
from eremite.table.bounds import FloatArray
from eremite.tiles.store import Packed, unpacked

_AXES = 3  # of the grid that tells which rows may be near visitors: 27 cells for each visitor
_SLOTS = 1 << 11  # bits for each visitor, so that few cells share one
_MOST_SLOTS = 1 << 26  # for all of them; with more visitors than they serve, more rows are looked at
_LEAST_WIDTH = 2.0**-20  # of its cells: rounding moves a coordinate by far less (claim T3)


@dataclass(frozen=True, slots=True, eq=False)
class Some:
    """Some rows of a question: their coordinates, and the code of the stratum of each."""

    points: FloatArray
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.codes)

    def at(self, places: NDArray[np.intp] | NDArray[np.bool_]) -> "Some":
        """The rows at these places."""
        return Some(self.points[places], self.codes[places])


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The rows of a tile that have too few neighbors in it, how many they have there, and the box around all rows.

    Rows that have no neighbor elsewhere may be left out; `alone` has how many there are of each stratum.
    """

    lacking: Some
    degrees: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    alone: Counter[int]


#: The room of a tile: no other tile has rows that are at least the first and below the second in every column.
Cell = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, slots=True)
class CountWithin:
    """Count the neighbors of each row within its tile, up to the cap."""

    d: int
    width: int
    radius: float
    cap: int

    def __call__(self, rows: Packed, cell: Cell | None) -> Counted | None:
        """The rows below the cap, or of these the ones that may have neighbors outside of the cell; None of no rows."""
        here = Some(*unpacked(rows, self.d, self.width))
        if len(here) == 0:
            return None
        degrees = np.empty(len(here), np.int64)
        for _, places in by_stratum(here.codes):
            degrees[places] = find_neighbors_with(1, _points_at(here, places), self.radius, self.cap).degrees
        lacking, alone = np.flatnonzero(degrees < self.cap), Counter[int]()
        if cell is not None:
            inside = is_inside(here.points[lacking], cell, squared_radius(self.radius, self.d))
            alone = numbers_of(here.codes[lacking[inside]])
            lacking = lacking[~inside]
        return Counted(here.at(lacking), degrees[lacking], *box_of(here.points), alone)


@dataclass(frozen=True, slots=True)
class CountVisitors:
    """Count, for each visitor, the rows of the tile that are its neighbors, up to the cap."""

    d: int
    width: int
    radius: float
    cap: int

    def __call__(self, rows: Packed, visitors: Some) -> NDArray[np.int64]:
        """The number for each visitor."""
        found = np.zeros(len(visitors), np.int64)
        squared = squared_radius(self.radius, self.d)
        for places, hosts in _hosts(Some(*unpacked(rows, self.d, self.width)), visitors, squared):
            found[places] = count_visitors(hosts, visitors.points[places], squared, self.cap)
        return found


@dataclass(frozen=True, slots=True)
class CountVisitorsAndKeep:
    """Count as `CountVisitors` does, and keep the rows that may be neighbors of a visitor, or of other given rows."""

    d: int
    width: int
    radius: float
    cap: int

    def __call__(self, rows: Packed, given: tuple[Some, FloatArray]) -> tuple[NDArray[np.int64], Packed]:
        """The number for each visitor, and the rows to keep (claim T8); given are visitors and the points of others."""
        visitors, others = given
        points, _ = unpacked(rows, self.d, self.width)
        around = np.concatenate([visitors.points, others])
        near = _may_be_near(points, around, squared_radius(self.radius, self.d))
        kept = rows.reshape(-1, self.width)[near].reshape(-1)
        return CountVisitors(self.d, self.width, self.radius, self.cap)(kept, visitors), kept


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Which different rows of a tile are near which visitors: pairs of a visitor and a row of `hosts`, by number."""

    visitor: NDArray[np.int64]
    host: NDArray[np.int64]
    hosts: Some


@dataclass(frozen=True, slots=True)
class ListVisitors:
    """List the different rows of the tile that are neighbors of each visitor, the visitor itself among them."""

    d: int
    width: int
    radius: float

    def __call__(self, rows: Packed, visitors: Some) -> Near:
        """All pairs."""
        found, squared = [], squared_radius(self.radius, self.d)
        for places, hosts in _hosts(Some(*unpacked(rows, self.d, self.width)), visitors, squared):
            guest, host = list_visitors(hosts, visitors.points[places], squared)
            if guest.size:
                used, places_used = np.unique(host, return_inverse=True)
                _, firsts, alike = np.unique(_as_keys(hosts[used]), return_index=True, return_inverse=True)
                pairs = np.unique(guest * firsts.size + alike[places_used])
                different = Some(hosts[used[firsts]], np.full(firsts.size, visitors.codes[places[0]]))
                found.append(Near(places[pairs // firsts.size], pairs % firsts.size, different))
        return joined(found, self.d)


def joined(found: list[Near], d: int) -> Near:
    """The pairs of several strata or tiles."""
    before = np.cumsum([0, *(len(one.hosts) for one in found)])
    nothing = Near(np.empty(0, np.int64), np.empty(0, np.int64), Some(np.empty((0, d)), np.empty(0, np.int64)))
    parts = [nothing, *found]
    hosts = Some(
        np.concatenate([one.hosts.points for one in parts]), np.concatenate([one.hosts.codes for one in parts])
    )
    shifted = [nothing.host, *(one.host + first for one, first in zip(found, before, strict=False))]
    return Near(np.concatenate([one.visitor for one in parts]), np.concatenate(shifted), hosts)


def by_stratum(codes: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Each code that occurs, and where."""
    if codes.size and codes.min() == codes.max():
        yield int(codes[0]), np.arange(codes.size)
        return
    order = np.argsort(codes, kind="stable")
    firsts = np.flatnonzero(np.diff(codes[order], prepend=codes.min(initial=0) - 1))
    for places in np.split(order, firsts[1:]) if codes.size else ():
        yield int(codes[places[0]]), places


def numbers_of(codes: NDArray[np.int64]) -> Counter[int]:
    """How often each code occurs."""
    return Counter({code: places.size for code, places in by_stratum(codes)})


def _hosts(here: Some, visitors: Some, squared: float) -> Iterator[tuple[NDArray[np.intp], FloatArray]]:
    """For each stratum with both: the places of its visitors, and the rows of the tile that may be near some of them.

    Most rows of a tile are far from all visitors, and are passed over.
    """
    near = _may_be_near(here.points, visitors.points, squared)
    hosts = here.at(np.flatnonzero(near))
    places_of = dict(by_stratum(hosts.codes))
    for code, places in by_stratum(visitors.codes):
        if code in places_of:
            yield places, _points_at(hosts, places_of[code])


def _points_at(rows: Some, places: NDArray[np.intp]) -> FloatArray:
    """The points at these places, which are not copied if these are all of them."""
    return rows.points if places.size == len(rows) else rows.points[places]


def _may_be_near(points: FloatArray, visitors: FloatArray, squared: float) -> NDArray[np.bool_]:
    """Whether each point may be a neighbor of a visitor.

    A grid of cells as wide as the radius tells, in the columns in which visitors differ most: a visitor's neighbor is
    in its cell or in one that touches it (claim T3).
    """
    near = np.zeros(len(points), np.bool_)
    if len(visitors):
        width = max(np.sqrt(squared) * (1 + SLACK), _LEAST_WIDTH)
        axes = np.argsort(np.ptp(visitors, axis=0), kind="stable")[::-1][:_AXES]
        marks = np.zeros(min(_SLOTS << (len(visitors) - 1).bit_length(), _MOST_SLOTS) // 8, np.uint8)
        _mark(visitors, axes, 1 / width, marks)
        _is_marked(points, axes, 1 / width, marks, near)
    return near


def is_inside(points: FloatArray, cell: Cell, squared: float) -> NDArray[np.bool_]:
    """Whether each point of a cell is further than the radius from its border, in every column (claim T7)."""
    inside = np.ones(len(points), np.bool_)
    for column, low, high in zip(points.T, *cell, strict=False):
        inside &= (np.square(column - low) > squared) & (np.square(high - column) > squared)
    return inside


def box_of(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The least and the largest coordinates. Column by column: along the rows, NumPy takes twenty times as long."""
    return np.array([column.min() for column in points.T]), np.array([column.max() for column in points.T])


def _as_keys(points: FloatArray) -> NDArray[np.void]:
    """One value for each point, equal where the points are; scaled rows have no negative zeros."""
    return np.ascontiguousarray(points).view(np.dtype((np.void, points.itemsize * points.shape[1]))).reshape(-1)


@inlined
def _slot(cell, slots):
    """Where a cell is marked; cells may share a slot, so a mark means that a cell may be marked."""
    key = U(0)
    for c in range(cell.size):
        key = (key ^ U(cell[c])) * U(0x9E3779B97F4A7C15)
        key ^= key >> U(29)
    return key & U(slots - 1)


@kernel
def _mark(points, axes, scale, marks):
    """Mark the cells of the points and all cells that touch them."""
    cell = np.empty(axes.size, np.int64)
    around = 3**axes.size
    for i in range(points.shape[0]):
        for step in range(around):
            left = step
            for c in range(axes.size):
                cell[c] = np.int64(points[i, axes[c]] * scale) + left % 3  # one more than it is: none is negative
                left //= 3
            slot = _slot(cell, 8 * marks.size)
            marks[slot >> U(3)] |= np.uint8(1) << np.uint8(slot & U(7))


@kernel
def _is_marked(points, axes, scale, marks, out):
    cell = np.empty(axes.size, np.int64)
    for i in range(points.shape[0]):
        for c in range(axes.size):
            cell[c] = np.int64(points[i, axes[c]] * scale) + 1
        slot = _slot(cell, 8 * marks.size)
        out[i] = marks[slot >> U(3)] >> np.uint8(slot & U(7)) & np.uint8(1)
