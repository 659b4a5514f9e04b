"""The low rows of a table in tiles: each tile counts its own rows, then rows that lack neighbors visit other tiles.

Claims T1 to T4 of `tiles.proof.md`: the same rows, degrees and crowds as in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eremite.engines import LowRows
from eremite.engines.low import Lists
from eremite.engines.pair import squared_reach
from eremite.table.bounds import FloatArray
from eremite.tiles.counting import Counted, CountVisitors, CountWithin, ListVisitors, Near, Some, joined, touching
from eremite.tiles.names import Names
from eremite.tiles.store import Tiles, TileWork

_AT_A_TIME = 1 << 16  # rows that are compared with the boxes of all tiles


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of tiles: the shape of their rows, and which of them are low."""

    d: int
    width: int
    radius: float
    k: int
    cap: int

    @property
    def reach(self) -> float:
        """The squared reach."""
        return squared_reach(self.radius, self.d)


def low_rows_in(tiles: Tiles, views: Sequence[range], asked: Asked) -> list["LowTable"]:
    """The low rows of each view: a table of its own, in tiles of its own. As private as the rows.

    How many come together here is private too, so no limit stops them but the memory of the machine: an exact limit
    would tell neighbors apart.
    """
    work = CountWithin(asked.d, asked.width, asked.radius, asked.cap)
    numbers = [number for view in views for number in view]
    counted: dict[int, Counted] = {n: found for n, found in tiles.each(work, dict.fromkeys(numbers)) if found}
    homes = [_View.of({n: counted[n] for n in view if n in counted}) for view in views]
    hosts = {n: (home, places) for home in homes for n, places in home.visits(asked.reach).items()}
    visit = CountVisitors(asked.d, asked.width, asked.radius, asked.cap)
    guests = {n: (home.rows, places) for n, (home, places) in hosts.items()}
    for n, places, found in _visited(tiles, visit, guests):
        hosts[n][0].degrees[places] += found
    return [home.low_table(tiles, asked) for home in homes]


Guests = tuple[Some, NDArray[np.intp]]  # rows, and which of them visit a tile


def _visited(tiles: Tiles, work: TileWork, guests: Mapping[int, Guests]) -> Iterator[tuple[int, NDArray[np.intp], Any]]:
    """What `work` makes of the visitors of each tile: the tile, which rows they are, and the result.

    More visitors than can be sent to a tile at once come in several turns, with a result each.
    """
    begin = 0
    while guests:
        turn = {
            n: (rows, places[begin : begin + _most_at_once(rows, tiles.most_sent)])
            for n, (rows, places) in guests.items()
        }
        for n, found in tiles.each(work, {n: rows.at(places) for n, (rows, places) in turn.items()}):
            yield n, turn[n][1], found
        begin += max(len(places) for _, places in turn.values())
        guests = {n: one for n, one in guests.items() if one[1].size > begin}


