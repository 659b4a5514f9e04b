"""The file of a witness, which one writer at a time replaces atomically."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eremite.errors import LedgerError
from eremite.ledger.chain import Head
from eremite.privacy import Privacy, written_fraction

try:
    import fcntl
except ImportError:  # on Windows, the slower of two writers may replace a newer file by an older one
    fcntl = None  # type: ignore[assignment]

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Witnessed:
    """The record of a witness: the head of a dataset's ledger, and what was spent."""

    dataset: str
    head: Head
    spent: Privacy

    @property
    def in_words(self) -> str:
        """The record as the end of a sentence."""
        return f"{self.head.seq:,} events, and {self.spent} spent"


def read_witnessed(path: Path) -> Witnessed | None:
    """The record in the file; None if there is no file. An unreadable file is an error: it may record charges."""
    try:
        return _parsed(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = error.strerror
    except (ValueError, KeyError, TypeError, ZeroDivisionError, RecursionError):
        reason = "it was changed, or a newer version of eremite wrote it"
    raise LedgerError(
        f"The witness of the ledger, {path}, cannot be read ({reason}); nothing was charged. Put it back, or go on "
        "without what it knew: eremite ledger accept."
    )


def _parsed(said: dict[str, Any]) -> Witnessed:
    head, spent = said["head"], said["spent"]
    if said["format"] != _FORMAT or type(head["event"]) is not int or type(head["hash"]) is not str:
        raise ValueError
    return Witnessed(
        str(said["dataset"]),
        Head(head["event"], head["hash"]),
        Privacy(written_fraction(spent["epsilon"]), written_fraction(spent["delta"])),
    )


def write_witnessed(path: Path, witnessed: Witnessed) -> None:
    """Replace the file, readable for its owner alone. A crash leaves either the old file or the new one.

    When this returns, the new file is on disk. Call it with the folder locked.
    """
    said = {
        "format": _FORMAT,
        "dataset": witnessed.dataset,
        "head": {"event": witnessed.head.seq, "hash": witnessed.head.hash},
        "spent": {"epsilon": str(witnessed.spent.epsilon), "delta": str(witnessed.spent.delta)},
    }
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _write(draft, json.dumps(said, indent=1) + "\n")
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    _sync(path.parent)


def _write(path: Path, text: str) -> None:
    with suppress(FileNotFoundError):
        path.unlink()  # left by a killed process with the same id
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Sync the folder, so that the new name is on disk as well; some file systems cannot."""
    with suppress(OSError), _opened(folder) as number:
        os.fsync(number)


@contextmanager
def folder_locked(folder: Path) -> Iterator[None]:
    """Let in one writer at a time, of all processes; file systems that cannot lock folders are not locked."""
    if fcntl is None:
        yield
        return
    with _opened(folder) as number:
        with suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX)
        try:
            yield
        finally:
            with suppress(OSError):
                fcntl.flock(number, fcntl.LOCK_UN)  # explicitly: a process forked in the meantime has the file open too


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    number = os.open(folder, os.O_RDONLY)
    try:
        yield number
    finally:
        os.close(number)
