"""A ledger in a PostgreSQL database: whoever changes it holds the row of its head until the commit.

Two trips to the server for a charge, each a pipeline of short statements: lock and read, then write and commit. A
connection that was lost between requests is opened again without a word; one that is lost within a request ends it with
an error, and whether a charge was written or not, nothing was released.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

from eremite.ledger import tables
from eremite.ledger.connection import OneConnection
from eremite.ledger.errors import LedgerError
from eremite.ledger.postgres_errors import MISSING_DRIVER, sentence
from eremite.ledger.store import Account, Changes, Contents, Page, T

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_SETTINGS = (
    "SET synchronous_commit = on",  # whatever the server's default: a charge that a crash takes back was never one
    "SET lock_timeout = '60s'",
    "SET idle_in_transaction_session_timeout = '60s'",  # a stopped process gives up the lock
)
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(7271036871)"  # while tables are made
_TABLES_EXIST = "SELECT to_regclass('eremite_head') IS NOT NULL"


class _LostBeforeWriting(Exception):  # noqa: N818 -- it is dealt with here
    """The connection is gone, and nothing was sent that could change the ledger."""


class PostgresStore:
    """Keeps a ledger in the tables eremite_* of a database, which are made if they are not there."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._driver = _driver()
        self._connection = OneConnection(self._open)
        self._told(lambda connection: None)  # what is wrong is said now

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        def once(connection: "Connection") -> T:
            changes, outcome = make(self._page(connection, account, request_id, tables.HEAD + " FOR UPDATE"))
            if changes is not None:
                _commit(connection, changes)
            return outcome

        return self._told(once)

    def page(self, account: Account) -> Page:
        return self._told(lambda connection: self._page(connection, account, None, tables.HEAD))

    def contents(self) -> Contents:
        statements = [
            (text, ()) for text in (tables.HEAD, tables.ALL_EVENTS, tables.ALL_STANDINGS, tables.ALL_REQUESTS)
        ]

        def once(connection: "Connection") -> Contents:
            # the first statement of the transaction, so that all four see one moment
            _, *found = self._read(connection, [("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", ()), *statements])
            return tables.contents_of(*found)

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

    def _page(self, connection: "Connection", account: Account, request_id: str | None, head: str) -> Page:
        key = (account.dataset, account.analyst)
        asked = (*key, request_id)
        statements = [(head, ()), (tables.STANDINGS, key), (tables.REQUEST, asked), (tables.RELEASE, asked)]
        return tables.page_of(account, *self._read(connection, statements))

    def _read(self, connection: "Connection", statements: Sequence[tuple[str, tuple[Any, ...]]]) -> list[tables.Rows]:
        """One trip. Each statement sees what was committed before it ran: after the lock, all that it waited for."""
        try:
            with connection.pipeline():
                cursors = [_execute(connection, *statement) for statement in statements]
            return [cursor.fetchall() if cursor.description else [] for cursor in cursors]
        except self._driver.OperationalError:
            if connection.broken:
                raise _LostBeforeWriting from None
            raise

    def _open(self) -> "Connection":
        connection: Connection = self._driver.connect(self._url, connect_timeout=10)
        try:
            for setting in _SETTINGS:
                connection.execute(setting)
            connection.commit()
            _migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _commit(connection: "Connection", changes: Changes) -> None:
    with connection.pipeline():
        for statement, values in tables.writes(changes):
            _execute(connection, statement, values)
        connection.commit()


def _migrate(connection: "Connection") -> None:
    """Bring the tables to our version; others who do so at the same time wait."""
    if _version(connection) == len(tables.MIGRATIONS):
        connection.rollback()
        return
    connection.rollback()
    connection.execute(_ONE_AT_A_TIME)
    for script in tables.MIGRATIONS[_version(connection) :]:
        for statement in script:
            connection.execute(statement)
    _execute(connection, tables.SET_VERSION, (len(tables.MIGRATIONS),))
    connection.commit()


def _version(connection: "Connection") -> int:
    """0 of a database without our tables."""
    (exist,) = connection.execute(_TABLES_EXIST).fetchone() or (False,)
    (version,) = (connection.execute(tables.VERSION).fetchone() if exist else None) or (0,)
    if version > len(tables.MIGRATIONS):
        raise tables.too_new("The ledger in PostgreSQL", version)
    return int(version)


def _execute(connection: "Connection", statement: str, values: tuple[Any, ...]) -> "psycopg.Cursor[Any]":
    return connection.execute(statement.replace("?", "%s"), values)


def _driver() -> ModuleType:
    try:
        import psycopg
    except ImportError:
        raise LedgerError(MISSING_DRIVER) from None
    return psycopg
