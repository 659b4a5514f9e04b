"""Scratch space: numbers of tiles in a file, which has no name unless it is part of a checkpoint.

Nobody else can open a file without a name, and the kernel removes it when the process ends, however it ends. Each
thread gathers the blocks of many tiles and writes them at once, tile by tile: a run. So a tile has one extent in each
run.
"""

import errno
import os
import tempfile
import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError, TableError

Numbers = NDArray[np.float64]

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Scratch:
    """Numbers of so many tiles; private, and gone once closed or forgotten.

    A file with a name stays. It can be opened again with the runs that were written to it; without them, it is emptied.
    """

    def __init__(
        self,
        tiles: int,
        folder: Path | None = None,
        *,
        name: str | None = None,
        runs: Sequence[NDArray[np.int64]] = (),
    ) -> None:
        self._folder = Path(tempfile.gettempdir()) if folder is None else folder
        self._file = _unnamed(self._folder) if name is None else _named(self._folder, name, empty=not runs)
        self._close = weakref.finalize(self, os.close, self._file)
        self._lock = Lock()
        self._runs = list(runs)  # where each tile begins, and the last one ends
        self._end = max((int(run[-1]) for run in runs), default=0)  # in bytes, as are all places in the file
        self._tiles = tiles

    @property
    def runs(self) -> list[NDArray[np.int64]]:
        """Where in the file everything is that was written; private."""
        return list(self._runs)

    def write(self, blocks: dict[int, list[Numbers]]) -> None:
        """Write a run: blocks of tiles. Several threads may do so at once."""
        sizes = np.zeros(self._tiles + 1, dtype=np.int64)
        for tile, some in blocks.items():
            sizes[tile + 1] = sum(block.nbytes for block in some)
        places = np.cumsum(sizes)
        with self._lock:
            places += self._end
            self._end = int(places[-1])
        run = np.concatenate([np.empty(0), *(block for tile in sorted(blocks) for block in blocks[tile])])
        with disk_errors_told(self._folder):
            _write_all(self._opened(), _bytes(run), int(places[0]))
        with self._lock:
            self._runs.append(places)

    def read(self, tile: int) -> Numbers:
        """All numbers of a tile, each of its blocks in one piece, in any order."""
        found = np.empty(self.size(tile) // 8)
        rest = _bytes(found)
        with disk_errors_told(self._folder):
            for run in self._runs:
                start, stop = int(run[tile]), int(run[tile + 1])
                _read_all(self._opened(), rest[: stop - start], start)
                rest = rest[stop - start :]
        return found

    def size(self, tile: int) -> int:
        """How many bytes a tile has; private."""
        return int(sum(run[tile + 1] - run[tile] for run in self._runs))

    def another(self) -> "Scratch":
        """An empty one for as many tiles, in the same folder."""
        return Scratch(self._tiles, self._folder)

    def close(self) -> None:
        """Remove everything."""
        self._close()

    def _opened(self) -> int:
        if not self._close.alive:  # the number may be that of another file by now
            raise ValueError("The scratch file is closed.")
        return self._file


class Run:
    """Blocks of tiles that one thread gathers, and writes whenever they take so many bytes of memory."""

    def __init__(self, scratch: Scratch, most_bytes: int) -> None:
        self._scratch, self._most_bytes = scratch, most_bytes
        self._blocks: dict[int, list[Numbers]] = defaultdict(list)
        self._room = 0

    def gather(self, blocks: Iterable[tuple[int, Numbers]], room: int) -> None:
        """Add blocks of tiles, which are not copied; `room` is how many bytes they keep from being freed."""
        for tile, block in blocks:
            self._blocks[tile].append(block)
        self._room += room
        if self._room >= self._most_bytes:
            self.write()

    def write(self) -> None:
        """Write the blocks, if there are any, and forget them."""
        if self._blocks:
            self._scratch.write(self._blocks)
        self._blocks, self._room = defaultdict(list), 0


def _unnamed(folder: Path) -> int:
    """A file in the folder that has no name and cannot get one, or loses its name at once."""
    with suppress(AttributeError, OSError):  # not every system has them, nor every file system
        return os.open(folder, os.O_TMPFILE | os.O_EXCL | os.O_RDWR, 0o600)
    with disk_errors_told(folder, InputError):
        file, name = tempfile.mkstemp(prefix="eremite-", dir=folder)
        Path(name).unlink()
    return file


def _named(folder: Path, name: str, *, empty: bool) -> int:
    """A file that this user alone can read."""
    with disk_errors_told(folder):
        return os.open(folder / name, os.O_RDWR | os.O_CREAT | (os.O_TRUNC if empty else 0), 0o600)


def _bytes(numbers: Numbers) -> memoryview:
    return numbers.view(np.uint8).data


def _write_all(file: int, rest: memoryview, place: int) -> None:
    while rest:
        written = os.pwrite(file, rest, place)
        rest, place = rest[written:], place + written


def _read_all(file: int, rest: memoryview, place: int) -> None:
    while rest:
        found = os.preadv(file, [rest], place)
        if found == 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        rest, place = rest[found:], place + found


@contextmanager
def disk_errors_told(folder: Path, refusal: type[InputError] = TableError) -> Iterator[None]:
    """An error of the system as a sentence. How much room the rows need is private, so it is for the custodian."""
    try:
        yield
    except OSError as error:
        full = error.errno in _FULL
        problem = "is full; make room in it, or" if full else f"cannot be used ({error.strerror});"
        raise refusal(f"The scratch folder {folder} {problem} name another one.") from None
