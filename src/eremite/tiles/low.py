"""The low rows of a table in tiles: each tile counts its own rows, then rows that lack neighbors visit other tiles.

Claims T1 to T4, T7 and T8 of `tiles.proof.md`: the same rows, degrees and crowds as in memory.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eremite.engines import LowRows
from eremite.engines.low import Lists
from eremite.engines.pair import squared_radius
from eremite.tiles.boxes import Boxes
from eremite.tiles.counting import (
    Cell,
    Counted,
    CountVisitors,
    CountVisitorsAndKeep,
    CountWithin,
    ListVisitors,
    Near,
    Some,
    joined,
    numbers_of,
)
from eremite.tiles.names import Names
from eremite.tiles.store import NarrowingTiles, Tiles, TileWork

#: The largest squared radius at which a grid as wide as the radius puts many rows aside.
_NARROW = 2.0**-10
#: So many bytes of rows may be given to all tiles at once: on Spark, every worker holds them.
_MOST_GIVEN = 64 << 20


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of tiles: the shape of their rows, and which of them are low."""

    d: int
    width: int
    radius: float
    k: int
    cap: int

    @property
    def squared_radius(self) -> float:
        """As the engine compares it."""
        return squared_radius(self.radius, self.d)


def low_rows_in(tiles: Tiles, views: Sequence[range], asked: Asked) -> list["LowTable"]:
    """The low rows of each view: a table of its own, in tiles of its own. As private as the rows.

    How many come together here is private too, so no limit stops them but the memory of the machine: an exact limit
    would tell neighbors apart.
    """
    within = dict.fromkeys(number for view in views for number in view)
    homes = _homes(tiles, views, asked, within)
    hosts = _hosts(homes, asked)
    if isinstance(tiles, NarrowingTiles) and _puts_many_aside(hosts, asked):
        tiles = _narrowed_by_visits(tiles, hosts, asked)
    else:
        _count_visits(tiles, hosts, asked)
    return [home.low_table(tiles, asked) for home in homes]


def low_numbers_in(tiles: Tiles, views: Sequence[range], asked: Asked, cells: Mapping[int, Cell]) -> list[Counter[int]]:
    """How many low rows each stratum of each view has, by its code. As private as the rows.

    Only rows near the border of the cell of their tile come together here (claim T7).
    """
    homes = _homes(tiles, views, asked, cells)
    _count_visits(tiles, _hosts(homes, asked), asked)
    return [home.low_numbers(asked.cap) for home in homes]


def _homes(tiles: Tiles, views: Sequence[range], asked: Asked, within: Mapping[int, Cell | None]) -> list["_View"]:
    """The views, with the degrees of their rows within their own tiles."""
    work = CountWithin(asked.d, asked.width, asked.radius, asked.cap)
    counted: dict[int, Counted] = {n: found for n, found in tiles.each(work, within) if found}
    return [_View.of(view, {n: counted.pop(n) for n in view if n in counted}, asked.d) for view in views]


@dataclass(frozen=True, slots=True, eq=False)
class _Host:
    """A tile and the rows of its view that may have neighbors there: those that visit it, and its own."""

    view: "_View"
    visitors: NDArray[np.intp]
    own: NDArray[np.intp]


def _hosts(homes: Sequence["_View"], asked: Asked) -> dict[int, _Host]:
    return {n: _Host(home, *rows) for home in homes for n, rows in home.touching(asked.squared_radius).items()}


def _count_visits(tiles: Tiles, hosts: Mapping[int, _Host], asked: Asked) -> None:
    """Add to the degrees what visitors find, up to the cap or more."""
    work = CountVisitors(asked.d, asked.width, asked.radius, asked.cap)
    guests = {n: (host.view.rows, host.visitors) for n, host in hosts.items() if host.visitors.size}
    for n, places, found in visited(tiles, work, guests):
        hosts[n].view.degrees[places] += found


def _puts_many_aside(hosts: Mapping[int, _Host], asked: Asked) -> bool:
    """Whether a grid as wide as the radius is fine, and what the tiles are given is little."""
    given = sum(host.visitors.size + host.own.size for host in hosts.values())
    return asked.squared_radius <= _NARROW and 8 * asked.width * given <= _MOST_GIVEN


