"""What counting asks of a place where rows are.

A `Source` has the rows of a table, a chunk at a time. It looks at all of them (`fold`), or cuts them into `Tiles` that
are looked at again and again. The work that is handed over, what it is given and what it gives back can be pickled; it
may be done twice, and in any order, so it never draws noise.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from eremite.table.bounds import FloatArray
from eremite.table.categories import Codes
from eremite.table.rules import CellRules
from eremite.tiles.tiling import Tiling

Result = TypeVar("Result")

#: The rows of a tile, all their numbers one after the other.
Packed = NDArray[np.float64]
NO_ROWS: Packed = np.empty(0)
#: Work on a tile: its rows, and what it was given.
TileWork = Callable[[Packed, Any], Any]
#: Work that also says which rows of the tile are kept: a result, and these rows.
NarrowingWork = Callable[[Packed, Any], tuple[Any, Packed]]


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some rows of a table, by its rules; private."""

    scaled: FloatArray  # [coordinate, row]; NaN where a row is left out
    codes: Mapping[str, Codes]  # of categories; below 0: left out

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self.scaled.shape[1])


@dataclass(frozen=True, slots=True)
class Reading:
    """How the cells of a source become rows: every cell by the rule of its column, alone."""

    rules: CellRules
    place: str  # for sentences about cells that the rules refuse

    @property
    def columns(self) -> list[str]:
        """The columns that are read: coordinates, then categories."""
        return [*self.rules.bounds, *self.rules.categories]

    def chunk(self, batch: pa.RecordBatch | pa.Table) -> Chunk:
        """The rows of an Arrow batch that has these columns. Raises `TableError` for cells that the rules refuse."""
        return Chunk(*self.rules.rows({name: batch.column(name) for name in self.columns}, self.place))


@dataclass(frozen=True, slots=True)
class Cut:
    """Which rows take part in a question, with which columns, and which tile each of them belongs to.

    A row that no column leaves out becomes its coordinates, and the code of its stratum if there are strata. Of the
    copies of one point that makes a tile crowded, each chunk keeps `most_copies` (claim T2).
    """

    coordinates: tuple[int, ...]  # by number
    strata: tuple[tuple[str, int], ...]  # category columns, with how many codes each has
    leaving_out: tuple[int, ...]  # coordinates that may leave out a row
    tiling: Tiling
    first: int  # the number of its first tile
    most_copies: int

    @property
    def tiles(self) -> range:
        """The numbers of its tiles."""
        return range(self.first, self.first + self.tiling.count)

    @property
    def width(self) -> int:
        """How many numbers a row has in a tile."""
        return len(self.coordinates) + bool(self.strata)

    def split(self, chunk: Chunk) -> Iterator[tuple[int, Packed]]:
        """The rows of a chunk by tile: the number of each tile that has some, and its rows."""
        rows, edges = self.tiling.sort(self.taking_part(chunk))
        for tile, (start, stop) in enumerate(pairwise(edges.tolist())):
            if start < stop:
                yield self.first + tile, self.tiling.thinned(tile, rows[start:stop], self.most_copies).reshape(-1)

    def taking_part(self, chunk: Chunk) -> FloatArray:
        """The rows that take part, each with its coordinates and, in the bits of one more number, its stratum."""
        if not self.leaving_out and not self.strata:
            return np.ascontiguousarray(chunk.scaled[list(self.coordinates)].T)
        kept = np.ones(chunk.rows, dtype=np.bool_)
        for place in self.leaving_out:
            kept &= ~np.isnan(chunk.scaled[place])
        codes = np.zeros(chunk.rows, dtype=np.int64)
        for name, radix in self.strata:
            codes = codes * radix + chunk.codes[name]
            kept &= chunk.codes[name] >= 0
        rows = np.empty((int(np.count_nonzero(kept)), self.width))
        for place, column in enumerate(self.coordinates):
            rows[:, place] = chunk.scaled[column][kept]
        if self.strata:
            rows[:, -1] = codes[kept].view(np.float64)
        return rows


class Tiles(Protocol):
    """Rows in tiles, which stay until they are closed."""

    @property
    def most_sent(self) -> int:
        """How many bytes the input of one tile may have at most. Public."""

    def each(self, work: TileWork, inputs: Mapping[int, Any]) -> Iterable[tuple[int, Any]]:
        """What `work` makes of the rows of each tile that `inputs` names and of the input, in any order.

        A tile without rows has an empty array.
        """

    def close(self) -> None:
        """Remove them."""


@runtime_checkable
class NarrowingTiles(Tiles, Protocol):
    """Tiles that can put rows aside."""

    def narrowed(self, work: NarrowingWork, inputs: Mapping[int, Any]) -> tuple[dict[int, Any], Tiles]:
        """What `work` makes of the rows of each tile that `inputs` names, and tiles with the rows that it keeps."""


class Source(Protocol):
    """The rows of a table, somewhere; private."""

    @property
    def workers(self) -> int:
        """How many tiles are worked on at once. Public."""

    @property
    def tile_bytes(self) -> int:
        """How large a tile should be at most. Public."""

    def require_answer(self) -> None:
        """Refuse a question, before it is charged, if nobody would answer it. Looks at no row."""

    def fold(self, work: Callable[[Chunk], Result], merge: Callable[[Result, Result], Result]) -> Result | None:
        """What `work` makes of each chunk, merged in any order; None if there is no chunk.

        Raises the `TableError` of a chunk that the rules refuse.
        """

    def cut(self, cuts: Sequence[Cut]) -> Tiles:
        """The rows of each cut in its tiles."""


def unpacked(rows: Packed, columns: int, width: int) -> tuple[FloatArray, NDArray[np.int64]]:
    """The coordinates of the rows of a tile, C-contiguous, and the codes of their strata; 0 without strata."""
    table = rows.reshape(-1, width)
    points = np.ascontiguousarray(table[:, :columns])
    codes = np.zeros(len(table), dtype=np.int64) if width == columns else table[:, columns].copy().view(np.int64)
    return points, codes
