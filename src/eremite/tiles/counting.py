"""What is done with the rows of one tile, where they are. All of it is exact, and private.

Each work looks at a tile and at rows that visit it, uses one core, and gives the same answer however often it is done.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.engines import tree
from eremite.engines.local import find_neighbors_with
from eremite.engines.pair import kernel, squared_reach
from eremite.table.bounds import FloatArray
from eremite.tiles.store import Packed, unpacked


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
    """The rows of a tile that have too few neighbors in it, how many they have there, and the box around all rows."""

    lacking: Some
    degrees: NDArray[np.int64]
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True)
class CountWithin:
    """Count the neighbors of each row within its tile, up to the cap."""

    d: int
    width: int
    radius: float
    cap: int

    def __call__(self, rows: Packed, _given: None) -> Counted | None:
        """The rows below the cap; None of a tile without rows."""
        here = Some(*unpacked(rows, self.d, self.width))
        if len(here) == 0:
            return None
        degrees = np.empty(len(here), np.int64)
        for _, places in by_stratum(here.codes):
            points = here.points if places.size == len(here) else here.points[places]
            degrees[places] = find_neighbors_with(1, points, self.radius, self.cap).degrees
        lacking = np.flatnonzero(degrees < self.cap)
        return Counted(here.at(lacking), degrees[lacking], here.points.min(axis=0), here.points.max(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Visitors:
    """Rows of other tiles; those of one tile are neighbors in the list, from one of `starts` to the next."""

    rows: Some
    starts: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CountVisitors:
    """Count, for each visitor, the rows of the tile that are its neighbors, up to the cap."""

    d: int
    width: int
    radius: float
    cap: int

    def __call__(self, rows: Packed, visitors: Visitors) -> NDArray[np.int64]:
        """The number for each visitor."""
        found = np.zeros(len(visitors.rows), np.int64)
        for places, boxes, _, _ in _hosts(rows, visitors, self.d, self.width, self.radius):
            points = visitors.rows.points[places]
            found[places] = tree.count_near(boxes, points, squared_reach(self.radius, self.d), self.cap)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Which different rows of a tile are near which visitors: pairs of numbers."""

    visitor: NDArray[np.int64]
    name: NDArray[np.int64]
    is_itself: NDArray[np.bool_]  # whether the row has the coordinates of the visitor
    names: int


@dataclass(frozen=True, slots=True)
class NameNeighbors:
    """Name the rows of the tile around each visitor; equal rows have one name."""

    d: int
    width: int
    radius: float

    def __call__(self, rows: Packed, visitors: Visitors) -> Near:
        """All pairs."""
        visitor, name, same, names = [], [], [], 0
        for places, boxes, points, _ in _hosts(rows, visitors, self.d, self.width, self.radius):
            guests = visitors.rows.points[places]
            guest, host = tree.list_near(boxes, guests, squared_reach(self.radius, self.d))
            known, alike = np.unique(_as_keys(points[host]), return_inverse=True)
            pairs, firsts = np.unique(guest * max(1, known.size) + alike, return_index=True)
            visitor.append(places[pairs // max(1, known.size)])
            name.append(names + pairs % max(1, known.size))
            same.append((guests[guest[firsts]] == points[host[firsts]]).all(axis=1))
            names += known.size
        if not visitor:
            return Near(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_), 0)
        return Near(np.concatenate(visitor), np.concatenate(name), np.concatenate(same), names)


def by_stratum(codes: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Each code that occurs, and where."""
    if codes.size and codes.min() == codes.max():
        yield int(codes[0]), np.arange(codes.size)
        return
    order = np.argsort(codes, kind="stable")
    firsts = np.flatnonzero(np.diff(codes[order], prepend=codes.min(initial=0) - 1))
    for places in np.split(order, firsts[1:]) if codes.size else ():
        yield int(codes[places[0]]), places


def touching(points: FloatArray, lows: FloatArray, highs: FloatArray, reach: float) -> NDArray[np.bool_]:
    """For each point and each box whether a row in the box may be a neighbor of the point (E4), [point, box]."""
    out = np.empty((len(points), len(lows)), np.bool_)
    _touching(points, lows, highs, reach, out)
    return out


def _hosts(
    rows: Packed, visitors: Visitors, d: int, width: int, radius: float
) -> Iterator[tuple[NDArray[np.intp], tree.Tree, FloatArray, int]]:
    """For each stratum with both: the places of its visitors, and those of its rows that may be near some, in a tree.

    Most rows of a tile are far from all visitors, who come from outside; they are passed over by the boxes around the
    visitors of each other tile.
    """
    here = Some(*unpacked(rows, d, width))
    lows, highs = _boxes(visitors)
    near = np.empty(len(here), np.bool_)
    _near_some_box(here.points, lows, highs, squared_reach(radius, d), near)
    hosts = here.at(np.flatnonzero(near))
    places_of = dict(by_stratum(hosts.codes))
    for code, places in by_stratum(visitors.rows.codes):
        if code in places_of:
            points = np.ascontiguousarray(hosts.points[places_of[code]])
            yield places, tree.build(points, 1), points, code


def _boxes(visitors: Visitors) -> tuple[FloatArray, FloatArray]:
    starts = visitors.starts[:-1]
    points = visitors.rows.points
    return np.minimum.reduceat(points, starts, axis=0), np.maximum.reduceat(points, starts, axis=0)


def _as_keys(points: FloatArray) -> NDArray[np.void]:
    """One value for each point, equal where the points are; scaled rows have no negative zeros."""
    return np.ascontiguousarray(points).view(np.dtype((np.void, points.itemsize * points.shape[1]))).reshape(-1)


@kernel
def _to_box(point, low, high):
    """The least that the expression can be for a point and a row in the box, in floats (E4)."""
    total = 0.0
    for c in range(point.size):
        gap = max(max(low[c] - point[c], point[c] - high[c]), 0.0)
        total += gap * gap
    return total


@kernel
def _touching(points, lows, highs, reach, out):
    for i in range(points.shape[0]):
        for box in range(lows.shape[0]):
            out[i, box] = _to_box(points[i], lows[box], highs[box]) <= reach


@kernel
def _near_some_box(points, lows, highs, reach, out):
    for i in range(points.shape[0]):
        out[i] = False
        for box in range(lows.shape[0]):
            if _to_box(points[i], lows[box], highs[box]) <= reach:
                out[i] = True
                break
