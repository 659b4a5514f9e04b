"""Scratch space: numbers of tiles in a file that has no name.

Nobody else can open the file, and the kernel removes it when the process ends, however it ends. Each thread gathers
the blocks of many tiles and writes them at once, tile by tile: a run. So a tile has one extent in each run.
"""

import errno
import os
import tempfile
import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError, TableError

Numbers = NDArray[np.float64]

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Scratch:
    """Numbers of so many tiles; private, and gone once closed or forgotten."""

    def __init__(self, tiles: int, folder: Path | None = None) -> None:
        self._folder = Path(tempfile.gettempdir()) if folder is None else folder
        self._file = _unnamed(self._folder)
        self._close = weakref.finalize(self, os.close, self._file)
        self._lock = Lock()
        self._end = 0  # in bytes, as are all places in the file
        self._runs: list[NDArray[np.int64]] = []  # where each tile begins, and the last one ends
        self._tiles = tiles

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
        with _sentences(self._folder):
            _write_all(self._opened(), _bytes(run), int(places[0]))
        with self._lock:
            self._runs.append(places)

    def read(self, tile: int) -> Numbers:
        """All numbers of a tile, each of its blocks in one piece, in any order."""
        found = np.empty(self.size(tile) // 8)
        rest = _bytes(found)
        with _sentences(self._folder):
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
    with _sentences(folder, InputError):
        file, name = tempfile.mkstemp(prefix="eremite-", dir=folder)
        Path(name).unlink()
    return file


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
def _sentences(folder: Path, refusal: type[InputError] = TableError) -> Iterator[None]:
    """An error of the system as a sentence. How much room the rows need is private, so it is for the custodian."""
    try:
        yield
    except OSError as error:
        full = error.errno in _FULL
        problem = "is full; make room in it, or" if full else f"cannot be used ({error.strerror});"
        raise refusal(f"The scratch folder {folder} {problem} name another one.") from None
