"""Tables in files that are larger than memory, counted on this machine.

Threads read pieces of the files, a batch of rows at a time, and put the rows into the tiles of a scratch file; then
each tile is read back and worked on by one thread. What is in memory at once are some batches, some rows on their way
to a scratch file, one tile for each thread, and the rows that are kept of some tiles. With a checkpoint, the scratch
file and what was found in tiles outlive a process that is killed.
"""

import ctypes
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from functools import reduce
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa

from eremite.engines import workers
from eremite.table.batches import ROWS, Piece, Pieces
from eremite.tiles.checkpoint import Checkpoint, open_checkpoint, remove_left_over, require_checkpoints
from eremite.tiles.scratch import Run, Scratch
from eremite.tiles.store import Chunk, Cut, NarrowingWork, Reading, Result, TileWork

_TILES_IN_MEMORY = 8  # a tile that is counted needs about 6 times its own bytes
_CHUNKS_IN_MEMORY = 64  # batches are small beside what is gathered of them
_LEAST_ROWS = 1 << 10
_LEAST_BYTES = 1 << 20
_PACKAGE = Path(__file__).parents[1]


class FilesSource:
    """The rows of a Parquet file, a folder of them, or an Arrow file; private. A `Source`.

    `memory` is how many bytes it may use, `scratch` a folder for up to twice the bytes that the rows have (None: the
    folder for temporary files), `threads` how many work at once (None: all cores). With `resume`, work of a process
    that was killed is not done again; it stays in the scratch folder for that. Columns of types that the rules refuse
    raise their `TableError` here, and a scratch folder that cannot be used its `InputError`.
    """

    def __init__(
        self,
        path: Path,
        reading: Reading,
        *,
        memory: int,
        scratch: Path | None = None,
        resume: bool = False,
        threads: int | None = None,
    ) -> None:
        self._table = Pieces.of(path, reading.columns, reading.rules.as_text)
        self._reading = reading
        self._scratch, self._resume = scratch, resume
        self._threads = threads or workers.available()
        self._share = memory // self._threads
        reading.chunk(pa.Table.from_batches([], self._table.schema))
        Scratch(0, scratch).close()  # a folder that cannot be used is refused now, and not after the first charge
        remove_left_over(scratch)
        if resume:
            require_checkpoints(scratch)

    @property
    def workers(self) -> int:
        """How many tiles are worked on at once."""
        return self._threads

    @property
    def tile_bytes(self) -> int:
        """How large a tile should be at most."""
        return max(_LEAST_BYTES, self._share // _TILES_IN_MEMORY)

    def require_answer(self) -> None:
        """Nothing is refused: the files are read by this process."""

    def fold(self, work: Callable[[Chunk], Result], merge: Callable[[Result, Result], Result]) -> Result | None:
        """What `work` makes of each chunk, merged in any order; None if there is no chunk."""

        def folded(chunks: Iterator[Chunk]) -> list[Result]:
            found: list[Result] = []
            for chunk in chunks:
                found = [reduce(merge, [*found, work(chunk)])]
            return found

        found = [one for some in self._in_threads(folded) for one in some]
        return reduce(merge, found) if found else None

    def cut(self, cuts: Sequence[Cut]) -> "FileTiles":
        """The rows of each cut in its tiles."""
        count = max((cut.first + cut.tiling.count for cut in cuts), default=0)
        checkpoint = open_checkpoint(self._scratch, self._identity(cuts)) if self._resume else None
        if checkpoint is None:
            scratch, is_cut = Scratch(count, self._scratch), False
        else:
            scratch, is_cut = checkpoint.rows(count)
        tiles = FileTiles(scratch, self._threads, self._share // _TILES_IN_MEMORY, checkpoint)
        try:
            if is_cut:
                self._table.require_unchanged()
            else:
                self._write(cuts, scratch)
                if checkpoint is not None:
                    checkpoint.keep_rows(scratch)
        except BaseException:
            tiles.close()
            raise
        return tiles

    def _write(self, cuts: Sequence[Cut], scratch: Scratch) -> None:
        """Write all rows to the scratch file."""

        def written(chunks: Iterator[Chunk]) -> None:
            run = Run(scratch, self._share // _TILES_IN_MEMORY)
            for chunk in chunks:
                for cut in cuts:
                    run.gather(cut.split(chunk), 8 * cut.width * chunk.rows)
            run.write()

        self._in_threads(written)

    def _identity(self, cuts: Sequence[Cut]) -> object:
        """What the tiles of cuts depend on: code, files, rules, and the cuts with what the sample made of them."""
        table = self._table
        return _code(), table.written(), str(table.schema), self._reading.rules, tuple(cuts)

    def _in_threads(self, work: Callable[[Iterator[Chunk]], Result]) -> list[Result]:
        """What `work` makes, in each thread, of the chunks that the thread gets."""
        width = 8 * len(self._reading.columns)
        most = min(ROWS, max(_LEAST_ROWS, self._share // (_CHUNKS_IN_MEMORY * width)))
        with closing(_Batches(self._table, most, self._threads)) as batches:

            def run(thread: int) -> Result:
                try:
                    return work(map(self._reading.chunk, batches.of(thread)))
                except BaseException:
                    batches.stop()
                    raise

            with _threads(self._threads) as pool:
                started = [pool.submit(run, thread) for thread in range(self._threads)]
                try:
                    return [future.result() for future in started]
                finally:  # also if somebody interrupts the wait
                    batches.stop()


class FileTiles:
    """Rows in the tiles of a scratch file, until it is closed or forgotten; private. `Tiles`.

    What is found in a tile is also in the checkpoint, if there is one, and is taken from there.
    """

    def __init__(self, scratch: Scratch, threads: int, run_bytes: int, checkpoint: Checkpoint | None = None) -> None:
        self._scratch = scratch
        self._threads = threads
        self._run_bytes = run_bytes  # of rows on their way to a scratch file
        self._checkpoint = checkpoint

    @property
    def most_sent(self) -> int:
        """How many bytes the input of one tile may have: any number, as nothing is sent."""
        return sys.maxsize

    def each(self, work: TileWork, inputs: Mapping[int, Any]) -> Iterator[tuple[int, Any]]:
        """What `work` makes of the rows of each tile that `inputs` names and of the input, in any order.

        At most one tile for each thread is in memory. Large tiles come first, so that no thread is left with one.
        """
        waiting = deque(sorted(inputs, key=self._scratch.size, reverse=True))

        def find(tile: int) -> Any:
            return work(self._scratch.read(tile), inputs[tile])

        def worked(tile: int) -> tuple[int, Any]:
            if self._checkpoint is None:
                return tile, find(tile)
            return tile, self._checkpoint.found(tile, (work, inputs[tile]), lambda: find(tile))

        started: set[Future[tuple[int, Any]]] = set()
        with _threads(self._threads) as pool:
            try:
                while waiting or started:
                    while waiting and len(started) < 2 * self._threads:  # as many wait for a thread as have one
                        started.add(pool.submit(worked, waiting.popleft()))
                    done, started = wait(started, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def narrowed(self, work: NarrowingWork, inputs: Mapping[int, Any]) -> tuple[dict[int, Any], "FileTiles"]:
        """What `work` makes of the rows of each tile that `inputs` names, and tiles with the rows that it keeps."""
        scratch = self._scratch.another()
        run, results = Run(scratch, self._run_bytes), dict[int, Any]()
        for tile, (results[tile], kept) in self.each(work, inputs):
            run.gather([(tile, kept)], kept.nbytes)
        run.write()
        return results, FileTiles(scratch, self._threads, self._run_bytes)

    def close(self) -> None:
        """Remove them."""
        self._scratch.close()
        if self._checkpoint is not None:
            self._checkpoint.close()


def _code() -> list[tuple[str, int, int]]:
    """What changes if the code of eremite does: another version may find or write something else."""
    found = sorted(_PACKAGE.rglob("*.py"))
    return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in found]


@contextmanager
def _threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """So many threads, which find all memory free that nobody uses, and leave none behind."""
    _return_memory()
    with ThreadPoolExecutor(count) as pool:
        yield pool
    _return_memory()


def _return_memory() -> None:
    """Return to the system what was freed: allocators keep it, a part for each thread."""
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError):  # not every C library has it
        ctypes.CDLL(None).malloc_trim(0)


class _Batches:
    """The batches of a table, each for one of several threads.

    Threads read different pieces. Once no piece is left, a thread takes batches of the pieces that others read, so
    that a file with one large row group is worked on by all of them.
    """

    def __init__(self, table: Pieces, most: int, threads: int) -> None:
        self._table, self._most = table, most
        self._lock, self._waiting = Lock(), iter(table.pieces)
        lanes = max(1, min(threads, len(table.pieces)))
        self._lanes = [(Lock(), self._lane()) for _ in range(lanes)]
        self._stopped = False

    def of(self, thread: int) -> Iterator[pa.Table]:
        """The batches of one thread, until there are no more or all are stopped."""
        for lane in range(len(self._lanes)):
            lock, batches = self._lanes[(thread + lane) % len(self._lanes)]
            while True:
                with lock:
                    batch = None if self._stopped else next(batches, None)
                if batch is None:
                    break
                yield batch

    def stop(self) -> None:
        """Give no thread another batch."""
        self._stopped = True

    def close(self) -> None:
        """Close the files, once no thread asks for batches."""
        for _, batches in self._lanes:
            batches.close()

    def _lane(self) -> Generator[pa.Table]:
        while (piece := self._next_piece()) is not None:
            yield from self._table.batches(piece, self._most)

    def _next_piece(self) -> Piece | None:
        with self._lock:
            return next(self._waiting, None)
