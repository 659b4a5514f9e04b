"""A ledger in a PostgreSQL database: whoever changes it holds the row of its head until the commit.

Four short trips to the server: lock, read, write, commit; fewer statements proved faster than fewer trips, and requests
that wait at the same time share the first and the last.
A connection that was lost between requests is opened again without a word; one that is lost within a request ends it
with an error, and whether a charge was written or not, nothing was released.
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

#: The row of the head is what is held. In front of it processes queue for a lock that is handed on in order, as a row
#: is not: with 32 of them the longest waits are a third as long.
_QUEUE = "SELECT pg_advisory_xact_lock('eremite_head'::regclass::oid::bigint)"
#: The head, and beside it the hash of the event that was seen last: a number of ours, in a statement of its own after
#: the queue, so that it sees what was committed while the lock was waited for.
_HEAD = "SELECT h.seq, h.hash, e.hash FROM eremite_head h LEFT JOIN eremite_events e ON e.seq = {seen:d}"
_LOCKED = f"BEGIN ISOLATION LEVEL READ COMMITTED; {_QUEUE}; {_HEAD} FOR UPDATE OF h"
_AT_ONE_MOMENT = f"BEGIN ISOLATION LEVEL REPEATABLE READ; {_HEAD}"
_TABLES_ARE_MADE = 7271036871  # the number of a lock
_TABLES_EXIST = "SELECT to_regclass('eremite_head') IS NOT NULL"


class _LostBeforeWriting(Exception):  # noqa: N818 -- it is dealt with here
    """The connection is gone, and nothing was sent that could change the ledger."""


class PostgresStore:
    """Keeps a ledger in the tables eremite_* of a database. `create` makes them if they are not there."""

    where = "The ledger in PostgreSQL"

    def __init__(self, url: str, *, create: bool = True) -> None:
        self._url = url
        self._driver = driver()
        self.is_new = False
        self._create = create
        self._remembered = Remembered()
        self._connection = OneConnection(self._open)
        self._batches = Batches()
        self._told(lambda connection: None)  # what is wrong is said now
        self._create = False  # tables that go away from now on are missed, not made again

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        with self._batches.joined(Task(account, request_id, make)) as task:
            self._told(lambda connection: self._write_until_settled(connection, task))
        return task.answer()

    def page(self, account: Account) -> Page:
        return self._read(lambda connection, head: _page(connection, account, None, head))

    def contents(self) -> Contents:
        rest = (sql.ALL_EVENTS, sql.ALL_STANDINGS, sql.ALL_REQUESTS)

        def once(connection: "Connection") -> Contents:
            head = self._first_trip(connection, f"BEGIN ISOLATION LEVEL REPEATABLE READ; {sql.HEAD}")
            return sql.contents_of(head, *(_execute(connection, statement).fetchall() for statement in rest))

        return self._told(once)

    def sources(self) -> list[Row]:
        return self._read(lambda connection, _: [Row(*row) for row in _execute(connection, sql.SOURCES).fetchall()])

    def hash_at(self, seq: int) -> str | None:
        found = self._read(lambda connection, _: _execute(connection, sql.HASH, [seq]).fetchall())
        return found[0][0] if found else None

    def ping(self, within: float) -> None:
        """Twice as long at most, where a connection has to be made first; libpq waits two seconds for one at least."""

        def once(connection: "Connection") -> None:
            with patience_of(connection, within):
                self._begin(connection, _AT_ONE_MOMENT)

        try:
            self._told(once, within)
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
        """Look at one moment of a ledger that was not set back."""
        return self._told(lambda connection: work(connection, self._begin(connection, _AT_ONE_MOMENT)))

    def _told(self, work: Callable[["Connection"], T], within: float | None = None) -> T:
        """Do it, a second time if the connection was lost before; what PostgreSQL cannot do, in a sentence of ours."""
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
        raise LedgerError(
            words
        )  # here, so that the driver's own error, which may show the address, does not travel along

    def _once(self, work: Callable[["Connection"], T], within: float | None) -> T:
        opened = None if within is None else partial(self._open, within)
        with self._connection.use(-1 if within is None else within, opened) as connection:
            try:
                return work(connection)
            finally:
                with suppress(self._driver.Error):
                    connection.rollback()  # nothing, if the work was committed

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
        """The head, in a new transaction, of a chain that still has what was seen of it."""
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
                pass  # the head is what the last statement gives
            return cursor.fetchall()
        except self._driver.OperationalError:
            if connection.broken:
                raise _LostBeforeWriting from None
            raise

    def _open(self, within: float | None = None) -> "Connection":
        connection = connect(self._url, within)
        try:
            with patience_of(connection, within):
                self._bring_forward(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _bring_forward(self, connection: "Connection") -> None:
        version = _version(connection)
        if version == 0 and not self._create:
            raise self._remembered.missing(self.where)
        if version < len(sql.MIGRATIONS):
            self.is_new = _migrate(connection) == 0


def _page(connection: "Connection", account: Account, request_id: str | None, head: Head) -> Page:
    """A statement after that of the head, so that it sees what was committed while the lock was waited for."""
    found = _execute(connection, sql.PAGE, sql.page_key(account, request_id)).fetchall()
    return sql.page_of(account, [(head.seq, head.hash)], found)


def _write(connection: "Connection", changes: Changes) -> None:
    """All changes in one statement."""
    *first, last = sql.writes(changes)
    parts = ", ".join(f"part{i} AS ({statement})" for i, (statement, _) in enumerate(first))
    values = [value for _, each in (*first, last) for value in each]
    _execute(connection, f"WITH {parts} {last[0]}", values)


def _migrate(connection: "Connection") -> int:
    """Bring the tables to our version, and give the one they had; others who do so at the same time wait.

    They wait outside the transaction: within one that began before, the server would go on believing that a table which
    somebody else has made meanwhile is not there.
    """
    connection.execute(f"SELECT pg_advisory_lock({_TABLES_ARE_MADE})")
    with connection.transaction():
        version = _version(connection)
        for script in sql.MIGRATIONS[version:]:
            for statement in script:
                connection.execute(statement)
        _execute(connection, sql.SET_VERSION, [len(sql.MIGRATIONS)])
    connection.execute(f"SELECT pg_advisory_unlock({_TABLES_ARE_MADE})")
    return version


def _version(connection: "Connection") -> int:
    """0 of a database without our tables."""
    (exist,) = connection.execute(_TABLES_EXIST).fetchone() or (False,)
    (version,) = (connection.execute(sql.VERSION).fetchone() if exist else None) or (0,)
    if version > len(sql.MIGRATIONS):
        raise sql.too_new("The ledger in PostgreSQL", version)
    return int(version)


def _execute(connection: "Connection", statement: str, values: Sequence[Any] | None = None) -> "psycopg.Cursor[Any]":
    return connection.execute(statement.replace("?", "%s"), values)
