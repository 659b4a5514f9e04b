"""Errors of SQLite as our own sentences. SQLite's messages are not passed on."""

import sqlite3
from pathlib import Path

_WHY = {
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full. Make room and ask again",
    sqlite3.SQLITE_READONLY: "may not be written. Give its owner the right to write it and its folder, and ask again",
    sqlite3.SQLITE_PERM: "may not be written. Give its owner the right to write it and its folder, and ask again",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened. Check that its folder is there and may be written",
    sqlite3.SQLITE_NOTADB: "is damaged, or not an SQLite file. Restore it from a backup, or choose another name",
    sqlite3.SQLITE_CORRUPT: "is damaged. Restore it from a backup",
    sqlite3.SQLITE_BUSY: "has been held by another program for a minute. End that program and ask again",
    sqlite3.SQLITE_IOERR: "could not be read or written: the disk failed. If the request was charged, it stays so. "
    "Check the disk and ask again",
}


def sentence(path: Path, error: sqlite3.Error) -> str:
    """The sentence for an error: what happened to which file, and what to do."""
    code = getattr(error, "sqlite_errorcode", 0)
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    why = _WHY.get(code & 0xFF, "could not be used. Verify it, and restore it from a backup if need be")
    return f"The ledger {path} {why} ({name}); nothing was released."
