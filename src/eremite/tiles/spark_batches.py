"""How rows and results of tasks travel in the Arrow batches of Spark frames: few large records, and never pandas."""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from eremite.tiles import spark_tasks as tasks
from eremite.tiles.store import Chunk, Cut, Packed, Reading, Result, TileWork

#: What travels: a tile, a number that decides its partition, and the bytes of its rows or of a result.
SCHEMA = "place int, tile int, content binary"

_CHUNK_ROWS = 1 << 16  # the rules cost as much for ten rows as for some thousands
_CHUNK_BYTES = 32 << 20

Batches = Iterator[pa.RecordBatch]
#: How a task gets its rows from the batches that Spark gives it.
Rows = Callable[[Batches], Iterator[pa.Table]]


def fold(
    opened: Rows,
    reading: Reading,
    work: Callable[[Chunk], Result],
    merge: Callable[[Result, Result], Result],
    batches: Batches,
) -> Batches:
    """One record with a result, or with an error."""
    return _results(tasks.with_error(tasks.fold(reading, work, merge, opened(batches)), batches))


def cut(opened: Rows, reading: Reading, cuts: Sequence[Cut], places: Sequence[int], batches: Batches) -> Batches:
    """Records with the rows of tiles; places[tile] decides the partition of a tile."""
    return tasks.or_failed(_rows_by_tile(held, places) for held in tasks.cut(reading, cuts, opened(batches)))


def each(work: TileWork, inputs: Mapping[int, bytes], batches: Batches) -> Batches:
    """A record with a result for each tile that has an input."""
    return _results(tasks.with_error(tasks.each(work, inputs, _parts(batches)), batches))


def joined(batches: Batches) -> Iterator[pa.Table]:
    """The rows of small batches, together."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _CHUNK_ROWS or size >= _CHUNK_BYTES:
            yield pa.Table.from_batches(held)
            held, rows, size = [], 0, 0
    if rows:
        yield pa.Table.from_batches(held)


def in_files(files: tasks.FileParts, batches: Batches) -> Iterator[pa.Table]:
    """The rows of the parts of files whose numbers are in the only column."""
    return files.rows(number for batch in batches for number in batch.column(0).to_pylist())


def results_in(table: pa.Table) -> list[tasks.Record]:
    """The records with results."""
    contents = (pickle.loads(content.as_buffer()) for content in table["content"])  # noqa: S301 -- from our tasks
    return list(zip(table["tile"].to_pylist(), contents, strict=True))


def _parts(batches: Batches) -> Iterator[tuple[int, Packed]]:
    for batch in batches:
        for tile, content in zip(batch.column("tile").to_pylist(), batch.column("content"), strict=True):
            yield tile, np.frombuffer(content.as_buffer(), np.float64)


def _rows_by_tile(held: tasks.Held, places: Sequence[int]) -> pa.RecordBatch:
    """A record for each tile. Its rows are copied once, into the bytes that are sent."""
    content = np.concatenate([rows for parts in held.values() for rows in parts])
    sizes = [sum(rows.nbytes for rows in parts) for parts in held.values()]
    offsets = np.cumsum([0, *sizes], dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    return _batch([places[tile] for tile in held], list(held), pa.Array.from_buffers(pa.binary(), len(held), buffers))


def _results(records: Iterator[tasks.Record]) -> Batches:
    for tile, result in records:
        yield _record(tile, pickle.dumps(result, protocol=5))


def _record(tile: int, content: bytes) -> pa.RecordBatch:
    return _batch([0], [tile], pa.array([content], pa.binary()))


def _batch(places: Sequence[int], tiles: Sequence[int], contents: pa.Array) -> pa.RecordBatch:
    columns = [pa.array(places, pa.int32()), pa.array(tiles, pa.int32()), contents]
    return pa.RecordBatch.from_arrays(columns, names=["place", "tile", "content"])
