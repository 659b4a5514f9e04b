"""Copies of a ledger in another SQLite file, read back after they were written."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from eremite.errors import InputError, LedgerError
from eremite.ledger import sql
from eremite.ledger.sqlite_errors import sentence
from eremite.ledger.sqlite_file import LedgerFile
from eremite.ledger.store import Contents


def write_copy(file: LedgerFile, target: Path) -> Contents:
    """Copy an open ledger into a new file, for its owner alone, and return the contents of the copy."""
    _make(target)
    try:
        with closing(sqlite3.connect(target)) as copy:
            file.copy_to(copy)
        return _read_back(target)
    except BaseException as error:
        with suppress(OSError):
            target.unlink()
        if isinstance(error, sqlite3.Error):
            raise LedgerError(sentence(target, error).replace("The ledger", "The copy")) from None
        raise


def _make(target: Path) -> None:
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        raise InputError(f"{target} exists, and a copy never overwrites a file; choose another name.") from None
    except OSError as error:
        raise InputError(f"Cannot write {target}: {error.strerror}; choose another file.") from None


def _read_back(target: Path) -> Contents:
    """The contents of the copy, read without creating a log beside it."""
    address = f"file:{quote(str(target.resolve()))}?immutable=1"
    statements = (sql.HEAD, sql.ALL_EVENTS, sql.ALL_STANDINGS, sql.ALL_REQUESTS)
    with closing(sqlite3.connect(address, uri=True)) as copy:
        return sql.contents_of(*(copy.execute(statement).fetchall() for statement in statements))
