"""Copies of a ledger in another SQLite file, read back after they were written."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from urllib.parse import quote

from eremite.errors import InputError, LedgerError
from eremite.ledger import sql
from eremite.ledger.sqlite_errors import sentence
from eremite.ledger.sqlite_file import LedgerFile
from eremite.ledger.store import Contents, T


def write_copy(file: LedgerFile, target: Path, examine: Callable[[Contents], T]) -> T:
    """Copy an open ledger into a new file, for its owner alone, and return what `examine` says of the copy."""
    _make(target)
    try:
        with closing(sqlite3.connect(target)) as copy:
            file.copy_to(copy)
        return _read_back(target, examine)
    except BaseException as error:
        with suppress(OSError):
            target.unlink()
        if isinstance(error, sqlite3.Error):
            raise LedgerError(sentence(target, error).replace("The ledger", "The copy")) from None
        raise


def keep_former(path: Path, version: int) -> Path:
    """Copy a ledger beside itself before its tables come to this version, and return the copy, for its owner alone.

    It has a name only once it is whole and on disk, and takes no other file's place. Call it with the ledger locked.
    """
    draft = path.with_name(f".{path.name}.before-{version}.{os.getpid()}")
    try:
        with suppress(FileNotFoundError):
            draft.unlink()  # left by a killed process with the same id
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(path)) as ledger, closing(sqlite3.connect(draft)) as copy:
            ledger.backup(copy)
        kept = next(name for name in _names(path, version) if not name.exists())
        draft.rename(kept)
        _sync(path.parent)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink()
        if isinstance(error, sqlite3.Error | OSError):
            raise _not_kept(path, version, error) from None
        raise
    return kept


def _names(path: Path, version: int) -> Iterator[Path]:
    """Such as patients.db.before-4, and patients.db.before-4.2 if that is taken."""
    yield path.with_name(f"{path.name}.before-{version}")
    for number in count(2):
        yield path.with_name(f"{path.name}.before-{version}.{number}")


def _not_kept(path: Path, version: int, error: sqlite3.Error | OSError) -> LedgerError:
    why = error.strerror if isinstance(error, OSError) else getattr(error, "sqlite_errorname", type(error).__name__)
    return LedgerError(
        f"The ledger {path} must be copied before its tables come to version {version}, and the copy beside it could "
        f"not be written ({why}); nothing was changed or charged. Make room in its folder, and ask again."
    )


def _sync(folder: Path) -> None:
    """Sync the folder, so that the new name is on disk as well; some systems cannot."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _make(target: Path) -> None:
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        raise InputError(f"{target} exists, and a copy never overwrites a file; choose another name.") from None
    except OSError as error:
        raise InputError(f"Cannot write {target}: {error.strerror}; choose another file.") from None


def _read_back(target: Path, examine: Callable[[Contents], T]) -> T:
    """What `examine` says of the copy, which is read without creating a log beside it."""
    address = f"file:{quote(str(target.resolve()))}?immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as copy:
        return sql.examined(copy.execute, examine)
