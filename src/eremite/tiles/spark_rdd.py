"""Rows of files that every machine of a cluster has, looked at and cut into tiles by tasks of Spark (Spark 4).

Rows and results travel in RDDs, Spark's lists of objects, which need no engine for queries: to start that one takes
more CPU seconds than to count millions of rows. Spark Connect has no RDDs; there, files are counted as frames are.
"""

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from eremite.errors import TableError
from eremite.table.spark import not_given, or_raise
from eremite.tiles import spark_tasks as tasks
from eremite.tiles.store import NO_ROWS, Chunk, Cut, NarrowingWork, Packed, Reading, Result, TileWork

if TYPE_CHECKING:
    from pyspark import RDD, Broadcast, SparkContext

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
        results = [result for _, result in _records(self._context, "eremite: rows", job.collect, failure)]
        return reduce(merge, results) if results else None

    def cut(self, cuts: Sequence[Cut]) -> "RddTiles":
        """The rows of each cut in its tiles, each tile in a partition of its own. They are cut when first looked at."""
        count = max(one.first + one.tiling.count for one in cuts)
        rows = self._numbers().mapPartitions(partial(_cut, self._files, self._reading, list(cuts)))
        rows = rows.partitionBy(count, _itself)
        return RddTiles(rows, self._files, partial(_remove_shuffled, rows))

    def _numbers(self) -> "RDD[int]":
        """The numbers of the parts of the files."""
        return self._context.parallelize(range(len(self._files.parts)), self._files.partitions(self.workers))


class RddTiles:
    """Tiles that Spark keeps on its disks until they are closed or forgotten; the number of a tile is its partition."""

    def __init__(
        self, rows: "RDD[tuple[int, Packed]]", files: tasks.FileParts, remove: Callable[[], None], whole: Any = None
    ) -> None:
        self._rows, self._files = rows, files
        self._whole = whole  # the tiles that these were made of: what is lost is made of them again
        self.close = weakref.finalize(self, remove)
        self.close.atexit = False  # Spark removes all when the process ends

    @property
    def most_sent(self) -> int:
        """How many bytes of input a tile may have: any number."""
        return sys.maxsize

    def each(self, work: TileWork, inputs: Mapping[int, Any]) -> Iterator[tuple[int, Any]]:
        """What `work` makes of the rows of each tile that `inputs` names and of the input, in any order."""
        with _sent(self._rows.context, inputs) as given:
            found = self._done(self._rows, partial(_each, work, given), inputs)
        yield from found
        for tile in inputs.keys() - dict(found).keys():
            yield tile, work(NO_ROWS, inputs[tile])

    def narrowed(self, work: NarrowingWork, inputs: Mapping[int, Any]) -> tuple[dict[int, Any], "RddTiles"]:
        """What `work` makes of the rows of each tile that `inputs` names, and tiles with the rows that it keeps."""
        from pyspark import StorageLevel

        sent = ExitStack()
        made = self._rows.mapPartitions(partial(_narrow, work, sent.enter_context(_sent(self._rows.context, inputs))))
        made.persist(StorageLevel.DISK_ONLY)  # as fast as memory, which the work on tiles needs more
        sent.callback(_unpersist, made)
        kept = RddTiles(made.mapPartitions(_kept_rows), self._files, sent.close, self)
        found = dict(self._done(made, _made_results, inputs))
        return {tile: found[tile] if tile in found else work(NO_ROWS, one)[0] for tile, one in inputs.items()}, kept

    def _done(
        self, rows: "RDD[Any]", task: Callable[[Iterator[Any]], Iterator[tasks.Record]], tiles: Iterable[int]
    ) -> list[tasks.Record]:
        """What a task makes of these tiles."""
        context = rows.context
        try:
            return _records(context, "eremite: tiles", lambda: context.runJob(rows, task, sorted(tiles)), unfinished())
        except RuntimeError:
            self._files.table.require_unchanged()
            raise


def _fold(files: tasks.FileParts, reading: Reading, work: Any, merge: Any, numbers: Iterator[int]) -> Any:
    return tasks.with_error(tasks.fold(reading, work, merge, files.rows(numbers)), numbers)


def _cut(files: tasks.FileParts, reading: Reading, cuts: Sequence[Cut], numbers: Iterator[int]) -> Parts:
    held = tasks.cut(reading, cuts, files.rows(numbers))
    return tasks.or_failed((tile, np.concatenate(rows)) for one in held for tile, rows in one.items())


def _each(work: TileWork, given: "Broadcast[dict[int, bytes]]", parts: Parts) -> Iterator[tasks.Record]:
    return tasks.with_error(tasks.each(work, given.value, parts), parts)


def _narrow(
    work: NarrowingWork, given: "Broadcast[dict[int, bytes]]", parts: Parts
) -> Iterator[tuple[int, Any, Packed]]:
    return tasks.or_failed(tasks.narrow(work, given.value, parts))


def _made_results(made: Iterator[tuple[int, Any, Packed]]) -> Iterator[tasks.Record]:
    return ((tile, result) for tile, result, _ in made)


def _kept_rows(made: Iterator[tuple[int, Any, Packed]]) -> Parts:
    return ((tile, rows) for tile, _, rows in made)


def _itself(tile: int) -> int:
    return tile


def unfinished() -> Exception:
    """A new one each time: one that was raised keeps what its traceback refers to."""
    return RuntimeError("Spark could not finish its work on tiles; its logs say why.")


def _records(
    context: "SparkContext", description: str, job: Callable[[], list[tasks.Record]], failure: Exception
) -> list[tasks.Record]:
    """The records of a job. Raises what a task says went wrong, `failure` if Spark fails."""
    with described(context, description):
        found = or_raise(job, failure)
    tasks.require_results(found)
    return found


@contextmanager
def _sent(context: "SparkContext", inputs: Mapping[int, Any]) -> Iterator["Broadcast[dict[int, bytes]]"]:
    """While it lasts, tasks can read the inputs of tiles. After it, nothing of them is left on any disk."""
    sent = context.broadcast(tasks.packed(inputs))
    try:
        yield sent
    finally:
        with suppress(Exception):  # the session may have ended
            sent.destroy()


@contextmanager
def described(context: "SparkContext", description: str) -> Iterator[None]:
    """While it lasts, jobs have this description, which depends on no row."""
    before = context.getLocalProperty(_DESCRIPTION)
    context.setLocalProperty(_DESCRIPTION, description)
    try:
        yield
    finally:
        context.setLocalProperty(_DESCRIPTION, before)


def _unpersist(rows: "RDD[Any]") -> None:
    with suppress(Exception):
        rows.unpersist()


def _remove_shuffled(rows: "RDD[Any]") -> None:
    with suppress(Exception):
        rows._jrdd.rdd().cleanShuffleDependencies(False)
