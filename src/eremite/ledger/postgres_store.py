"""A ledger in a PostgreSQL database: whoever changes it holds the row of its head until the commit.

Four short trips to the server: lock, read, write, commit; fewer statements proved faster than fewer trips, and requests
that wait at the same time share the first and the last.
A connection that was lost between requests is opened again without a word; one that is lost within a request ends it
with an error, and whether a charge was written or not, nothing was released.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

from eremite.errors import LedgerError
from eremite.ledger import tables
from eremite.ledger.connection import OneConnection
from eremite.ledger.postgres_errors import MISSING_DRIVER, sentence
from eremite.ledger.store import Account, Changes, Contents, Page, T
from eremite.ledger.waiting import Task, Waiting

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_SETTINGS = (
    "SET synchronous_commit = on",  # whatever the server's default: a charge that a crash takes back was never one
    "SET lock_timeout = '60s'",
    "SET idle_in_transaction_session_timeout = '60s'",  # a stopped process gives up the lock
)
#: The row of the head is what is held. In front of it processes queue for a lock that is handed on in order, as a row
#: is not: with 32 of them the longest waits are a third as long.
_QUEUE = "SELECT pg_advisory_xact_lock('eremite_head'::regclass::oid::bigint)"
_LOCKED = f"BEGIN ISOLATION LEVEL READ COMMITTED; {_QUEUE}; {tables.HEAD} FOR UPDATE"
_UNLOCKED = f"BEGIN ISOLATION LEVEL READ COMMITTED; {tables.HEAD}"
_ALL_AT_ONE_MOMENT = f"BEGIN ISOLATION LEVEL REPEATABLE READ; {tables.HEAD}"
_TABLES_ARE_MADE = 7271036871  # the number of a lock
_TABLES_EXIST = "SELECT to_regclass('eremite_head') IS NOT NULL"


class _LostBeforeWriting(Exception):  # noqa: N818 -- it is dealt with here
    """The connection is gone, and nothing was sent that could change the ledger."""


class PostgresStore:
    """Keeps a ledger in the tables eremite_* of a database, which are made if they are not there."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._driver = _driver()
        self._connection = OneConnection(self._open)
        self._waiting = Waiting()
        self._told(lambda connection: None)  # what is wrong is said now

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        with self._waiting.joined(Task(account, request_id, make)) as task:
            self._told(lambda connection: self._write_until_settled(connection, task))
        return task.answer()

    def page(self, account: Account) -> Page:
        return self._told(lambda connection: _page(connection, account, None, self._begin(connection, _UNLOCKED)))

    def contents(self) -> Contents:
        def once(connection: "Connection") -> Contents:
            head = self._begin(connection, _ALL_AT_ONE_MOMENT)
            rest = (tables.ALL_EVENTS, tables.ALL_STANDINGS, tables.ALL_REQUESTS)
            return tables.contents_of(head, *(_execute(connection, statement).fetchall() for statement in rest))

        return self._told(once)

    def close(self) -> None:
        self._connection.close()

    def _told(self, work: Callable[["Connection"], T]) -> T:
        """Do it, a second time if the connection was lost before; what PostgreSQL cannot do, in a sentence of ours."""
        try:
            try:
                return self._once(work)
            except _LostBeforeWriting:
                return self._once(work)
        except self._driver.Error as error:
            words = sentence(error.sqlstate)
        except _LostBeforeWriting:
            words = sentence(None)
        raise LedgerError(
            words
        )  # here, so that the driver's own error, which may show the address, does not travel along

    def _once(self, work: Callable[["Connection"], T]) -> T:
        with self._connection.use() as connection:
            try:
                return work(connection)
            finally:
                with suppress(self._driver.Error):
                    connection.rollback()  # nothing, if the work was committed

    def _write_until_settled(self, connection: "Connection", mine: Task[T]) -> None:
        while not mine.settled:
            with self._waiting.batch(mine) as tasks:
                head = self._begin(connection, _LOCKED)
                for task in tasks:
                    changes = task.decide(partial(_page, connection, task.account, task.request_id, head))
                    if changes is not None:
                        _write(connection, changes)
                        head = [(changes.row.seq, changes.row.hash)]
                connection.execute("COMMIT")

    def _begin(self, connection: "Connection", begin: str) -> list[tuple[Any, ...]]:
        """The head, in a new transaction."""
        try:
            cursor = _execute(connection, begin)
            while cursor.nextset():
                pass  # the head is what the last statement gives
            return cursor.fetchall()
        except self._driver.OperationalError:
            if connection.broken:
                raise _LostBeforeWriting from None
            raise

    def _open(self) -> "Connection":
        connection: Connection = self._driver.connect(self._url, autocommit=True, connect_timeout=10)
        try:
            for setting in _SETTINGS:
                connection.execute(setting)
            _migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _page(connection: "Connection", account: Account, request_id: str | None, head: tables.Rows) -> Page:
    """A statement after that of the head, so that it sees what was committed while the lock was waited for."""
    found = _execute(connection, tables.PAGE, tables.page_key(account, request_id)).fetchall()
    return tables.page_of(account, head, found)


def _write(connection: "Connection", changes: Changes) -> None:
    """All changes in one statement."""
    *first, last = tables.writes(changes)
    parts = ", ".join(f"part{i} AS ({statement})" for i, (statement, _) in enumerate(first))
    values = [value for _, each in (*first, last) for value in each]
    _execute(connection, f"WITH {parts} {last[0]}", values)


def _migrate(connection: "Connection") -> None:
    """Bring the tables to our version; others who do so at the same time wait.

    They wait outside the transaction: within one that began before, the server would go on believing that a table which
    somebody else has made meanwhile is not there.
    """
    if _version(connection) == len(tables.MIGRATIONS):
        return
    connection.execute(f"SELECT pg_advisory_lock({_TABLES_ARE_MADE})")
    with connection.transaction():
        for script in tables.MIGRATIONS[_version(connection) :]:
            for statement in script:
                connection.execute(statement)
        _execute(connection, tables.SET_VERSION, [len(tables.MIGRATIONS)])
    connection.execute(f"SELECT pg_advisory_unlock({_TABLES_ARE_MADE})")


def _version(connection: "Connection") -> int:
    """0 of a database without our tables."""
    (exist,) = connection.execute(_TABLES_EXIST).fetchone() or (False,)
    (version,) = (connection.execute(tables.VERSION).fetchone() if exist else None) or (0,)
    if version > len(tables.MIGRATIONS):
        raise tables.too_new("The ledger in PostgreSQL", version)
    return int(version)


def _execute(connection: "Connection", statement: str, values: Sequence[Any] | None = None) -> "psycopg.Cursor[Any]":
    return connection.execute(statement.replace("?", "%s"), values)


def _driver() -> ModuleType:
    try:
        import psycopg
    except ImportError:
        raise LedgerError(MISSING_DRIVER) from None
    return psycopg
