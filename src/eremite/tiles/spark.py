"""Rows of a Spark frame, looked at and cut into tiles where they are (Spark 4).

Spark moves bytes and starts tasks; its Python workers do the work on rows, so eremite must be installed there too. Rows
travel in few large records, and never through pandas. Spark computes a frame again whenever it needs its rows, so the
frame must have the same rows every time.
"""

import atexit
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError, TableError
from eremite.table.numeric import require_columns
from eremite.table.spark import not_given, or_raise, quoted, require_version
from eremite.tiles import spark_batches as batches
from eremite.tiles import spark_connect as connect
from eremite.tiles import spark_tasks as tasks
from eremite.tiles.spark_rdd import TILE_BYTES, RddSource, described, unfinished
from eremite.tiles.store import NO_ROWS, Chunk, Cut, Reading, Result, TileWork

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkSource:
    """A `Source` whose rows are those of a Spark frame, or those that `opened` makes of them in a task."""

    def __init__(
        self, frame: "DataFrame", reading: Reading, tile_bytes: int = TILE_BYTES, opened: batches.Rows = batches.joined
    ) -> None:
        self._frame = frame
        self._reading = reading
        self._opened = opened
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
        job = _mapped(self._frame, partial(batches.fold, self._opened, self._reading, work, merge))
        failure = TableError(not_given(self._reading.columns, self._reading.place))
        results = [result for _, result in _collected(job, "eremite: rows", failure)]
        return reduce(merge, results) if results else None

    def cut(self, cuts: Sequence[Cut]) -> "SparkTiles":
        """The rows of each cut in its tiles, each tile in a partition of its own, kept by Spark."""
        count = max(one.first + one.tiling.count for one in cuts)
        places = _places(count)
        job = _mapped(self._frame, partial(batches.cut, self._opened, self._reading, list(cuts), places))
        failure = RuntimeError("Spark could not cut the rows into tiles; its logs say why.")
        tiles = SparkTiles(_kept(job.repartition(count, "place"), failure))
        try:  # no tile has such a number: this cuts them now
            _collected(tiles.frame.filter("tile < 0"), "eremite: rows into tiles", failure)
        except BaseException:
            tiles.close()  # here: an error keeps what its traceback refers to, until somebody collects garbage
            raise
        return tiles


class SparkTiles:
    """Tiles that Spark keeps on its disks until they are closed or forgotten."""

    def __init__(self, frame: "DataFrame") -> None:
        self.frame = frame
        self.close = weakref.finalize(self, _unpersist, frame)
        # At the end of the process before a session of Spark Connect is released: its server would keep them.
        self.close.atexit = False
        atexit.register(self.close)

    @property
    def most_sent(self) -> int:
        """How many bytes of input a tile, and a job, may have; public."""
        return connect.MOST_SENT if connect.is_connect(self.frame.sparkSession) else sys.maxsize

    def each(self, work: TileWork, inputs: Mapping[int, Any]) -> Iterator[tuple[int, Any]]:
        """What `work` makes of the rows of each tile that `inputs` names and of the input, in any order."""
        left = dict(inputs)
        for given in self._jobs(tasks.packed(inputs)):
            job = _mapped(self.frame, partial(batches.each, work, given))
            for tile, result in _collected(job, "eremite: tiles", unfinished()):
                del left[tile]
                yield tile, result
        for tile, one in left.items():
            yield tile, work(NO_ROWS, one)

    def _jobs(self, inputs: Mapping[int, bytes]) -> Iterator[dict[int, bytes]]:
        """The inputs of one job, or of several where Spark Connect could not send them at once."""
        given, size = dict[int, bytes](), 0
        for tile, packed in inputs.items():
            if given and size + len(packed) > self.most_sent:
                yield given
                given, size = {}, 0
            given[tile] = packed
            size += len(packed)
        if given:
            yield given


def of_frame(frame: "DataFrame", reading: Reading, tile_bytes: int = TILE_BYTES) -> SparkSource:
    """The rows of a frame; no other column leaves the JVMs of the cluster."""
    require_version(frame)
    require_columns(reading.columns, frame.columns, reading.place)
    failure = InputError(not_given(reading.columns, reading.place))
    selected = or_raise(lambda: frame.select(*map(quoted, reading.columns)), failure)
    return SparkSource(selected, reading, tile_bytes)


def of_files(
    session: "SparkSession", path: Path, reading: Reading, tile_bytes: int = TILE_BYTES
) -> SparkSource | RddSource:
    """The rows of Parquet or Arrow files that every machine of the cluster has at this path."""
    files = tasks.FileParts.of(path, reading)
    if not connect.is_connect(session):
        return RddSource(session.sparkContext, files, reading, tile_bytes)
    numbers = session.range(0, len(files.parts), 1, files.partitions(connect.cores(session)))
    return SparkSource(numbers, reading, tile_bytes, partial(batches.in_files, files))


def _cores(session: "SparkSession") -> int:
    if connect.is_connect(session):
        return connect.cores(session)
    return int(session.sparkContext.defaultParallelism)


def _mapped(frame: "DataFrame", task: Callable[[batches.Batches], batches.Batches]) -> "DataFrame":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark asks for pandas, and warns of its version, though it is not used
        return frame.mapInArrow(task, batches.SCHEMA)


def _kept(job: "DataFrame", failure: Exception) -> "DataFrame":
    """The frame, which Spark keeps once it is computed."""
    from pyspark import StorageLevel

    level = StorageLevel.DISK_ONLY  # as fast as memory, which the work on tiles needs more
    return or_raise(lambda: job.persist(level), failure)


def _collected(job: "DataFrame", description: str, failure: Exception) -> list[tasks.Record]:
    """The records of a job. Raises what a task says went wrong, `failure` if Spark fails."""
    with _described(job, description):
        table = or_raise(job.toArrow, failure)
    found = batches.results_in(table)
    tasks.require_results(found)
    return found


@contextmanager
def _described(job: "DataFrame", description: str) -> Iterator[None]:
    """While it lasts, jobs have this description. Spark Connect describes them by the plan."""
    if connect.is_connect(job.sparkSession):
        yield
        return
    with described(job.sparkSession.sparkContext, description):
        yield


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
