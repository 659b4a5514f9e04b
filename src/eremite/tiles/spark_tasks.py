"""What the Python workers of Spark do with the rows of a partition, however these travel.

A task may be done again, anywhere and in any order: which tile a row belongs to depends on the row alone, so the rows
of a tile are the same every time. Which rows are in a sample depends on their places, and decides nothing but who
counts what. Nothing is drawn.
"""

import gc
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from eremite.errors import InputError, TableError
from eremite.table.batches import Piece, Pieces
from eremite.tiles.store import Chunk, Cut, NarrowingWork, Packed, Reading, Result, TileWork

#: A tile, and its rows or what was made of them.
Record = tuple[int, Any]
#: Rows by tile, on their way to Spark.
Held = Mapping[int, Sequence[Packed]]
Made = TypeVar("Made")

#: Instead of a tile: there is a sentence about the table, or the type of another error.
REFUSED, FAILED = -1, -2

_HELD_BYTES = 16 << 20  # rows that a task collects by tile before it gives them to Spark
_PARTITIONS = 8  # of files, for each core
_PARTITION_BYTES = 32 << 20  # of files: what a partition has goes through the memory of one task


@dataclass(frozen=True, slots=True)
class FileParts:
    """The rows of Parquet or Arrow files that every machine of a cluster has, in parts that tasks read by number.

    The Python workers read the files themselves, and give their cells to the rules as they are in memory. That takes a
    third of what it takes Spark to read them and to hand over every row.
    """

    table: Pieces
    parts: tuple[Piece, ...]  # a row group each

    @classmethod
    def of(cls, path: Path, reading: Reading) -> "FileParts":
        """The parts of a file, a folder or a pattern. Types that the rules refuse raise their `TableError`."""
        table = Pieces.of(path, reading.columns, reading.rules.as_text)
        reading.chunk(table.schema.empty_table())
        parts = (replace(piece, groups=range(one, one + 1)) for piece in table.pieces for one in piece.groups)
        return cls(table, tuple(parts))

    def partitions(self, cores: int) -> int:
        """In how many partitions so many cores read them."""
        sizes = {part.path: part.version[0] for part in self.parts}
        wanted = max(_PARTITIONS * cores, -(-sum(sizes.values()) // _PARTITION_BYTES))
        return max(1, min(len(self.parts), wanted))

    def rows(self, numbers: Iterable[int]) -> Iterator[pa.Table]:
        """The rows of the parts that have these numbers."""
        for number in numbers:
            yield from self.table.batches(self.parts[number])


def fold(
    reading: Reading,
    work: Callable[[Chunk], Result],
    merge: Callable[[Result, Result], Result],
    tables: Iterable[pa.Table],
) -> Iterator[Record]:
    """One record: what `work` makes of the chunks of this partition, merged. None if it has no rows."""
    results: list[Result] = []
    for table in tables:
        result = work(reading.chunk(table))
        results = [merge(results[0], result) if results else result]
    if results:
        yield 0, results[0]


def cut(reading: Reading, cuts: Sequence[Cut], tables: Iterable[pa.Table]) -> Iterator[Held]:
    """The rows of each cut by tile, in as few parts as memory allows."""
    held: dict[int, list[Packed]] = defaultdict(list)
    size = 0
    for table in tables:
        chunk = reading.chunk(table)
        for one in cuts:
            for tile, rows in one.split(chunk):
                held[tile].append(rows)
                size += rows.nbytes
            if size >= _HELD_BYTES:
                yield held
                held, size = defaultdict(list), 0
    if held:
        yield held


def each(work: TileWork, inputs: Mapping[int, bytes], parts: Iterable[tuple[int, Packed]]) -> Iterator[Record]:
    """What `work` makes of the tiles of this partition that have an input; each is wholly in this partition."""
    for tile, rows in _whole_tiles(inputs, parts):
        yield tile, work(rows, pickle.loads(inputs[tile]))  # noqa: S301 -- our own


def narrow(
    work: NarrowingWork, inputs: Mapping[int, bytes], parts: Iterable[tuple[int, Packed]]
) -> Iterator[tuple[int, Any, Packed]]:
    """What `work` makes of these tiles, with the rows that it keeps of each."""
    for tile, rows in _whole_tiles(inputs, parts):
        yield tile, *work(rows, pickle.loads(inputs[tile]))  # noqa: S301 -- our own


def _whole_tiles(wanted: Mapping[int, Any], parts: Iterable[tuple[int, Packed]]) -> Iterator[tuple[int, Packed]]:
    found: dict[int, list[Packed]] = defaultdict(list)
    for tile, rows in parts:
        if tile in wanted:
            found[tile].append(rows)
    while found:
        tile, some = found.popitem()
        # Also if it is one part: what Spark gives cannot be written to, and kernels would be compiled again for that.
        rows = np.concatenate(some)
        del some
        yield tile, rows


def with_error(records: Iterable[Record], given: Iterable[Any]) -> Iterator[Record]:
    """The records, and a last one for an error, if there is one: Spark would log the text of an exception.

    What is left of what the task was given is let pass, since Spark also logs that a task leaves some behind.
    """
    _leave_imports_alone()
    try:
        yield from records
    except Exception as error:
        for _ in given:
            pass
        yield (REFUSED, str(error)) if isinstance(error, InputError) else (FAILED, type(error).__name__)


def or_failed(made: Iterable[Made]) -> Iterator[Made]:
    """What a task makes. With an error the task fails, and the text stays here: Spark does it again, or gives up.

    What is made is kept, and made anew where it was lost. A record of an error might then be in a partition that was
    not lost, and rows would be missing without a word.
    """
    _leave_imports_alone()
    try:
        yield from made
    except Exception as error:
        failed = type(error).__name__
    else:
        return
    raise RuntimeError(f"A task ended with {failed}.")  # out here, so that Spark does not log the first one


def require_results(found: Iterable[Record]) -> None:
    """Raise what a task says went wrong."""
    told = [(tile, what) for tile, what in found if tile in (REFUSED, FAILED)]
    refused = [sentence for tile, sentence in told if tile == REFUSED]
    if refused:
        raise TableError(min(refused))
    if told:
        raise RuntimeError(f"A task of Spark ended with {min(name for _, name in told)}.")


def packed(inputs: Mapping[int, Any]) -> dict[int, bytes]:
    """The input of each tile, as bytes: a task unpacks those of its own tiles alone."""
    return {tile: pickle.dumps(one, protocol=5) for tile, one in inputs.items()}


def _leave_imports_alone() -> None:
    gc.freeze()  # Spark collects garbage after every task: .08 s for what is imported, were it not left alone
