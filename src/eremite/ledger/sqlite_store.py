"""A ledger in one SQLite file: write-ahead log, every commit on disk before it counts.

Writers of one process wait in line for its connection, processes wait for SQLite's write lock, and nobody is told that
the file is locked. The file is readable by its owner alone, and must be on a disk of this machine: the log needs
shared memory.
"""

import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from eremite.ledger import tables
from eremite.ledger.connection import OneConnection
from eremite.ledger.errors import LedgerError
from eremite.ledger.sqlite_errors import is_busy, sentence
from eremite.ledger.store import Account, Changes, Contents, Page, T

_PATIENCE = 60.0  # seconds, with every other process of this machine before us
_NAP = 0.001


class SqliteStore:
    """Keeps a ledger in a file, which is made if it is not there."""

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._connection = OneConnection(self._open)
        with self._told(), self._connection.use():
            pass  # what is wrong with the file is said now

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        with self._told(), self._connection.use() as connection, self._transaction(connection, "BEGIN IMMEDIATE"):
            changes, outcome = make(_page(connection, account, request_id))
            if changes is not None:
                _write(connection, changes)
        return outcome

    def page(self, account: Account) -> Page:
        with self._told(), self._connection.use() as connection, self._transaction(connection, "BEGIN"):
            return _page(connection, account, None)

    def contents(self) -> Contents:
        with self._told(), self._connection.use() as connection, self._transaction(connection, "BEGIN"):
            return _contents(connection)

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever SQLite cannot do, in a sentence of ours; its own error does not travel along."""
        try:
            yield
        except sqlite3.Error as error:
            words = sentence(self._path, error)
        except OSError as error:
            words = (
                f"The ledger {self._path} cannot be opened ({error.strerror}); nothing was charged. Check its folder."
            )
        else:
            return
        raise LedgerError(words)

    @contextmanager
    def _transaction(self, connection: sqlite3.Connection, begin: str) -> Iterator[None]:
        self._require_same_file()
        _patiently(lambda: connection.execute(begin))
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def _open(self) -> sqlite3.Connection:
        with suppress(FileExistsError):
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        self._file = _identity(self._path)
        connection = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"))
        connection.execute("PRAGMA synchronous = FULL")
        if _patiently(lambda: self._version(connection)) < len(tables.MIGRATIONS):
            with self._transaction(connection, "BEGIN IMMEDIATE"):
                _migrate(connection, self._version(connection))

    def _version(self, connection: sqlite3.Connection) -> int:
        """0 of an empty file; an error of one that is no ledger, or not one that we can read."""
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
        if not names:
            return 0
        if "eremite_head" not in names:
            raise LedgerError(f"{self._path} is an SQLite file but no ledger; give the ledger another name.")
        (version,) = connection.execute(tables.VERSION).fetchone()
        if version > len(tables.MIGRATIONS):
            raise tables.too_new(f"The ledger {self._path}", version)
        return int(version)

    def _require_same_file(self) -> None:
        """A ledger that was put away or swapped under us would take charges that nobody sees again."""
        try:
            same = _identity(self._path) == self._file
        except FileNotFoundError:
            same = False
        if not same:
            self._file = (0, 0)
            raise LedgerError(
                f"The ledger {self._path} was moved, removed or replaced while it was in use; nothing was charged. "
                "Put it back and open it again."
            )


def _identity(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_dev, stat.st_ino


def _patiently(step: Callable[[], T]) -> T:
    """Wait for other processes in short naps of random length, so that none of them is always the last."""
    until = monotonic() + _PATIENCE
    while True:
        try:
            return step()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or monotonic() > until:
                raise
        sleep(_NAP * random.random())  # noqa: S311 -- no secret


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    for script in tables.MIGRATIONS[version:]:
        for statement in script:
            connection.execute(statement)
    connection.execute(tables.SET_VERSION, (len(tables.MIGRATIONS),))


def _page(connection: sqlite3.Connection, account: Account, request_id: str | None) -> Page:
    key = (account.dataset, account.analyst)
    return tables.page_of(
        account,
        connection.execute(tables.HEAD),
        connection.execute(tables.STANDINGS, key),
        connection.execute(tables.REQUEST, (*key, request_id)),
        connection.execute(tables.RELEASE, (*key, request_id)),
    )


def _write(connection: sqlite3.Connection, changes: Changes) -> None:
    for statement, values in tables.writes(changes):
        connection.execute(statement, values)


def _contents(connection: sqlite3.Connection) -> Contents:
    return tables.contents_of(
        *map(connection.execute, (tables.HEAD, tables.ALL_EVENTS, tables.ALL_STANDINGS, tables.ALL_REQUESTS))
    )
