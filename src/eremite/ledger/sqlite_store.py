"""A ledger in one SQLite file, with a write-ahead log that is synced at every commit.

Threads queue for the connection of their process, and processes queue for the file, so nobody gets an error that it is
locked. The file must be on a disk of this machine, because the log needs memory that its processes share.
"""

import sqlite3
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from eremite.errors import LedgerError, LedgerNotice
from eremite.ledger import migrations, sql
from eremite.ledger.batching import Batches, Task
from eremite.ledger.chain import Head, Row
from eremite.ledger.connection import Busy, OneConnection
from eremite.ledger.remembered import Remembered
from eremite.ledger.sqlite_copy import keep_former, write_copy
from eremite.ledger.sqlite_errors import sentence
from eremite.ledger.sqlite_file import LedgerFile
from eremite.ledger.store import Account, Changes, Contents, Page, Slice, Standing, T


class SqliteStore:
    """Keeps a ledger in a file; with `create`, a missing one is created."""

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        self._path = Path(path).resolve()  # also for ":memory:"; the process may change its folder later
        self.where = f"The ledger {self._path}"
        self.is_new = False
        self._create = create
        self._remembered = Remembered()
        self._connection = OneConnection(self._open)
        self._batches = Batches()
        self._run(lambda file: None)  # fail now if the file cannot be used
        self._create = False  # a file that disappears later is an error, and is not created again

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        with self._batches.enqueued(Task(account, request_id, make)) as task:
            self._run(lambda file: self._write_until_settled(file, task))
        return task.answer()

    def page(self, account: Account, request_id: str | None = None) -> Page:
        return self._read(lambda file: _page(file, account, request_id))

    def rows(self, wanted: Slice) -> list[Row]:
        return self._read(lambda file: [Row(*row) for row in file.execute(*sql.slice_of(wanted)).fetchall()])

    def standings(self, dataset: str) -> list[Standing]:
        found = self._read(lambda file: file.execute(sql.STANDINGS, (dataset,)).fetchall())
        return [sql.standing_from(row) for row in found]

    def contents(self, examine: Callable[[Contents], T]) -> T:
        def once(file: LedgerFile) -> T:
            with file.reading():
                return sql.examined(file.execute, examine)

        return self._run(once)

    def sources(self) -> list[Row]:
        return self._read(lambda file: [Row(*row) for row in file.execute(sql.SOURCES).fetchall()])

    def hash_at(self, seq: int) -> str | None:
        return self._read(lambda file: _hash_at(file, seq))

    def ping(self, within: float) -> None:
        try:
            self._run(self._checked_head, within)
        except Busy:
            raise LedgerError(f"{self.where} is busy: it did not answer within {within:g} seconds.") from None

    def backup(self, target: Path, examine: Callable[[Contents], T]) -> T:
        return self._run(lambda file: write_copy(file, target, examine))

    def close(self) -> None:
        self._connection.close()

    def _read(self, work: Callable[[LedgerFile], T]) -> T:
        """The result of `work` in a transaction that sees one moment, if the ledger was not set back."""

        def once(file: LedgerFile) -> T:
            with file.reading():
                head = self._checked_head(file)
                result = work(file)
            self._remembered.advance(head)
            return result

        return self._run(once)

    def _write_until_settled(self, file: LedgerFile, mine: Task[T]) -> None:
        while not mine.settled:
            with self._batches.batch(mine) as tasks, file.writing():
                last = self._checked_head(file)
                for task in tasks:
                    changes = task.decide(partial(_page, file, task.account, task.request_id))
                    if changes is not None:
                        last = Head(changes.row.seq, changes.row.hash)
                        for statement, values in sql.writes(changes):
                            file.execute(statement, values)
            self._remembered.advance(last)

    def _checked_head(self, file: LedgerFile) -> Head:
        """The head, if the chain still has the event that this process saw last."""
        self._remembered.require(partial(_hash_at, file), self.where)
        return sql.head_of(file.execute(sql.HEAD).fetchall())

    def _run(self, work: Callable[[LedgerFile], T], within: float = -1) -> T:
        """The result of `work`; errors of SQLite in our own words."""
        try:
            with self._connection.use(within) as file:
                return work(file)
        except sqlite3.Error as error:
            words = sentence(self._path, error)
        except OSError as error:
            words = f"{self.where} cannot be opened ({error.strerror}); nothing was released. Check its folder."
        raise LedgerError(words)  # outside of except, so that SQLite's error is not its context

    def _open(self) -> LedgerFile:
        if not (self._create or self._path.exists()):
            raise self._remembered.missing(self.where)
        file = LedgerFile(self._path)
        try:
            self._ensure_version(file)
        except BaseException:
            file.close()
            raise
        return file

    def _ensure_version(self, file: LedgerFile) -> None:
        version = self._version(file)  # before anything is changed: the file may not be a ledger
        if version == 0 and not self._create:
            raise self._remembered.missing(self.where)
        file.prepare()
        if version < len(migrations.MIGRATIONS):
            with file.writing():
                version = self._version(file)  # another process may have migrated it in the meantime
                self.is_new = version == 0
                self._migrate(file, version)

    def _migrate(self, file: LedgerFile, version: int) -> None:
        """Bring the tables to our version; the ledger as it was is kept beside the file."""
        newest = len(migrations.MIGRATIONS)
        if version == newest:
            return
        kept = keep_former(self._path, newest) if version else None
        try:
            migrations.migrate(_Tables(file), version, {})
        except BaseException:
            if kept is not None:
                with suppress(OSError):
                    kept.unlink()  # the ledger itself stays as it was
            raise
        if kept is not None:
            words = f"{self.where} was brought to version {newest} of its tables; as it was, it is kept in {kept.name}."
            warnings.warn(words, LedgerNotice, stacklevel=2)

    def _version(self, file: LedgerFile) -> int:
        """The version of the tables; 0 for an empty file, an error for a file that is no ledger or a newer one."""
        names = [name for (name,) in file.execute("SELECT name FROM sqlite_master")]
        if not names:
            return 0
        if "eremite_head" not in names:
            raise LedgerError(f"{self._path} is an SQLite file but no ledger; give the ledger another name.")
        version = int(file.execute(migrations.VERSION).fetchall()[0][0])
        if version > len(migrations.MIGRATIONS):
            raise migrations.too_new(self.where, version)
        return version


class _Tables:
    """The tables in an open file, for their migration."""

    def __init__(self, file: LedgerFile) -> None:
        self._file = file

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._file.execute(statement, tuple(values)).fetchall()

    def each(self, statement: str, values: Iterable[Sequence[Any]]) -> None:
        for one in values:
            self._file.execute(statement, tuple(one))


def _hash_at(file: LedgerFile, seq: int) -> str | None:
    found = file.execute(sql.HASH, (seq,)).fetchall()
    return found[0][0] if found else None


def _page(file: LedgerFile, account: Account, request_id: str | None) -> Page:
    """The page. All rows are fetched at once: an unfinished statement would keep its transaction open."""
    found = file.execute(sql.PAGE, sql.page_key(account, request_id)).fetchall()
    return sql.page_of(account, file.execute(sql.HEAD).fetchall(), found)
