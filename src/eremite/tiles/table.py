"""A private table whose rows are elsewhere: it is asked as one in memory is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from operator import add
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eremite.engines import CoreRows, LowRows, Slots
from eremite.errors import InputError
from eremite.privacy import Neighbors
from eremite.table import DeclaredTable, Engine, Part, Table
from eremite.table.bounds import FloatArray
from eremite.table.declared import require_facts
from eremite.table.engine import machine_memory
from eremite.tiles.core import EVERY, AskedOfCore, CoreTable, core_rows_in
from eremite.tiles.counting import Cell
from eremite.tiles.low import Asked, LowTable, low_numbers_in, low_rows_in
from eremite.tiles.near import CountNear, CountNearInSets, CountRows
from eremite.tiles.store import Chunk, Cut, Reading, Source
from eremite.tiles.tiling import UNDIVIDED, Tiling, tiling_of

#: So many rows of each chunk are in the sample, and tiles are planned with so many of them.
_SAMPLED = 64
_SAMPLE = 2**16
_FEW_ROWS = 2**15  # a tile is not worth a task of its own with fewer
_MOST_TILES = 2**13
# About what a low row takes here for each coordinate, with its copies and indices, and for each neighbor.
_BYTES_A_NUMBER = 64
_BYTES_A_NEIGHBOR = 16
_MOST_COPIES = 2**12  # a tile keeps so many copies of a point that crowds it, or more if degrees are counted further


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TiledTable(DeclaredTable):
    """The rows to protect, somewhere else; questions about them are answered with the same integers as in memory.

    `most_low_rows` is public: for how many rows with few neighbors this machine must have room.
    """

    source: Source = field(kw_only=True)
    most_low_rows: int = field(kw_only=True)
    _rows: int = field(kw_only=True)
    _sample: FloatArray = field(kw_only=True)  # some rows, [row, coordinate]; NaN where one is left out

    def all_rows(self) -> int:
        """The number of all rows, left out or not: private where neighbors come and go."""
        return self._rows

    def require_room(self, min_neighbors: int) -> None:
        """Refuse a question whose low rows might not fit into this machine, as far as public facts tell."""
        needed = self.most_low_rows * (_BYTES_A_NUMBER * len(self.bounds) + _BYTES_A_NEIGHBOR * min_neighbors)
        if needed > machine_memory():
            raise InputError(
                f"{self.most_low_rows:,} rows with few neighbors may take {needed / 1e9:,.0f} GB, more than this "
                "machine has; set a smaller max_low_rows, or a smaller min_neighbors."
            )

    def rows_taking_part(self, columns: Iterable[str] = ()) -> int:
        """The number of rows that take part in questions about these columns; of all rows, without any. Private."""
        names = tuple(columns)
        if not any(self.rules.leaves_out(name) for name in names):
            return self.all_rows()
        cut = self.cut([n for n in names if n in self.bounds], [n for n in names if n in self.categories])
        return self.source.fold(CountRows(cut), add) or 0

    def part(self, columns: Iterable[str] | None = None, within: Iterable[str] = ()) -> "TiledPart":
        """The rows that take part in a question over the columns, divided into strata by the columns `within`."""
        return self.parts([self.choose(columns)], within)[0]

    def parts(self, each: Sequence[Sequence[str]], within: Iterable[str] = ()) -> "list[TiledPart]":
        """The rows that take part in questions over sets of columns of one size, which are counted together."""
        together = _Together(self, [tuple(one) for one in each], self.choose_within(within))
        return [TiledPart(together, view) for view in range(len(each))]

    def part_by_cell(self, columns: Iterable[str] | None = None, within: Iterable[str] = ()) -> "TiledPart":
        """All rows but those left out in `within`; a row is near nobody in a column that leaves it out."""
        return TiledPart(_Together(self, [self.choose(columns)], self.choose_within(within)), 0, _by_cell=True)

    def groups(self, columns: Iterable[str] | None, by: Iterable[str], within: Iterable[str] = ()) -> "list[TiledPart]":
        """A part for each combination of declared values of the columns `by`, as `group_names` lists them. Private."""
        groups, strata = self.choose_within(by), self.choose_within(within)
        self.combinations((*groups, *strata))  # refuses codes that would not be told apart
        together = _Together(self, [self.choose(columns)], (*groups, *strata))
        radix = self.combinations(strata)
        count = len(self.group_names(groups))
        return [TiledPart(together, 0, _codes=range(g * radix, (g + 1) * radix)) for g in range(count)]

    def cut(self, names: Sequence[str], within: Sequence[str], *, by_cell: bool = False) -> Cut:
        """Which rows take part in a question, not yet divided."""
        place = {name: at for at, name in enumerate(self.bounds)}
        leaving = () if by_cell else tuple(place[name] for name in names if self.rules.leaves_out(name))
        return Cut(
            coordinates=tuple(place[name] for name in names),
            strata=tuple((name, len(self.categories[name].names)) for name in within),
            leaving_out=leaving,
            tiling=UNDIVIDED,
            first=0,
            most_copies=0,
        )

    def tiling(self, cut: Cut, distance: float) -> Tiling:
        """Tiles of about as many rows each for a question; how many is public."""
        sample = self._sample[:, list(cut.coordinates)]
        sample = sample[~np.isnan(sample).any(axis=1)]
        return tiling_of(sample[:: max(1, len(sample) // _SAMPLE)], self._tiles(cut.width), distance)

    def _tiles(self, width: int) -> int:
        rows = self.facts.rows
        wanted = max(-(-rows * width * 8 // self.source.tile_bytes), min(2 * self.source.workers, rows // _FEW_ROWS), 1)
        return min(1 << (wanted - 1).bit_length(), _MOST_TILES)


class _Together:
    """Rows over several sets of columns, of one size each, in tiles that they share. They are cut once, when asked."""

    def __init__(self, table: TiledTable, views: Sequence[tuple[str, ...]], within: tuple[str, ...]) -> None:
        self.table, self.views, self.within = table, views, within
        self.d = len(views[0])
        self.width = self.d + bool(within)
        self._asked: Asked | None = None
        self._found: list[LowTable] = []
        self._numbered: Asked | None = None
        self._numbers: list[Counter[int]] = []
        self._asked_of_core: AskedOfCore | None = None
        self._core: list[CoreTable] = []
        self._cuts: list[Cut] = []
        self._tiles: Any = None  # Tiles, once they are cut

    def low(self, view: int, radius: float, k: int, cap: int) -> LowTable:
        """The low rows of one view; those of all views are found at once, and kept until others are asked for."""
        asked = Asked(self.d, self.width, radius, k, cap)
        if asked != self._asked:
            self._require_tiles(asked.radius, asked.cap)
            self._found, self._asked = [], None  # what they keep is removed first
            self._found = low_rows_in(self._tiles, [cut.tiles for cut in self._cuts], asked)
            self._asked = asked
        return self._found[view]

    def low_numbers(self, view: int, radius: float, cap: int) -> Counter[int]:
        """How many low rows each stratum of one view has, by its code; found for all views at once, and kept."""
        asked = Asked(self.d, self.width, radius, cap, cap)
        if asked != self._numbered:
            self._require_tiles(radius, cap)
            self._numbers = low_numbers_in(self._tiles, [cut.tiles for cut in self._cuts], asked, self._cells())
            self._numbered = asked
        return self._numbers[view]

    def core(self, view: int, radius: float, k: int, slots: Slots) -> CoreTable:
        """The core rows of one view that may be in a crowd; those of all views are found at once, and kept."""
        asked = AskedOfCore(self.d, self.width, radius, k, slots)
        if asked != self._asked_of_core:
            self._require_tiles(radius, EVERY)
            self._core = core_rows_in(self._tiles, [cut.tiles for cut in self._cuts], self._cells(), asked)
            self._asked_of_core = asked
        return self._core[view]

    def _cells(self) -> dict[int, Cell]:
        return {cut.first + tile: cut.tiling.cell(tile) for cut in self._cuts for tile in range(cut.tiling.count)}

    def _require_tiles(self, radius: float, cap: int) -> None:
        if self._tiles is None or cap >= self._cuts[0].most_copies:
            self._cut(radius, cap)

    def _cut(self, radius: float, cap: int) -> None:
        """Put the rows into tiles. Of a crowding point, more copies than the cap are kept (claim T2)."""
        cuts, first = list[Cut](), 0
        for names in self.views:
            cut = self.table.cut(names, self.within)
            tiling = self.table.tiling(cut, radius * sqrt(self.d))
            cuts.append(replace(cut, tiling=tiling, first=first, most_copies=max(cap + 1, _MOST_COPIES)))
            first += tiling.count
        self._tiles = self.table.source.cut(cuts)
        self._cuts = cuts  # those of the tiles, also if cutting failed


@dataclass(frozen=True, slots=True, eq=False)
class TiledPart:
    """The rows that take part in a question, in tiles; private. `Part` is the same in memory."""

    _together: _Together
    _view: int
    _codes: range | None = field(default=None)
    _by_cell: bool = False

    @property
    def points(self) -> "TiledPart":
        """The rows, which are not here."""
        return self

    @property
    def starts(self) -> None:
        """Where strata begin: rows that are not here know their strata themselves."""
        return

    @property
    def d(self) -> int:
        """How many columns count."""
        return self._together.d

    @property
    def strata(self) -> int:
        """How many strata are declared, of all groups together; their codes are below. Public."""
        return self._together.table.combinations(self._together.within)

    def low(self, radius: float, k: int, cap: int) -> tuple[LowRows, ...]:
        """The rows with fewer than `cap` neighbors of each stratum that has some; the outliers have fewer than k."""
        return self._together.low(self._view, radius, k, cap).strata(self._codes)

    def core(self, radius: float, k: int, slots: Slots) -> CoreRows:
        """The rows with k neighbors or more that may be in a crowd, as the slots tell."""
        return self._together.core(self._view, radius, k, slots).strata(self._codes)

    def with_fewer(self, k: int, radii: tuple[float, ...]) -> list[int]:
        """How many rows have fewer than k neighbors at each radius."""
        found = (self._together.low_numbers(self._view, radius, k) for radius in radii)
        return [sum(n for code, n in one.items() if self._codes is None or code in self._codes) for one in found]

    def near(self, points: FloatArray, strata: NDArray[np.int64], radius: float, cap: int) -> NDArray[np.int64]:
        """For each public point, the number of rows of its stratum within the radius, or the cap if that is less."""
        work = CountNear(self._whole(), points, strata, radius, cap)
        found = self._together.table.source.fold(work, work.merge)
        return np.zeros(len(points), np.int64) if found is None else found

    def near_in_sets(
        self, points: FloatArray, strata: NDArray[np.int64], sets: Sequence[Sequence[int]], radius: float
    ) -> NDArray[np.int64]:
        """For each public point and each set of columns, the number of rows of its stratum within the radius."""
        found = self._together.table.source.fold(CountNearInSets(self._whole(), points, strata, sets, radius), np.add)
        return np.zeros((len(points), len(sets)), np.int64) if found is None else found

    def _whole(self) -> Cut:
        together = self._together
        return together.table.cut(together.views[self._view], together.within, by_cell=self._by_cell)


AnyPart: TypeAlias = Part | TiledPart
"""The rows that take part in a question, wherever they are."""
AnyTable: TypeAlias = Table | TiledTable
"""A private table, wherever its rows are."""


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """How many rows there are, and some of them."""

    rows: int
    sample: FloatArray

    def __add__(self, other: "_Seen") -> "_Seen":
        return _Seen(self.rows + other.rows, np.concatenate([self.sample, other.sample]))


def _seen(chunk: Chunk) -> _Seen:
    step = max(1, chunk.rows // _SAMPLED)
    return _Seen(chunk.rows, np.ascontiguousarray(chunk.scaled[:, ::step].T))


def tiled_table(
    source: Source,
    reading: Reading,
    facts: tuple[int, Neighbors, int | None],
    engine: Engine,
) -> TiledTable:
    """The table of a source, after one look at all of its rows: they are counted, and cells are refused by the rules.

    `facts` are rows_per_person, neighbors and rows_about. Raises `TableError` for cells that the rules refuse.
    """
    require_facts(*facts)
    seen = source.fold(_seen, add) or _Seen(0, np.empty((0, len(reading.rules.bounds))))
    _, _, about = facts
    most = engine.most_low_rows(seen.rows if about is None else about)
    sample = seen.sample[np.lexsort(seen.sample.T)]  # not in the order in which chunks were seen: tiles are found again
    return TiledTable(reading.rules, *facts, source=source, most_low_rows=most, _rows=seen.rows, _sample=sample)
