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
from eremite.ledger.chain import Head
from eremite.ledger.connection import OneConnection
from eremite.ledger.sqlite_errors import sentence
from eremite.ledger.sqlite_file import LedgerFile, swapped
from eremite.ledger.store import Account, Changes, Contents, Page, T
from eremite.ledger.waiting import Task, Waiting


class SqliteStore:
    """Keeps a ledger in a file, which is made if it is not there."""

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path).resolve()  # also of ":memory:", and wherever the process goes later
        self._last = Head()  # that was seen
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

        page = self._told(once)
        self._last = page.head
        return page

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
            with self._waiting.batch(mine) as tasks, file.writing():
                last = self._last
                for task in tasks:
                    changes = task.decide(partial(_page, file, task.account, task.request_id))
                    if changes is not None:
                        last = Head(changes.row.seq, changes.row.hash)
                        for statement, values in tables.writes(changes):
                            file.execute(statement, values)
            self._last = last

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
            version = self._version(file)  # before anything is changed: it may be no ledger at all
            file.prepare()
            if version < len(tables.MIGRATIONS):
                with file.writing():
                    _migrate(file, self._version(file))
            self._require_the_same_ledger(file)
        except BaseException:
            file.close()
            raise
        return file

    def _require_the_same_ledger(self, file: LedgerFile) -> None:
        """One that is opened again has the last event that was seen: an older copy would have forgotten charges."""
        if self._last.seq:
            found = file.execute(tables.HASH, (self._last.seq,)).fetchall()
            if found != [(self._last.hash,)]:
                raise swapped(self._path)

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
