"""An open SQLite file, and transactions on it that wait for their turn.

Processes wait in the kernel, for a lock on an empty file beside the ledger, and are woken when it is their turn. Asking
SQLite again and again instead took several times as long with 32 processes. That the ledger is right does not rest on
the queue but on SQLite's own lock; whoever comes past the queue, say the sqlite3 shell, is waited for as well.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from eremite.ledger.remembered import gone

try:
    import fcntl
except ImportError:  # not on Windows; there SQLite's lock is the only queue
    fcntl = None  # type: ignore[assignment]

_PATIENCE = 60  # seconds, with those who are not in the queue
_PATIENCE_AT_CLOSE = 1000  # milliseconds, with those who read while the log is put into the file


class LedgerFile:
    """The connection of one process. The file is readable and writable by its owner alone."""

    def __init__(self, path: Path) -> None:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        self._path, self._identity, self._queue = path, _identity(path), -1
        self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        self.execute = self._connection.execute

    def prepare(self) -> None:
        """Every commit is on disk before it counts. Only of a file that is known to be a ledger, or new."""
        self._queue = os.open(f"{self._path}-queue", os.O_CREAT | os.O_RDWR, 0o600)
        if self.execute("PRAGMA journal_mode").fetchall() != [("wal",)]:
            with self._turn():  # a new file becomes one with a log, which SQLite does not wait for
                self.execute("PRAGMA journal_mode = WAL").fetchall()
        self.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that nobody else writes beside."""
        with self._turn(), self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A transaction that sees one moment."""
        with self._transaction("BEGIN"):
            yield

    def close(self) -> None:
        """Put the log into the file first, so that the file alone has every charge, whoever else has it open."""
        if self._queue >= 0:
            with suppress(sqlite3.Error):  # read-only, or read by others: the log has the charges, and stays
                self.execute(f"PRAGMA busy_timeout = {_PATIENCE_AT_CLOSE}").fetchall()
                self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            os.close(self._queue)
        self._connection.close()

    def copy_to(self, other: sqlite3.Connection) -> None:
        """Write one moment of the ledger into another database, which is empty."""
        self._connection.backup(other)

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self._require_same_file()
        self.execute(begin)
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self.execute("ROLLBACK")
            raise

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if fcntl is None:
            yield
            return
        fcntl.flock(self._queue, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._queue, fcntl.LOCK_UN)

    def _require_same_file(self) -> None:
        """A ledger that was put away or swapped under us would take charges that nobody sees again."""
        if _identity(self._path) != self._identity:
            raise gone(f"The ledger {self._path}")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino
