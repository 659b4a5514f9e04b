"""Rows of a Spark frame, or of files, looked at and cut into tiles where they are (Spark 4).

Spark moves bytes and starts tasks; its Python workers do the work on rows, so eremite must be installed there too. Rows
travel in few large records, and never through pandas. Spark computes a frame again whenever it needs its rows, so the
frame must have the same rows every time.
"""

import atexit
import pickle
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from eremite.errors import InputError, TableError
from eremite.table.batches import Pieces
from eremite.table.numeric import require_columns
from eremite.table.spark import not_given, or_raise, quoted, require_version
from eremite.tiles import spark_connect as connect
from eremite.tiles import spark_tasks as tasks
from eremite.tiles.store import Chunk, Cut, Packed, Reading, Result, TileWork

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TILE_BYTES = 32 << 20
_PARTITIONS = 8  # of files, for each core
_NO_ROWS: Packed = np.empty(0)
_DESCRIPTION = "spark.job.description"


class SparkSource:
    """A `Source` whose rows are those of a Spark frame, or those that `opened` makes of them in a task."""

    def __init__(
        self, frame: "DataFrame", reading: Reading, tile_bytes: int = TILE_BYTES, opened: tasks.Rows = tasks.joined
    ) -> None:
        self._frame = frame
        self._reading = reading
        self._opened = opened
        self._not_given = TableError(not_given(reading.columns, reading.place))
        self.tile_bytes = tile_bytes

    @property
    def workers(self) -> int:
        """How many tasks Spark does at once. Public."""
        return _cores(self._frame.sparkSession)

    def require_answer(self) -> None:
        """Refuse a question, before it is charged, if the server of Spark Connect does not answer."""
        if connect.is_connect(self._frame.sparkSession):
            connect.require_answer(self._frame.sparkSession)

    def fold(self, work: Callable[[Chunk], Result], merge: Callable[[Result, Result], Result]) -> Result | None:
        """What `work` makes of each chunk, merged in any order; None if there is no row."""
        job = _mapped(self._frame, partial(tasks.fold, self._opened, self._reading, work, merge))
        found = _collected(job, "eremite: rows", self._not_given)
        results = [pickle.loads(content) for _, content in found]  # noqa: S301 -- from our tasks
        return reduce(merge, results) if results else None

    def cut(self, cuts: Sequence[Cut]) -> "SparkTiles":
        """The rows of each cut in its tiles, each tile in a partition of its own, kept by Spark."""
        count = max(one.first + one.tiling.count for one in cuts)
        places = _places(count)
        job = _mapped(self._frame, partial(tasks.cut, self._opened, self._reading, list(cuts), places))
        failure = RuntimeError("Spark could not cut the rows into tiles; its logs say why.")
        kept = or_raise(lambda: job.repartition(count, "place").persist(_storage_level()), failure)
        tiles = SparkTiles(kept)
        _collected(kept.filter("tile < 0"), "eremite: rows into tiles", failure)  # none has: this cuts them now
        return tiles


class SparkTiles:
    """Tiles that Spark keeps on its disks until they are closed or forgotten."""

    def __init__(self, frame: "DataFrame") -> None:
        self._frame = frame
        self.close = weakref.finalize(self, _unpersist, frame)
        # At the end of the process before a session of Spark Connect is released: its server would keep them.
        self.close.atexit = False
        atexit.register(self.close)

    @property
    def most_sent(self) -> int:
        """How many bytes of input a tile, and a job, may have; public."""
        return connect.MOST_SENT if connect.is_connect(self._frame.sparkSession) else sys.maxsize

    def each(self, work: TileWork, inputs: Mapping[int, Any]) -> Iterator[tuple[int, Any]]:
        """What `work` makes of the rows of each tile that `inputs` names and of the input, in any order."""
        left = dict(inputs)
        for given in self._jobs(inputs):
            for tile, content in self._done(work, given):
                del left[tile]
                yield tile, pickle.loads(content)  # noqa: S301 -- from our tasks
        for tile, one in left.items():
            yield tile, work(_NO_ROWS, one)

    def _jobs(self, inputs: Mapping[int, Any]) -> Iterator[dict[int, bytes]]:
        """The inputs of one job, or of several where Spark Connect could not send them at once."""
        given, size = dict[int, bytes](), 0
        for tile, one in inputs.items():
            packed = pickle.dumps(one, protocol=5)
            if given and size + len(packed) > self.most_sent:
                yield given
                given, size = {}, 0
            given[tile] = packed
            size += len(packed)
        if given:
            yield given

    def _done(self, work: TileWork, given: Mapping[int, bytes]) -> list[tuple[int, pa.Buffer]]:
        job = _mapped(self._frame, partial(tasks.each, work, given))
        failure = RuntimeError("Spark could not finish its work on tiles; its logs say why.")
        return _collected(job, "eremite: tiles", failure)


