"""Rows of files that every machine of a cluster has, looked at and cut into tiles by tasks of Spark (Spark 4).

Rows and results travel in RDDs, Spark's lists of objects, which need no engine for queries: to start that one takes
more CPU seconds than to count millions of rows. Spark Connect has no RDDs; there, files are counted as frames are.
"""

import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from eremite.errors import TableError
from eremite.table.spark import not_given, or_raise
from eremite.tiles import spark_tasks as tasks
from eremite.tiles.store import NO_ROWS, Chunk, Cut, NarrowingWork, Packed, Reading, Result, TileWork

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

TILE_BYTES = 32 << 20
_DESCRIPTION = "spark.job.description"

Parts = Iterator[tuple[int, Packed]]


class RddSource:
    """A `Source` whose rows are those of files, which tasks read."""

    def __init__(
        self, context: "SparkContext", files: tasks.FileParts, reading: Reading, tile_bytes: int = TILE_BYTES
    ) -> None:
        self._context = context
        self._files = files
        self._reading = reading
        self.tile_bytes = tile_bytes

    @property
    def workers(self) -> int:
        """How many tasks Spark does at once. Public."""
        return int(self._context.defaultParallelism)

    def require_answer(self) -> None:
        """Nothing is refused: the driver of Spark belongs to this process."""

    def fold(self, work: Callable[[Chunk], Result], merge: Callable[[Result, Result], Result]) -> Result | None:
        """What `work` makes of each chunk, merged in any order; None if there is no row."""
        job = self._numbers().mapPartitions(partial(_fold, self._files, self._reading, work, merge))
        failure = TableError(not_given(self._reading.columns, self._reading.place))
        results = [result for _, result in _collected(job, "eremite: rows", failure)]
        return reduce(merge, results) if results else None

    def cut(self, cuts: Sequence[Cut]) -> "RddTiles":
        """The rows of each cut in its tiles, each tile in a partition of its own. They are cut when first looked at."""
        count = max(one.first + one.tiling.count for one in cuts)
        rows = self._numbers().mapPartitions(partial(_cut, self._files, self._reading, list(cuts)))
        return RddTiles(rows.partitionBy(count, _itself), _remove_shuffled)

    def _numbers(self) -> "RDD[int]":
        """The numbers of the parts of the files."""
        return self._context.parallelize(range(len(self._files.parts)), self._files.partitions(self.workers))


class RddTiles:
    """Tiles that Spark keeps on its disks until they are closed or forgotten."""

    def __init__(self, rows: "RDD[tuple[int, Packed]]", remove: Callable[[Any], None], whole: Any = None) -> None:
        self._rows = rows
        self._whole = whole  # the tiles that these were made of: what is lost is made of them again
        self.close = weakref.finalize(self, remove, rows)
        self.close.atexit = False  # Spark removes all when the process ends

    @property
    def most_sent(self) -> int:
        """How many bytes of input a tile may have: any number."""
        return sys.maxsize

    def each(self, work: TileWork, inputs: Mapping[int, Any]) -> Iterator[tuple[int, Any]]:
        """What `work` makes of the rows of each tile that `inputs` names and of the input, in any order."""
        job = self._rows.mapPartitions(partial(_each, work, tasks.packed(inputs)))
        left = dict(inputs)
        for tile, result in _collected(job, "eremite: tiles", _unfinished()):
            del left[tile]
            yield tile, result
        for tile, one in left.items():
            yield tile, work(NO_ROWS, one)

    def narrowed(self, work: NarrowingWork, inputs: Mapping[int, Any]) -> tuple[dict[int, Any], "RddTiles"]:
        """What `work` makes of the rows of each tile that `inputs` names, and tiles with the rows that it keeps."""
        from pyspark import StorageLevel

        made = self._rows.mapPartitions(partial(_narrow, work, tasks.packed(inputs)))
        made = made.persist(StorageLevel.DISK_ONLY)  # as fast as memory, which the work on tiles needs more
        kept = RddTiles(made.mapPartitions(_kept_rows), partial(_unpersist, made), self)
        found = dict(_collected(made.mapPartitions(_made_results), "eremite: tiles", _unfinished()))
        return {tile: found[tile] if tile in found else work(NO_ROWS, one)[0] for tile, one in inputs.items()}, kept


def _fold(files: tasks.FileParts, reading: Reading, work: Any, merge: Any, numbers: Iterator[int]) -> Any:
    return tasks.with_error(tasks.fold(reading, work, merge, files.rows(numbers)), numbers)


def _cut(files: tasks.FileParts, reading: Reading, cuts: Sequence[Cut], numbers: Iterator[int]) -> Parts:
    for held in tasks.or_failed(tasks.cut(reading, cuts, files.rows(numbers))):
        for tile, rows in held.items():
            yield tile, np.concatenate(rows)


def _each(work: TileWork, inputs: Mapping[int, bytes], parts: Parts) -> Iterator[tasks.Record]:
    return tasks.with_error(tasks.each(work, inputs, parts), parts)


def _narrow(work: NarrowingWork, inputs: Mapping[int, bytes], parts: Parts) -> Iterator[tuple[int, Any, Packed]]:
    return tasks.or_failed(tasks.narrow(work, inputs, parts))


def _made_results(made: Iterator[tuple[int, Any, Packed]]) -> Iterator[tasks.Record]:
    return ((tile, result) for tile, result, _ in made)


def _kept_rows(made: Iterator[tuple[int, Any, Packed]]) -> Parts:
    return ((tile, rows) for tile, _, rows in made)


def _itself(tile: int) -> int:
    return tile


def _unfinished() -> Exception:
    return RuntimeError("Spark could not finish its work on tiles; its logs say why.")


def _collected(job: "RDD[tasks.Record]", description: str, failure: Exception) -> list[tasks.Record]:
    """The records of a job. Raises what a task says went wrong, `failure` if Spark fails."""
    with described(job.context, description):
        found: list[tasks.Record] = or_raise(job.collect, failure)
    tasks.require_results(found)
    return found


@contextmanager
def described(context: "SparkContext", description: str) -> Iterator[None]:
    """While it lasts, jobs have this description, which depends on no row."""
    before = context.getLocalProperty(_DESCRIPTION)
    context.setLocalProperty(_DESCRIPTION, description)
    try:
        yield
    finally:
        context.setLocalProperty(_DESCRIPTION, before)


def _unpersist(rows: Any, _kept: Any) -> None:
    with suppress(Exception):  # the session may have ended
        rows.unpersist()


def _remove_shuffled(rows: Any) -> None:
    with suppress(Exception):
        rows._jrdd.rdd().cleanShuffleDependencies(False)
