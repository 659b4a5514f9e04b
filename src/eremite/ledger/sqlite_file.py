"""An open SQLite file, with transactions that queue.

Processes queue in the kernel, for a lock on an empty file beside the ledger. SQLite's own polling took several times as
long with 32 processes. Correctness does not rest on this queue but on SQLite's lock, which also excludes programs that
bypass the queue, such as the sqlite3 shell.
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

_PATIENCE = 60  # seconds to wait for programs that bypass the queue
_PATIENCE_AT_CLOSE = 1000  # milliseconds to wait for readers while the log is moved into the file


class LedgerFile:
    """A connection of one process to a ledger file, which only its owner may read and write."""

    def __init__(self, path: Path) -> None:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        self._path, self._identity, self._queue = path, _identity(path), -1
        self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        self.execute = self._connection.execute

    def prepare(self) -> None:
        """Make every commit durable. Call it only for a file that is known to be a ledger or new."""
        self._queue = os.open(f"{self._path}-queue", os.O_CREAT | os.O_RDWR, 0o600)
        if self.execute("PRAGMA journal_mode").fetchall() != [("wal",)]:
            with self._queued():  # SQLite does not wait for a lock when it switches a file to WAL
                self.execute("PRAGMA journal_mode = WAL").fetchall()
        self.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction with exclusive write access."""
        with self._queued(), self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A transaction that sees the ledger at one moment."""
        with self._transaction("BEGIN"):
            yield

    def close(self) -> None:
        """Close the file, after moving the log into it, so that the file alone has every charge."""
        if self._queue >= 0:
            with suppress(sqlite3.Error):  # read-only, or in use by readers: the charges stay in the log
                self.execute(f"PRAGMA busy_timeout = {_PATIENCE_AT_CLOSE}").fetchall()
                self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            os.close(self._queue)
        self._connection.close()

    def copy_to(self, other: sqlite3.Connection) -> None:
        """Copy the ledger at one moment into another, empty database."""
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
    def _queued(self) -> Iterator[None]:
        if fcntl is None:
            yield
            return
        fcntl.flock(self._queue, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._queue, fcntl.LOCK_UN)

    def _require_same_file(self) -> None:
        """Refuse if the file was moved or replaced: charges written to it would be lost."""
        if _identity(self._path) != self._identity:
            raise gone(f"The ledger {self._path}")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino
