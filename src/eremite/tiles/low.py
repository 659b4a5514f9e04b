"""The low rows of a table in tiles: each tile counts its own rows, then rows that lack neighbors visit other tiles.

Claims T1 to T4 of `tiles.proof.md`: the same rows, degrees and crowds as in memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eremite.engines import LowRows
from eremite.engines.low_rows import Lists
from eremite.engines.pair import squared_reach
from eremite.table.bounds import FloatArray
from eremite.tiles.counting import (
    Counted,
    CountVisitors,
    CountWithin,
    NameNeighbors,
    Near,
    Some,
    Visitors,
    touching,
)
from eremite.tiles.store import Tiles

_MORE_LISTS = 1.5  # lists are fetched for degrees up to so many times the largest one asked for


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


def low_rows_in(tiles: Tiles, views: Sequence[range], asked: Asked, most: int) -> list["LowTable"]:
    """The low rows of each view: a table of its own, in tiles of its own. As private as the rows.

    Raises `MemoryError` if more than `most` rows of a view come together here.
    """
    work = CountWithin(asked.d, asked.width, asked.radius, asked.cap)
    numbers = [number for view in views for number in view]
    counted: dict[int, Counted] = {n: found for n, found in tiles.each(work, dict.fromkeys(numbers)) if found}
    homes = [_View.of({n: counted[n] for n in view if n in counted}, most) for view in views]
    inputs = {dest: visitors for home in homes for dest, visitors in home.visits(asked.reach)}
    visit = CountVisitors(asked.d, asked.width, asked.radius, asked.cap)
    seen = dict(tiles.each(visit, inputs))
    return [home.low_table(tiles, asked, {n: seen[n] for n in home.numbers if n in seen}) for home in homes]


@dataclass(slots=True)
class _View:
    """The tiles of a view that have rows, their boxes, and all rows that lack neighbors in their own tile."""

    numbers: list[int]
    lows: FloatArray
    highs: FloatArray
    rows: Some
    degrees: NDArray[np.int64]
    home: NDArray[np.intp]  # the tile of each row, by its place among `numbers`
    guests: dict[int, NDArray[np.intp]] = field(default_factory=dict)  # which rows visit which tile

    @classmethod
    def of(cls, counted: dict[int, Counted], most: int) -> "_View":
        found = list(counted.values())
        sizes = [len(one.lacking) for one in found]
        if sum(sizes) > most:
            raise MemoryError  # as in memory: what was charged stays charged, and no number is told
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

    def visits(self, reach: float) -> list[tuple[int, Visitors]]:
        """Who visits which tile: rows that may have neighbors there (E4)."""
        if not self.numbers:
            return []
        touched = touching(self.rows.points, self.lows, self.highs, reach)
        touched[np.arange(len(self.rows)), self.home] = False
        self.guests = {n: rows for n, at in self._places() if (rows := np.flatnonzero(touched[:, at])).size}
        return [(n, visitors(self.rows, self.home, rows)) for n, rows in self.guests.items()]

    def _places(self) -> list[tuple[int, int]]:
        return [(n, at) for at, n in enumerate(self.numbers)]

    def low_table(self, tiles: Tiles, asked: Asked, seen: dict[int, NDArray[np.int64]]) -> "LowTable":
        """The rows that are low after all visits, in an order that depends on them alone."""
        for n, found in seen.items():
            self.degrees[self.guests[n]] += found
        low = np.flatnonzero(self.degrees < asked.cap)
        rows = self.rows.at(low)
        order = np.lexsort((*rows.points.T[::-1], rows.codes))
        low = low[order]
        boxes = (self.numbers, self.lows, self.highs)
        return LowTable(tiles, asked, self.rows.at(low), self.degrees[low], self.home[low], boxes)


def visitors(rows: Some, home: NDArray[np.intp], places: NDArray[np.intp]) -> Visitors:
    """The rows at these places as visitors, whose homes follow each other."""
    starts = np.append(np.flatnonzero(np.diff(home[places], prepend=-1)), places.size)
    return Visitors(rows.at(places), starts)


class LowTable:
    """The low rows of a view, equal ones next to each other, and the names of the rows around them, once asked for."""

    def __init__(
        self,
        tiles: Tiles,
        asked: Asked,
        rows: Some,
        degrees: NDArray[np.int64],
        home: NDArray[np.intp],
        boxes: tuple[list[int], FloatArray, FloatArray],
    ) -> None:
        self._tiles, self._asked, self._rows, self._degrees, self._home, self._boxes = (
            tiles, asked, rows, degrees, home, boxes,
        )  # fmt: skip
        new = np.append(np.ones(min(1, len(rows)), np.bool_), (np.diff(rows.points, axis=0) != 0).any(axis=1))
        new[1:] |= np.diff(rows.codes) != 0
        self._is_first = new
        self._distinct = np.cumsum(new) - 1  # which of the different rows each row is a copy of
        self._listed_below = 0  # lists are known for degrees below it
        self._lists = Lists(np.empty(0, np.uint32), np.empty(0, np.int64), np.empty(0, np.int64), 0)

    def outliers(self) -> int:
        """How many rows have fewer than k neighbors."""
        return int(np.count_nonzero(self._degrees < self._asked.k))

    def strata(self, codes: range | None = None) -> tuple[LowRows, ...]:
        """The low rows of each stratum that has some, of all strata or of those with codes in the range."""
        starts = np.flatnonzero(np.diff(self._rows.codes, prepend=-1)).tolist()
        return tuple(
            self._stratum(begin, end)
            for begin, end in pairwise([*starts, len(self._rows)])
            if codes is None or int(self._rows.codes[begin]) in codes
        )

    def _stratum(self, begin: int, end: int) -> LowRows:
        degrees = self._degrees[begin:end]
        outliers = int(np.count_nonzero(degrees < self._asked.k))
        points = np.ascontiguousarray(self._rows.points[begin:end])
        return LowRows(outliers, points, degrees, partial(self._named, begin))

    def _named(self, begin: int, places: NDArray[np.intp]) -> Lists:
        """The lists of rows of a stratum; of equal rows, the first one does not name itself (claim T3)."""
        rows = begin + places
        need = int(self._degrees[rows].max(initial=-1)) + 1
        if need > self._listed_below:
            self._fetch(min(self._asked.cap, max(need, int(_MORE_LISTS * need))))
        known = self._distinct[rows]
        lengths = self._lists.lengths[known] - self._is_first[rows]
        return Lists(self._lists.members, self._lists.begins[known], lengths, self._lists.names)

    def _fetch(self, below: int) -> None:
        """List the names around the different low rows with degrees below this one; each names itself last."""
        wanted = np.flatnonzero(self._is_first & (self._degrees < below))
        wanted = wanted[np.argsort(self._home[wanted], kind="stable")]
        numbers, lows, highs = self._boxes
        touched = touching(self._rows.points[wanted], lows, highs, self._asked.reach)
        inputs, guests = {}, {}
        for at, n in enumerate(numbers):
            places = wanted[touched[:, at]]
            if places.size:
                inputs[n], guests[n] = visitors(self._rows, self._home, places), places
        work = NameNeighbors(self._asked.d, self._asked.width, self._asked.radius)
        found: dict[int, Near] = dict(self._tiles.each(work, inputs))
        self._lists = _joined(found, guests, self._distinct, int(self._is_first.sum()))
        self._listed_below = below


def _joined(
    found: dict[int, Near], guests: dict[int, NDArray[np.intp]], distinct: NDArray[np.intp], rows: int
) -> Lists:
    """The names that all tiles gave, list by list. No two tiles have equal rows, so names of two tiles differ."""
    owner, name, same, names = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.bool_)], 0
    for n in sorted(found):
        owner.append(distinct[guests[n][found[n].visitor]])
        name.append(names + found[n].name)
        same.append(found[n].is_itself)
        names += found[n].names
    owners = np.concatenate(owner)
    order = np.lexsort((np.concatenate(same), owners))
    members = np.concatenate(name)[order].astype(np.uint32)
    lengths = np.bincount(owners, minlength=rows)
    return Lists(members, np.cumsum(lengths) - lengths, lengths, names)
