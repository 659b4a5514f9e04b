"""A ledger in a PostgreSQL database: a change locks the row of the head until its commit.

A change takes four short round trips: lock, read, write, commit. Fewer statements proved faster than fewer trips, and
requests that wait at the same time share the first and the last. A connection that was lost between requests is opened
again silently. If it is lost during a request, the request ends with an error: its charge may or may not have been
written, but nothing was released.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eremite.errors import InputError, LedgerError
from eremite.ledger import sql
from eremite.ledger.batching import Batches, Task
from eremite.ledger.chain import Head, Row
from eremite.ledger.connection import Busy, OneConnection
from eremite.ledger.postgres_connection import Stalled, connect, driver, patience_of
from eremite.ledger.postgres_errors import STALLED, sentence
from eremite.ledger.remembered import Remembered
from eremite.ledger.store import Account, Changes, Contents, Page, T

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

#: Before they lock the row of the head, processes queue for an advisory lock, which is granted in order of arrival; a
#: row lock is not. With 32 processes this makes the longest waits a third as long.
_QUEUE = "SELECT pg_advisory_xact_lock('eremite_head'::regclass::oid::bigint)"
#: The head, and the hash of the event with the number that this process saw last. It is a statement of its own after
#: the lock, so that it sees what was committed during the wait.
_HEAD = "SELECT h.seq, h.hash, e.hash FROM eremite_head h LEFT JOIN eremite_events e ON e.seq = {seen:d}"
_LOCKED = f"BEGIN ISOLATION LEVEL READ COMMITTED; {_QUEUE}; {_HEAD} FOR UPDATE OF h"
_AT_ONE_MOMENT = f"BEGIN ISOLATION LEVEL REPEATABLE READ; {_HEAD}"
_MIGRATION_LOCK = 7271036871
_TABLES_EXIST = "SELECT to_regclass('eremite_head') IS NOT NULL"


class _LostBeforeWriting(Exception):  # noqa: N818 -- never leaves this module
    """The connection was lost before anything was sent that could change the ledger."""


class PostgresStore:
    """Keeps a ledger in the tables eremite_* of a database; with `create`, missing tables are created."""

    where = "The ledger in PostgreSQL"

    def __init__(self, url: str, *, create: bool = True) -> None:
        self._url = url
        self._driver = driver()
        self.is_new = False
        self._create = create
        self._remembered = Remembered()
        self._connection = OneConnection(self._open)
        self._batches = Batches()
        self._run(lambda connection: None)  # fail now if the ledger cannot be used
        self._create = False  # tables that disappear later are an error, and are not created again

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        with self._batches.enqueued(Task(account, request_id, make)) as task:
            self._run(lambda connection: self._write_until_settled(connection, task))
        return task.answer()

    def page(self, account: Account) -> Page:
        return self._read(lambda connection, head: _page(connection, account, None, head))

    def contents(self) -> Contents:
        rest = (sql.ALL_EVENTS, sql.ALL_STANDINGS, sql.ALL_REQUESTS)

        def once(connection: "Connection") -> Contents:
            head = self._first_trip(connection, f"BEGIN ISOLATION LEVEL REPEATABLE READ; {sql.HEAD}")
            return sql.contents_of(head, *(_execute(connection, statement).fetchall() for statement in rest))

        return self._run(once)

    def sources(self) -> list[Row]:
        return self._read(lambda connection, _: [Row(*row) for row in _execute(connection, sql.SOURCES).fetchall()])

    def hash_at(self, seq: int) -> str | None:
        found = self._read(lambda connection, _: _execute(connection, sql.HASH, [seq]).fetchall())
        return found[0][0] if found else None

    def ping(self, within: float) -> None:
        """Takes up to twice as long if a connection has to be made first; libpq waits for one two seconds at least."""

        def once(connection: "Connection") -> None:
            with patience_of(connection, within):
                self._begin(connection, _AT_ONE_MOMENT)

        try:
            self._run(once, within)
        except Busy:
            raise LedgerError(f"{self.where} is busy: it did not answer within {within:g} seconds.") from None

    def backup(self, target: Path) -> Contents:
        raise InputError(
            "A ledger in PostgreSQL is copied by PostgreSQL: run pg_dump -t 'eremite_*' on its database, as its "
            "custodian; nothing was written."
        )

    def close(self) -> None:
        self._connection.close()

    def _read(self, work: Callable[["Connection", Head], T]) -> T:
        """The result of `work` in a transaction that sees one moment, if the ledger was not set back."""
        return self._run(lambda connection: work(connection, self._begin(connection, _AT_ONE_MOMENT)))

    def _run(self, work: Callable[["Connection"], T], within: float | None = None) -> T:
        """The result of `work`, retried if the connection was lost before it; errors of PostgreSQL in our own words."""
        try:
            try:
                return self._once(work, within)
            except _LostBeforeWriting:
                return self._once(work, within)
        except Stalled:
            words = STALLED
        except self._driver.Error as error:
            words = sentence(error.sqlstate)
        except _LostBeforeWriting:
            words = sentence(None)
        raise LedgerError(words)  # outside of except: the driver's error may show the address

    def _once(self, work: Callable[["Connection"], T], within: float | None) -> T:
        opened = None if within is None else partial(self._open, within)
        with self._connection.use(-1 if within is None else within, opened) as connection:
            try:
                return work(connection)
            finally:
                with suppress(self._driver.Error):
                    connection.rollback()  # has no effect if the work was committed

    def _write_until_settled(self, connection: "Connection", mine: Task[T]) -> None:
        while not mine.settled:
            with self._batches.batch(mine) as tasks:
                head = self._begin(connection, _LOCKED)
                for task in tasks:
                    changes = task.decide(partial(_page, connection, task.account, task.request_id, head))
                    if changes is not None:
                        _write(connection, changes)
                        head = Head(changes.row.seq, changes.row.hash)
                connection.execute("COMMIT")
            self._remembered.advance(head)

    def _begin(self, connection: "Connection", begin: str) -> Head:
        """Begin a transaction and return the head, if the chain still has the event that this process saw last."""
        found = self._first_trip(connection, begin.format(seen=self._remembered.head.seq))
        head = sql.head_of(row[:2] for row in found)
        self._remembered.require(lambda _: found[0][2], self.where)
        if begin != _LOCKED:
            self._remembered.advance(head)
        return head

    def _first_trip(self, connection: "Connection", begin: str) -> list[tuple[Any, ...]]:
        try:
            cursor = _execute(connection, begin)
            while cursor.nextset():
                pass  # the last statement returns the head
            return cursor.fetchall()
        except self._driver.OperationalError:
            if connection.broken:
                raise _LostBeforeWriting from None
            raise

    def _open(self, within: float | None = None) -> "Connection":
        connection = connect(self._url, within)
        try:
            with patience_of(connection, within):
                self._ensure_version(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _ensure_version(self, connection: "Connection") -> None:
        version = _version(connection)
        if version == 0 and not self._create:
            raise self._remembered.missing(self.where)
        if version < len(sql.MIGRATIONS):
            self.is_new = _migrate(connection) == 0


def _page(connection: "Connection", account: Account, request_id: str | None, head: Head) -> Page:
    """The page, read after the head was locked, so that it has what was committed during the wait."""
    found = _execute(connection, sql.PAGE, sql.page_key(account, request_id)).fetchall()
    return sql.page_of(account, [(head.seq, head.hash)], found)


def _write(connection: "Connection", changes: Changes) -> None:
    """Write all changes in one statement."""
    *first, last = sql.writes(changes)
    parts = ", ".join(f"part{i} AS ({statement})" for i, (statement, _) in enumerate(first))
    values = [value for _, each in (*first, last) for value in each]
    _execute(connection, f"WITH {parts} {last[0]}", values)


def _migrate(connection: "Connection") -> int:
    """Bring the tables to our version and return the version they had; concurrent migrations wait.

    They wait outside of the transaction: a transaction that began earlier would not see a table that another process
    has created in the meantime.
    """
    connection.execute(f"SELECT pg_advisory_lock({_MIGRATION_LOCK})")
    with connection.transaction():
        version = _version(connection)
        for script in sql.MIGRATIONS[version:]:
            for statement in script:
                connection.execute(statement)
        _execute(connection, sql.SET_VERSION, [len(sql.MIGRATIONS)])
    connection.execute(f"SELECT pg_advisory_unlock({_MIGRATION_LOCK})")
    return version


def _version(connection: "Connection") -> int:
    """The version of the tables; 0 if there are none."""
    (exist,) = connection.execute(_TABLES_EXIST).fetchone() or (False,)
    (version,) = (connection.execute(sql.VERSION).fetchone() if exist else None) or (0,)
    if version > len(sql.MIGRATIONS):
        raise sql.too_new("The ledger in PostgreSQL", version)
    return int(version)


def _execute(connection: "Connection", statement: str, values: Sequence[Any] | None = None) -> "psycopg.Cursor[Any]":
    return connection.execute(statement.replace("?", "%s"), values)