def _most_at_once(rows: Some, most_bytes: int) -> int:
    return max(1, most_bytes // (8 * int(rows.points.shape[1] + 1)))


@dataclass(slots=True)
class _View:
    """The tiles of a view that have rows, their boxes, and all rows that lack neighbors in their own tile."""

    numbers: list[int]
    lows: FloatArray
    highs: FloatArray
    rows: Some
    degrees: NDArray[np.int64]
    home: NDArray[np.intp]  # the tile of each row, by its place among `numbers`

    @classmethod
    def of(cls, counted: dict[int, Counted]) -> "_View":
        found = list(counted.values())
        sizes = [len(one.lacking) for one in found]
        if not found:
            nothing = np.empty((0, 1))
            return cls([], nothing, nothing, Some(nothing, np.empty(0, np.int64)), np.empty(0, np.int64), np.arange(0))
        return cls(
            list(counted),
            np.stack([one.low for one in found]),
            np.stack([one.high for one in found]),
            Some(np.concatenate([o.lacking.points for o in found]), np.concatenate([o.lacking.codes for o in found])),
            np.concatenate([one.degrees for one in found]),
            np.repeat(np.arange(len(found)), sizes),
        )

    def visits(self, reach: float) -> dict[int, NDArray[np.intp]]:
        """Which rows visit which tile: those that may have neighbors there (E4)."""
        if not self.numbers:
            return {}
        guests = _guests(self.rows.points, (self.numbers, self.lows, self.highs), reach)
        away = {n: rows[self.home[rows] != at] for at, (n, rows) in enumerate(guests.items())}
        return {n: rows for n, rows in away.items() if rows.size}

    def low_table(self, tiles: Tiles, asked: Asked) -> "LowTable":
        """The rows that are low after all visits, in an order that depends on them alone."""
        low = np.flatnonzero(self.degrees < asked.cap)
        rows = self.rows.at(low)
        order = np.lexsort((*rows.points.T[::-1], rows.codes))
        low = low[order]
        boxes = (self.numbers, self.lows, self.highs)
        return LowTable(tiles, asked, self.rows.at(low), self.degrees[low], boxes)


Boxes = tuple[list[int], FloatArray, FloatArray]  # the tiles that have rows, and the box of each


def _guests(points: FloatArray, boxes: Boxes, reach: float) -> dict[int, NDArray[np.intp]]:
    """For each tile, the rows whose balls touch its box."""
    numbers, lows, highs = boxes
    found: list[list[NDArray[np.intp]]] = [[np.empty(0, np.intp)] for _ in numbers]
    for begin in range(0, len(points), _AT_A_TIME):
        touched = touching(points[begin : begin + _AT_A_TIME], lows, highs, reach)
        for at, rows in enumerate(found):
            rows.append(begin + np.flatnonzero(touched[:, at]))
    return {n: np.concatenate(rows) for n, rows in zip(numbers, found, strict=True)}


class LowTable:
    """The low rows of a view, equal ones next to each other, and the names of the rows around them, once asked for."""

    def __init__(
        self,
        tiles: Tiles,
        asked: Asked,
        rows: Some,
        degrees: NDArray[np.int64],
        boxes: Boxes,
    ) -> None:
        self._tiles, self._asked, self._rows, self._degrees, self._boxes = tiles, asked, rows, degrees, boxes
        new = np.append(np.ones(min(1, len(rows)), np.bool_), (np.diff(rows.points, axis=0) != 0).any(axis=1))
        new[1:] |= np.diff(rows.codes) != 0
        self._firsts = np.flatnonzero(new)
        self._distinct = np.cumsum(new) - 1  # which of the different rows each row is a copy of
        self._is_first = new
        self._names = Names(asked.d)
        self._members = np.empty(0, np.uint32)
        self._begins = np.full(self._firsts.size, -1)  # of each different row; -1 until it is asked for
        self._lengths = np.zeros(self._firsts.size, np.int64)

    def strata(self, codes: range | None = None) -> tuple[LowRows, ...]:
        """The low rows of each stratum that has some, of all strata or of those with codes in the range."""
        begin, end = 0, len(self._rows)
        if codes is not None:
            begin, end = np.searchsorted(self._rows.codes, [codes.start, codes.stop]).tolist()
        starts = begin + np.flatnonzero(np.diff(self._rows.codes[begin:end], prepend=-1))
        return tuple(self._stratum(*ends) for ends in pairwise([*starts.tolist(), end]))

    def _stratum(self, begin: int, end: int) -> LowRows:
        degrees = self._degrees[begin:end]
        outliers = int(np.count_nonzero(degrees < self._asked.k))
        points = np.ascontiguousarray(self._rows.points[begin:end])
        return LowRows(outliers, points, degrees, partial(self._named, begin))

    def _named(self, begin: int, places: NDArray[np.intp]) -> Lists:
        """The lists of rows of a stratum; of equal rows, the first one does not name itself (claim T4)."""
        rows = begin + places
        known = self._distinct[rows]
        unknown = np.unique(known[self._begins[known] < 0])
        if unknown.size:
            self._fetch(unknown)
        lengths = self._lengths[known] - self._is_first[rows]
        return Lists(self._members, self._begins[known], lengths, len(self._names))

    def _fetch(self, unknown: NDArray[np.intp]) -> None:
        """List the names around these different rows; each names itself last."""
        wanted = self._rows.at(self._firsts[unknown])
        guests = _guests(wanted.points, self._boxes, self._asked.reach)
        work = ListVisitors(self._asked.d, self._asked.width, self._asked.radius)
        visiting = {n: (wanted, rows) for n, rows in guests.items() if rows.size}
        owner, found = [np.empty(0, np.int64)], list[Near]()
        for _, visitors, near in _visited(self._tiles, work, visiting):
            owner.append(visitors[near.visitor])
            found.append(near)
        pairs = joined(found, self._asked.d)
        owners, names = np.concatenate(owner), self._names.of(pairs.hosts)[pairs.host]
        itself = names == self._names.of(wanted)[owners]
        order = np.lexsort((itself, owners))
        lengths = np.bincount(owners, minlength=unknown.size)
        self._begins[unknown] = self._members.size + np.cumsum(lengths) - lengths
        self._lengths[unknown] = lengths
        self._members = np.concatenate([self._members, names[order].astype(np.uint32)])
