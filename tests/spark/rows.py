"""Tables for the tests of Spark, the work that its tasks do, and what must come out, by definition."""

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from eremite.table.rules import CellRules
from eremite.tiles.store import Chunk, Cut, Packed, Reading
from eremite.tiles.tiling import Tiling, tiling_of

SECRET = "SECRETCELL"  # noqa: S105
PLACE = "the frame"


def names(columns: int) -> list[str]:
    return [f"x{number}" for number in range(columns)]


def reading(columns: int, **rules: Any) -> Reading:
    return Reading(CellRules.of(dict.fromkeys(names(columns), (0.0, 1.0)), **rules), PLACE)


def table(rows: np.ndarray) -> pa.Table:
    return pa.table({name: rows[:, number] for number, name in enumerate(names(rows.shape[1]))})


def frame_of(spark: Any, rows: pa.Table, partitions: int = 3) -> Any:
    """The frame of a table of numbers or texts. Spark Connect infers no schema from a table without rows."""
    if rows.num_rows:
        return spark.createDataFrame(rows).repartition(partitions)
    cells = [f"0D AS {name}" for name in rows.column_names]
    return spark.range(0).selectExpr(*cells).repartition(partitions)


def tiling(rows: np.ndarray, tiles: int = 8) -> Tiling:
    return tiling_of(rows[::3], tiles, 0.05)


def cut_of(rows: np.ndarray, tiles: int = 8, first: int = 0) -> Cut:
    return Cut(tuple(range(rows.shape[1])), (), (), tiling(rows, tiles), first, 1000)


def sorted_rows(packed: Packed, width: int) -> list[tuple[int, ...]]:
    """The rows of a tile, by their bits, in an order that does not depend on how they came."""
    return sorted(map(tuple, packed.reshape(-1, width).view(np.int64).tolist()))


def by_definition(reading: Reading, cut: Cut, rows: pa.Table) -> dict[int, list[tuple[int, ...]]]:
    """The rows of each tile that has some, from the whole table in memory."""
    return {tile: sorted_rows(packed, cut.width) for tile, packed in cut.split(reading.chunk(rows))}


def found_in(tiles: Any, numbers: Iterable[int], width: int) -> dict[int, list[tuple[int, ...]]]:
    """The rows of each tile that has some, as its work sees them."""
    rows = {tile: sorted_rows(packed, width) for tile, packed in tiles.each(rows_of, dict.fromkeys(numbers))}
    return {tile: some for tile, some in rows.items() if some}


def rows_of(packed: Packed, _given: Any) -> Packed:
    return packed


def size_and_input(packed: Packed, given: Any) -> tuple[int, Any]:
    return packed.size, given


def size_and_rows(packed: Packed, _given: Any) -> tuple[int, Packed]:
    return packed.size, packed


def slow_size_and_rows(packed: Packed, _given: Any) -> tuple[int, Packed]:
    time.sleep(0.3)
    return packed.size, packed


def slow_rows_of(packed: Packed, _given: Any) -> Packed:
    """The rows, so slowly that a process can be killed meanwhile."""
    time.sleep(0.3)
    return packed


def sums(chunk: Chunk) -> tuple[int, float]:
    return chunk.rows, float(np.nansum(chunk.scaled))


def slow_sums(chunk: Chunk) -> tuple[int, float]:
    time.sleep(0.3)
    return sums(chunk)


def added(one: tuple[int, float], other: tuple[int, float]) -> tuple[int, float]:
    return one[0] + other[0], one[1] + other[1]


def failing(chunk: Chunk) -> int:
    raise ValueError(f"{SECRET} {chunk.scaled[0, 0]}")


def failing_tile(packed: Packed, _given: Any) -> int:
    raise ValueError(f"{SECRET} {packed[:1]}")
