"""A ledger in one SQLite file: write-ahead log, every commit on disk before it counts.

Threads of one process wait in line for its connection, processes wait for their turn with the file, and nobody is told
that it is locked. It must be on a disk of this machine: the log needs memory that its processes share.
"""

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from eremite.errors import LedgerError
from eremite.ledger import tables
from eremite.ledger.connection import OneConnection
from eremite.ledger.sqlite_errors import sentence
from eremite.ledger.sqlite_file import LedgerFile
from eremite.ledger.store import Account, Changes, Contents, Page, T
from eremite.ledger.waiting import Task, Waiting


class SqliteStore:
    """Keeps a ledger in a file, which is made if it is not there."""

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._connection = OneConnection(self._open)
        self._waiting = Waiting()
        self._told(lambda file: None)  # what is wrong with the file is said now

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        with self._waiting.joined(Task(account, request_id, make)) as task:
            self._told(lambda file: self._write_until_settled(file, task))
        return task.answer()

    def page(self, account: Account) -> Page:
        def once(file: LedgerFile) -> Page:
            with file.reading():
                return _page(file, account, None)

        return self._told(once)

    def contents(self) -> Contents:
        statements = (tables.HEAD, tables.ALL_EVENTS, tables.ALL_STANDINGS, tables.ALL_REQUESTS)

        def once(file: LedgerFile) -> Contents:
            with file.reading():
                return tables.contents_of(*(file.execute(statement).fetchall() for statement in statements))

        return self._told(once)

    def close(self) -> None:
        self._connection.close()

    def _write_until_settled(self, file: LedgerFile, mine: Task[T]) -> None:
        while not mine.settled:
            with self._waiting.batch() as tasks, file.writing():
                for task in tasks:
                    changes = task.decide(partial(_page, file, task.account, task.request_id))
                    for statement, values in tables.writes(changes) if changes is not None else ():
                        file.execute(statement, values)

    def _told(self, work: Callable[[LedgerFile], T]) -> T:
        """Do it; what SQLite cannot do, in a sentence of ours."""
        try:
            with self._connection.use() as file:
                return work(file)
        except sqlite3.Error as error:
            words = sentence(self._path, error)
        except OSError as error:
            words = (
                f"The ledger {self._path} cannot be opened ({error.strerror}); nothing was released. Check its folder."
            )
        raise LedgerError(words)  # here, so that SQLite's own error does not travel along

    def _open(self) -> LedgerFile:
        file = LedgerFile(self._path)
        try:
            file.prepare()
            if self._version(file) < len(tables.MIGRATIONS):
                with file.writing():
                    _migrate(file, self._version(file))
        except BaseException:
            file.close()
            raise
        return file

    def _version(self, file: LedgerFile) -> int:
        """0 of an empty file; an error of one that is no ledger, or not one that we can read."""
        names = [name for (name,) in file.execute("SELECT name FROM sqlite_master")]
        if not names:
            return 0
        if "eremite_head" not in names:
            raise LedgerError(f"{self._path} is an SQLite file but no ledger; give the ledger another name.")
        version = int(file.execute(tables.VERSION).fetchall()[0][0])
        if version > len(tables.MIGRATIONS):
            raise tables.too_new(f"The ledger {self._path}", version)
        return version


def _migrate(file: LedgerFile, version: int) -> None:
    for script in tables.MIGRATIONS[version:]:
        for statement in script:
            file.execute(statement)
    file.execute(tables.SET_VERSION, (len(tables.MIGRATIONS),))


def _page(file: LedgerFile, account: Account, request_id: str | None) -> Page:
    """Every row is fetched before one is looked at: a statement left half-way would keep its transaction open."""
    found = file.execute(tables.PAGE, tables.page_key(account, request_id)).fetchall()
    return tables.page_of(account, file.execute(tables.HEAD).fetchall(), found)
