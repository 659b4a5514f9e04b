"""Scratch that outlives a process which is stopped, so that the same question goes on where it was.

One folder for each cut of a table, inside a folder that its owner alone can read. It has the rows in tiles, and what
was found in each tile. What has a name is complete: it is written under another name and renamed. The folder is
removed with the tiles it is for, also after an error; a process that is killed, or a command that is stopped, leaves
it. The next process that cuts the same table in the same way uses it. Otherwise it is removed when a table is opened
with the same scratch folder, a day later or after a restart of this machine: what was written before a restart may be
lost, and is not used. Claim T9 of `tiles.proof.md`: what is found there is what would be found again.
"""

import os
import pickle
import secrets
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from eremite.errors import InputError
from eremite.tiles.scratch import Scratch, disk_errors_told

try:
    import fcntl
except ImportError:  # not on every system
    fcntl = None  # type: ignore[assignment]

Found = TypeVar("Found")

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_DAY = 24 * 60 * 60
_ROWS, _RUNS = "rows", "runs"
_REMOVED = "removed-"


class Checkpoint:
    """The folder of one cut, which no other process uses at the same time; private."""

    def __init__(self, path: Path, lock: int) -> None:
        self._path = path
        self._remove = weakref.finalize(self, _remove, path, lock, os.getpid())

    def rows(self, tiles: int) -> tuple[Scratch, bool]:
        """Scratch space for so many tiles, and whether all rows are in it already."""
        runs = self._read(_RUNS) if (self._path / _ROWS).exists() else None
        return Scratch(tiles, self._path, name=_ROWS, runs=runs or ()), runs is not None

    def keep_rows(self, scratch: Scratch) -> None:
        """From now on, all rows are in this scratch space."""
        self._write(_RUNS, scratch.runs)

    def found(self, tile: int, question: object, find: Callable[[], Found]) -> Found:
        """What was found in a tile for a question, or what `find` finds, which is then kept."""
        name = f"{tile}-{_digest(question)}"
        kept: tuple[Found] | None = self._read(name)
        if kept is None:
            kept = (find(),)
            self._write(name, kept)
        return kept[0]

    def close(self) -> None:
        """Remove everything."""
        self._remove()

    def _read(self, name: str) -> Any:
        """What has this name; None if nothing has, or if it cannot be read."""
        with suppress(Exception):
            return pickle.loads((self._path / name).read_bytes())  # noqa: S301 -- from a folder of our own
        return None

    def _write(self, name: str, kept: object) -> None:
        """Keep something under a name. Where there is no room, nothing is kept, and the question goes on."""
        part = self._path / f"{name}.part"
        try:
            part.touch(mode=0o600)
            with part.open("wb") as file:
                pickle.dump(kept, file, protocol=5)
            part.rename(self._path / name)
        except OSError:
            with suppress(OSError):
                part.unlink()


def open_checkpoint(folder: Path | None, identity: object) -> Checkpoint | None:
    """The folder for what is so identified, in a scratch folder (None: the system's); None if somebody uses it.

    The identity is public but for how rows were sampled, and only a hash of it becomes a name.
    """
    path = require_home(folder) / f"{_start()}-{_digest(identity)}"
    with disk_errors_told(path.parent):
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        lock = _locked(path)
    return None if lock is None else Checkpoint(path, lock)


def remove_left_over(folder: Path | None) -> None:
    """Remove what other processes left in a scratch folder: of an earlier start of this machine, or a day old.

    A folder that others own or can read is not ours, and is not touched.
    """
    home = _home(folder)
    with suppress(OSError):
        for path in home.iterdir() if _is_private(home) else ():
            _remove_if_old(path)


def require_home(folder: Path | None) -> Path:
    """The folder for all checkpoints in a scratch folder, made if need be. Raises `InputError` if it cannot be used."""
    if not _boot():
        raise InputError("Questions can be resumed on Linux alone; remove resume from [engine].")
    home = _home(folder)
    with disk_errors_told(home.parent, InputError):
        with suppress(FileExistsError):
            home.mkdir(mode=0o700)
        if not _is_private(home) or _can_be_replaced(home):
            raise InputError(
                f"Others can read or replace the folder {home}; remove it, or name another scratch folder in [engine]."
            )
    return home


def require_checkpoints(folder: Path | None) -> None:
    """Raise `InputError` if folders cannot be made in a scratch folder, or cannot be locked."""
    home = require_home(folder)
    with disk_errors_told(home, InputError):
        probe = Path(tempfile.mkdtemp(prefix=_REMOVED, dir=home))
        lock = _locked(probe)
        if lock is not None:
            _remove(probe, lock, os.getpid())


def _home(folder: Path | None) -> Path:
    return (Path(tempfile.gettempdir()) if folder is None else folder).absolute() / f"eremite-{os.geteuid()}"


def _is_private(home: Path) -> bool:
    """Whether it is a folder that this user owns and nobody else can read."""
    try:
        found = home.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o077 == 0


def _can_be_replaced(home: Path) -> bool:
    """Whether others could rename it: the scratch folder is theirs, or all can write to it without a sticky bit."""
    found = home.parent.stat()
    return found.st_uid not in (0, os.geteuid()) or (found.st_mode & 0o022 != 0 and found.st_mode & stat.S_ISVTX == 0)


def _boot() -> str:
    """What tells this start of the machine from others; empty if the system does not say."""
    with suppress(OSError):
        return _BOOT.read_text().strip()
    return ""


def _machine() -> str:
    return _digest(os.uname().nodename)[:8]


def _start() -> str:
    return f"{_machine()}-{_boot()}"


def _remove_if_old(path: Path) -> None:
    is_of_this_machine = path.name.startswith((_machine(), _REMOVED))
    is_in_use = path.name.startswith(_start()) or not is_of_this_machine  # by this start, or another machine, perhaps
    with suppress(OSError):  # another process removes it, too
        if not is_in_use or time.time() - path.stat().st_mtime > _DAY:
            lock = _locked(path)
            if lock is not None:
                _remove(path, lock, os.getpid())


def _locked(path: Path) -> int | None:
    """The folder, opened, for as long as this process has it; None if another one has it, or has just removed it."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    is_ours = False
    try:
        with suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = os.path.samestat(os.fstat(number), path.stat())  # the one with this name, and none that is gone
    finally:
        if not is_ours:
            os.close(number)
    return number if is_ours else None


def _remove(path: Path, lock: int, process: int) -> None:
    """Remove a folder and let go of it. A process that was forked from its owner only lets go.

    It loses its name first: nobody finds a folder that is half removed.
    """
    if os.getpid() == process:
        gone = path.with_name(f"{_REMOVED}{secrets.token_hex(8)}")
        with suppress(OSError):
            path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    os.close(lock)


def _digest(identity: object) -> str:
    return sha256(pickle.dumps(identity, protocol=5)).hexdigest()[:32]