def of_frame(frame: "DataFrame", reading: Reading, tile_bytes: int = TILE_BYTES) -> SparkSource:
    """The rows of a frame; no other column leaves the JVMs of the cluster."""
    require_version(frame)
    require_columns(reading.columns, frame.columns, reading.place)
    failure = InputError(not_given(reading.columns, reading.place))
    selected = or_raise(lambda: frame.select(*map(quoted, reading.columns)), failure)
    return SparkSource(selected, reading, tile_bytes)


def of_files(session: "SparkSession", path: Path, reading: Reading, tile_bytes: int = TILE_BYTES) -> SparkSource:
    """The rows of Parquet or Arrow files that every machine of the cluster has at this path.

    The Python workers read the files themselves, and give their cells to the rules as they are in memory. That takes a
    third of what it takes Spark to read them and to hand over every row.
    """
    table = Pieces.of(path, reading.columns, reading.rules.as_text)
    reading.chunk(table.schema.empty_table())
    parts = [replace(piece, groups=range(one, one + 1)) for piece in table.pieces for one in piece.groups]
    partitions = max(1, min(len(parts), _PARTITIONS * _cores(session)))
    return SparkSource(
        session.range(0, len(parts), 1, partitions), reading, tile_bytes, partial(tasks.in_files, table, parts)
    )


def _cores(session: "SparkSession") -> int:
    if connect.is_connect(session):
        return connect.cores(session)
    return int(session.sparkContext.defaultParallelism)


def _mapped(frame: "DataFrame", task: Callable[[tasks.Batches], tasks.Batches]) -> "DataFrame":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark asks for pandas, and warns of its version, though it is not used
        return frame.mapInArrow(task, tasks.SCHEMA)


def _collected(job: "DataFrame", description: str, failure: Exception) -> list[tuple[int, pa.Buffer]]:
    """The tiles and contents of the records of a job. Raises what a task says went wrong, `failure` if Spark fails."""
    with _described(job, description):
        table = or_raise(job.toArrow, failure)
    found = list(zip(table["tile"].to_pylist(), (content.as_buffer() for content in table["content"]), strict=True))
    refused = [content.to_pybytes().decode() for tile, content in found if tile == tasks.REFUSED]
    if refused:
        raise TableError(min(refused))
    failed = [content.to_pybytes().decode() for tile, content in found if tile == tasks.FAILED]
    if failed:
        raise RuntimeError(f"A task of Spark ended with {min(failed)}.")
    return found


@contextmanager
def _described(job: "DataFrame", description: str) -> Iterator[None]:
    """While it lasts, jobs have this description, which depends on no row. Spark Connect describes them by the plan."""
    if connect.is_connect(job.sparkSession):
        yield
        return
    context = job.sparkSession.sparkContext
    before = context.getLocalProperty(_DESCRIPTION)
    context.setLocalProperty(_DESCRIPTION, description)
    try:
        yield
    finally:
        context.setLocalProperty(_DESCRIPTION, before)


def _storage_level() -> Any:
    from pyspark import StorageLevel

    return StorageLevel.DISK_ONLY  # as fast as memory, which the work on tiles needs more


def _unpersist(frame: "DataFrame") -> None:
    with suppress(Exception), connect.without_retries(frame.sparkSession):  # the session may have ended
        frame.unpersist()


def _places(count: int) -> list[int]:
    """Numbers that Spark's hash sends to different partitions, so that no partition has two tiles.

    Spark 4.1 has `repartitionById` for this, 4.0 has not.
    """
    tried = 4 * count
    while True:
        partitions, first = np.unique(_spark_hash(np.arange(tried, dtype=np.uint32)) % count, return_index=True)
        if partitions.size == count:
            return first.tolist()  # type: ignore[no-any-return]
        tried *= 2


def _spark_hash(numbers: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Spark's hash of integers: Murmur3 with seed 42."""
    mixed = np.uint32(42) ^ (_rotated(numbers * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593))
    mixed = _rotated(mixed, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    mixed = mixed ^ np.uint32(4)  # bytes
    mixed = (mixed ^ mixed >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ mixed >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return (mixed ^ mixed >> np.uint32(16)).view(np.int32).astype(np.int64)


def _rotated(numbers: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    return numbers << np.uint32(bits) | numbers >> np.uint32(32 - bits)