def _narrowed_by_visits(tiles: NarrowingTiles, hosts: Mapping[int, _Host], asked: Asked) -> Tiles:
    """Add to the degrees what visitors find. Gives tiles with the rows that may be near the rows of hosts (T8)."""
    work = CountVisitorsAndKeep(asked.d, asked.width, asked.radius, asked.cap)
    given = {n: (host.view.rows.at(host.visitors), host.view.rows.points[host.own]) for n, host in hosts.items()}
    found, narrowed = tiles.narrowed(work, given)
    for n, host in hosts.items():
        host.view.degrees[host.visitors] += found[n]
    return narrowed


Guests = tuple[Some, NDArray[np.intp]]  # rows, and which of them visit a tile


def visited(tiles: Tiles, work: TileWork, guests: Mapping[int, Guests]) -> Iterator[tuple[int, NDArray[np.intp], Any]]:
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
    """The boxes of the tiles of a view, and all rows that lack neighbors in their own tile."""

    boxes: Boxes
    rows: Some
    degrees: NDArray[np.int64]
    home: NDArray[np.int64]  # the tile of each row
    alone: list[Counter[int]]  # low rows that are not here: of each tile, how many of each stratum

    @classmethod
    def of(cls, tiles: range, counted: dict[int, Counted], d: int) -> "_View":
        found = list(counted.values())
        boxes = Boxes.of(tiles, {n: (one.low, one.high) for n, one in counted.items()}, d)
        points = np.concatenate([np.empty((0, d)), *(one.lacking.points for one in found)])
        codes = np.concatenate([np.empty(0, np.int64), *(one.lacking.codes for one in found)])
        degrees = np.concatenate([np.empty(0, np.int64), *(one.degrees for one in found)])
        sizes = [len(one.lacking) for one in found]
        home = np.repeat(np.array(list(counted), np.int64), sizes)
        return cls(boxes, Some(points, codes), degrees, home, [one.alone for one in found])

    def touching(self, squared: float) -> dict[int, tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """For each tile with some, the rows that may have neighbors there (E4): those of other tiles, and its own."""
        guests = self.boxes.touched_by(self.rows.points, squared)
        at_home = {n: self.home[rows] == n for n, rows in guests.items()}
        return {n: (rows[~at_home[n]], rows[at_home[n]]) for n, rows in guests.items()}

    def low_numbers(self, cap: int) -> Counter[int]:
        """How many rows of each stratum are low after all visits."""
        return sum(self.alone, numbers_of(self.rows.codes[self.degrees < cap]))

    def low_table(self, tiles: Tiles, asked: Asked) -> "LowTable":
        """The rows that are low after all visits, in an order that depends on them alone."""
        low = np.flatnonzero(self.degrees < asked.cap)
        low = low[_order(self.rows.at(low))]
        return LowTable(tiles, asked, self.rows.at(low), self.degrees[low], self.boxes)


def _order(rows: Some) -> NDArray[np.intp]:
    """The order of rows by stratum and coordinates; most of it is told by the first coordinate alone."""
    if not (rows.codes == rows.codes[:1]).all():
        return np.lexsort((*rows.points.T[::-1], rows.codes))
    order = np.argsort(rows.points[:, 0])
    first = rows.points[order, 0]
    as_before = np.append(False, first[1:] == first[:-1])
    tied = np.flatnonzero(as_before | np.append(as_before[1:], False))
    order[tied] = order[tied][np.lexsort(rows.points[order[tied]].T[::-1])]
    return order


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
        new = np.ones(len(rows), np.bool_)
        new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in (rows.codes, *rows.points.T)])
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
        guests = self._boxes.touched_by(wanted.points, self._asked.squared_radius)
        work = ListVisitors(self._asked.d, self._asked.width, self._asked.radius)
        visiting = {n: (wanted, rows) for n, rows in guests.items()}
        owner, found = [np.empty(0, np.int64)], list[Near]()
        for _, visitors, near in visited(self._tiles, work, visiting):
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
