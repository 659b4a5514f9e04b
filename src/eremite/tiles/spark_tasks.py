"""What the Python workers of Spark do with the rows of a partition.

A task may be done again, anywhere and in any order: which tile a row belongs to depends on the row alone, so the rows
of a tile are the same every time. Which rows are in a sample depends on their places, and decides nothing but who
counts what. Nothing is drawn.
"""

import gc
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
import pyarrow as pa

from eremite.errors import InputError
from eremite.table.batches import Piece, Pieces
from eremite.tiles.store import Chunk, Cut, Packed, Reading, Result, TileWork

#: What travels: a tile, a number that decides its partition, and the bytes of its rows or of a result.
SCHEMA = "place int, tile int, content binary"
#: Instead of a tile: the content is a sentence about the table, or the type of another error.
REFUSED, FAILED = -1, -2

_CHUNK_ROWS = 1 << 16  # the rules cost as much for ten rows as for some thousands
_CHUNK_BYTES = 32 << 20
_HELD_BYTES = 16 << 20  # rows that a task collects by tile before it gives them to Spark

Batches = Iterator[pa.RecordBatch]
#: How a task gets its rows from the batches that Spark gives it.
Rows = Callable[[Batches], Iterator[pa.Table]]
Task = Callable[..., Batches]


def _without_errors(task: Task) -> Task:
    """The task with a last record for its error, if there is one: Spark would log the text of an exception.

    The other batches are let pass, since Spark also logs that a task leaves some behind.
    """

    @wraps(task)
    def run(*arguments: Any) -> Batches:
        *given, batches = arguments
        gc.freeze()  # Spark collects garbage after every task: .08 s for what is imported, were it not left alone
        try:
            yield from task(*given, batches)
        except Exception as error:
            for _ in batches:
                pass
            if isinstance(error, InputError):
                yield _record(REFUSED, str(error).encode())
            else:
                yield _record(FAILED, type(error).__name__.encode())

    return run


@_without_errors
def fold(
    opened: Rows,
    reading: Reading,
    work: Callable[[Chunk], Result],
    merge: Callable[[Result, Result], Result],
    batches: Batches,
) -> Batches:
    """One record: what `work` makes of the chunks of this partition, merged. None if it has no rows."""
    results: list[Result] = []
    for table in opened(batches):
        result = work(reading.chunk(table))
        results = [merge(results[0], result) if results else result]
    if results:
        yield _record(0, pickle.dumps(results[0], protocol=5))


def _or_failed(task: Task) -> Task:
    """The task, failed if it has an error, whose text stays here: Spark does it again, or gives up.

    Its records are kept, and made anew where they were lost. A record of an error might then be in a partition that was
    not lost, and rows would be missing without a word.
    """

    @wraps(task)
    def run(*arguments: Any) -> Batches:
        gc.freeze()
        try:
            yield from task(*arguments)
        except Exception as error:
            failed = type(error).__name__
        else:
            return
        raise RuntimeError(f"A task ended with {failed}.")  # out here, so that Spark does not log the first one

    return run


@_or_failed
def cut(opened: Rows, reading: Reading, cuts: Sequence[Cut], places: Sequence[int], batches: Batches) -> Batches:
    """The rows of each cut by tile, in as few records as memory allows."""
    held: dict[int, list[Packed]] = defaultdict(list)
    size = 0
    for table in opened(batches):
        chunk = reading.chunk(table)
        for one in cuts:
            for tile, rows in one.split(chunk):
                held[tile].append(rows)
                size += rows.nbytes
            if size >= _HELD_BYTES:
                yield _rows_by_tile(held, places)
                held.clear()
                size = 0
    if held:
        yield _rows_by_tile(held, places)


@_without_errors
def each(work: TileWork, inputs: Mapping[int, bytes], batches: Batches) -> Batches:
    """What `work` makes of the tiles of this partition that have an input; each is wholly in this partition."""
    found: dict[int, list[Packed]] = defaultdict(list)
    for batch in batches:
        for tile, content in zip(batch.column("tile").to_pylist(), batch.column("content"), strict=True):
            if tile in inputs:
                found[tile].append(np.frombuffer(content.as_buffer(), np.float64))
    while found:
        tile, parts = found.popitem()
        rows = np.concatenate(parts)
        del parts
        yield _record(tile, pickle.dumps(work(rows, pickle.loads(inputs[tile])), protocol=5))  # noqa: S301 -- our own


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


def in_files(table: Pieces, parts: Sequence[Piece], batches: Batches) -> Iterator[pa.Table]:
    """The rows of the parts of files whose numbers are in the batches."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from table.batches(parts[number])


def _rows_by_tile(held: Mapping[int, Sequence[Packed]], places: Sequence[int]) -> pa.RecordBatch:
    """A record for each tile. Its rows are copied once, into the bytes that are sent."""
    content = np.concatenate([rows for parts in held.values() for rows in parts])
    sizes = [sum(rows.nbytes for rows in parts) for parts in held.values()]
    offsets = np.cumsum([0, *sizes], dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    return _batch([places[tile] for tile in held], list(held), pa.Array.from_buffers(pa.binary(), len(held), buffers))


def _record(tile: int, content: bytes) -> pa.RecordBatch:
    return _batch([0], [tile], pa.array([content], pa.binary()))


def _batch(places: Sequence[int], tiles: Sequence[int], contents: pa.Array) -> pa.RecordBatch:
    columns = [pa.array(places, pa.int32()), pa.array(tiles, pa.int32()), contents]
    return pa.RecordBatch.from_arrays(columns, names=["place", "tile", "content"])
