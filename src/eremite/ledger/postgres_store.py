"""A ledger in a PostgreSQL database: a change locks the row of the head until its commit.

A change takes two round trips: one locks and reads, one writes and commits. Requests that wait at the same time share
both. The statements of a trip are one text, and the longer ones are prepared: that takes the driver less time than its
pipelines. The commit frees the row of the head before it is on disk, so that the next change need not wait for the
disk, and nobody acts on what it wrote before it is safe (`flush.proof.md`). A connection that was lost between requests
is opened again silently. If it is lost during a request, the request ends with an error: its charge may or may not have
been written, but nothing was released.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eremite.errors import InputError, LedgerError
from eremite.ledger import migrations, sql
from eremite.ledger.batch_pages import BatchPages
from eremite.ledger.batching import Batches, Task
from eremite.ledger.chain import Head, Row
from eremite.ledger.connection import Busy, OneConnection
from eremite.ledger.postgres_connection import Stalled, connect, driver, patience_of
from eremite.ledger.postgres_errors import STALLED, sentence
from eremite.ledger.remembered import Remembered
from eremite.ledger.store import Account, Changes, Contents, Page, Slice, Standing, T

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

Found = list[tuple[Any, ...]]
Statement = tuple[str, Sequence[Any]]

_BEGIN_TO_WRITE: Statement = ("BEGIN ISOLATION LEVEL READ COMMITTED", ())
_BEGIN_TO_READ: Statement = ("BEGIN ISOLATION LEVEL REPEATABLE READ", ())
#: Before they lock the row of the head, processes queue for an advisory lock, which is granted in order of arrival; a
#: row lock is not. With 32 processes this makes the longest waits a third as long. The commit does not wait for the
#: disk; `_FLUSH` does.
_QUEUE: Statement = (
    """SELECT pg_advisory_xact_lock('eremite_head'::regclass::oid::bigint),
        set_config('synchronous_commit', 'off', true)""",
    (),
)
#: The head, and the hash of the event with the number that this process saw last. It is a statement of its own after
#: the lock, so that it sees what was committed during the wait.
_HEAD = "SELECT h.seq, h.hash, e.hash FROM eremite_head h LEFT JOIN eremite_events e ON e.seq = ?"
_LOCKED_HEAD = f"{_HEAD} FOR UPDATE OF h"
_COMMIT: Statement = ("COMMIT", ())
#: A transaction of its own, whose commit waits until the log is on disk up to its own end, and with it everything
#: that was committed before.
_FLUSH: Statement = ("SELECT pg_logical_emit_message(true, 'eremite', '')", ())
#: The same for those who only read: there is nothing to wait for if all of the log is on disk already, or on a standby,
#: which has only what is on disk at the primary.
_FLUSH_IF_NEEDED: Statement = (
    """SELECT CASE WHEN pg_is_in_recovery() THEN NULL
        WHEN current_setting('synchronous_standby_names') = ''
        AND pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() THEN NULL
        ELSE pg_logical_emit_message(true, 'eremite', '') END""",
    (),
)
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

    def page(self, account: Account, request_id: str | None = None) -> Page:
        head, found = self._read((sql.PAGE, sql.page_key(account, request_id)))
        return sql.page_of(account, [(head.seq, head.hash)], found)

    def rows(self, wanted: Slice) -> list[Row]:
        return [Row(*row) for row in self._read(sql.slice_of(wanted))[1]]

    def standings(self, dataset: str) -> list[Standing]:
        return [sql.standing_from(row) for row in self._read((sql.STANDINGS, (dataset,)))[1]]

    def contents(self, examine: Callable[[Contents], T]) -> T:
        def once(connection: "Connection") -> T:
            self._first_trip(connection, _BEGIN_TO_READ)
            said = sql.examined(partial(_one_by_one, connection), examine)
            _trip(connection, _COMMIT, _FLUSH_IF_NEEDED)
            return said

        return self._run(once)

    def sources(self) -> list[Row]:
        return [Row(*row) for row in self._read((sql.SOURCES, ()))[1]]

    def hash_at(self, seq: int) -> str | None:
        _, found = self._read((sql.HASH, (seq,)))
        return found[0][0] if found else None

    def ping(self, within: float) -> None:
        """Takes up to twice as long if a connection has to be made first; libpq waits for one two seconds at least."""

        def once(connection: "Connection") -> None:
            with patience_of(connection, within):
                self._read_once(connection, ("SELECT 1", ()))

        try:
            self._run(once, within)
        except Busy:
            raise LedgerError(f"{self.where} is busy: it did not answer within {within:g} seconds.") from None

    def backup(self, target: Path, examine: Callable[[Contents], T]) -> T:
        raise InputError(
            "A ledger in PostgreSQL is copied by PostgreSQL: run pg_dump -t 'eremite_*' on its database, as its "
            "custodian; nothing was written."
        )

    def close(self) -> None:
        self._connection.close()

    def _read(self, statement: Statement) -> tuple[Head, Found]:
        """The head and the rows of a statement at one moment, once they are safe, if the ledger was not set back."""
        return self._run(lambda connection: self._read_once(connection, statement))

    def _read_once(self, connection: "Connection", statement: Statement) -> tuple[Head, Found]:
        seen = self._remembered.head.seq
        trip = (_BEGIN_TO_READ, (_HEAD, (seen,)), statement, _COMMIT, _FLUSH_IF_NEEDED)
        _, heads, found, _, _ = self._first_trip(connection, *trip)
        head = self._checked(heads)
        self._remembered.advance(head)
        return head, found

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
                if connection.pgconn.transaction_status != self._driver.pq.TransactionStatus.IDLE:
                    with suppress(self._driver.Error):
                        connection.rollback()

    def _write_until_settled(self, connection: "Connection", mine: Task[T]) -> None:
        while not mine.settled:
            with self._batches.batch(mine) as tasks:
                head = self._write(connection, tasks)
            self._remembered.advance(head)

    def _write(self, connection: "Connection", tasks: list[Task[Any]]) -> Head:
        """Decide and write the tasks; when this returns, the head that it returns is on disk."""
        reads = [_prepared("eremite_page", sql.page_key(task.account, task.request_id)) for task in tasks]
        locked = _prepared("eremite_locked_head", (self._remembered.head.seq,))
        _, _, heads, *found = self._first_trip(connection, _BEGIN_TO_WRITE, _QUEUE, locked, *reads)
        pages, writes = BatchPages(self._checked(heads)), []
        for task, rows in zip(tasks, found, strict=True):
            changes = task.decide(partial(_page, pages, task, rows))
            if changes is not None:
                pages.add(changes)
                writes.append(_written(changes))
        _trip(connection, *writes, _COMMIT, _FLUSH if writes else _FLUSH_IF_NEEDED)
        return pages.head

    def _checked(self, found: Found) -> Head:
        """The head, if the chain still has the event that this process saw last."""
        head = sql.head_of(row[:2] for row in found)
        self._remembered.require(lambda _: found[0][2], self.where)
        return head

    def _first_trip(self, connection: "Connection", *statements: Statement) -> list[Found]:
        try:
            return _trip(connection, *statements)
        except self._driver.OperationalError:
            if connection.broken:
                raise _LostBeforeWriting from None
            raise

    def _open(self, within: float | None = None) -> "Connection":
        connection = connect(self._url, within)
        try:
            with patience_of(connection, within):
                self._ensure_version(connection)
                _prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _ensure_version(self, connection: "Connection") -> None:
        version = _version(connection)
        if version == 0 and not self._create:
            raise self._remembered.missing(self.where)
        if version < len(migrations.MIGRATIONS):
            self.is_new = _migrate(connection) == 0


def _page(pages: BatchPages, task: Task[Any], found: Found) -> Page:
    read = sql.page_of(task.account, [(pages.head.seq, pages.head.hash)], found)
    return pages.page(task.account, task.request_id, read)


def _written(changes: Changes) -> Statement:
    """All changes of a request, by one prepared statement."""
    values = [value for _, each in sql.writes(changes) for value in each]
    return _prepared(_name_of(len(changes.standings), changes.request is not None), values)


def _name_of(standings: int, request: bool) -> str:
    return f"eremite_write_{standings}_{int(request)}"


def _prepared(name: str, values: Sequence[Any]) -> Statement:
    return f"EXECUTE {name} ({', '.join('?' * len(values))})", values


def _prepare(connection: "Connection") -> None:
    """Prepare the statements of a change: what it reads, and what it writes, all in one statement."""
    texts = {"eremite_locked_head": _LOCKED_HEAD, "eremite_page": sql.PAGE}
    for standings, request in product(range(3), (False, True)):
        *first, last = sql.write_statements(standings, request)
        parts = ", ".join(f"part{i} AS ({statement})" for i, statement in enumerate(first))
        texts[_name_of(standings, request)] = f"WITH {parts} {last}"
    connection.execute("; ".join(f"PREPARE {name} AS {_numbered(text)}" for name, text in texts.items()))


def _numbered(statement: str) -> str:
    """The statement with $1, $2, ... in place of its question marks."""
    first, *others = statement.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(others, 1))


def _trip(connection: "Connection", *statements: Statement) -> list[Found]:
    """The rows of statements that are sent together. After one that fails, the server skips the others."""
    cursor = connection.execute(b"; ".join(_filled(connection, *statement) for statement in statements), prepare=False)
    found = [_rows(cursor)]
    while cursor.nextset():
        found.append(_rows(cursor))
    return found


def _rows(cursor: "psycopg.Cursor[Any]") -> Found:
    """The rows of a statement, if it has any. (`cursor.description` would take longer than all else here.)"""
    return cursor.fetchall() if cursor.pgresult is not None and cursor.pgresult.nfields else []


def _filled(connection: "Connection", statement: str, values: Sequence[Any]) -> bytes:
    """The statement with values in place of its question marks, quoted by PostgreSQL's own library."""
    first, *others = statement.encode().split(b"?")
    quote = partial(_quoted, driver().pq.Escaping(connection.pgconn))
    return first + b"".join(quote(value) + part for value, part in zip(values, others, strict=True))


def _quoted(escaping: Any, value: str | int | bool | None) -> bytes:
    if value is None:
        return b"NULL"
    if isinstance(value, int):
        return str(value).encode()  # TRUE and FALSE as well
    return bytes(escaping.escape_literal(value.encode()))


def _one_by_one(connection: "Connection", statement: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement, some at a time, within a transaction."""
    with connection.cursor(f"eremite_{abs(hash(statement))}") as cursor:
        cursor.itersize = 1000
        yield from cursor.execute(statement)


class _Tables:
    """The tables of a connection, for their migration."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> Found:
        return _rows(_execute(self._connection, statement, values))

    def each(self, statement: str, values: Iterable[Sequence[Any]]) -> None:
        self._connection.cursor().executemany(statement.replace("?", "%s"), list(values))


def _migrate(connection: "Connection") -> int:
    """Bring the tables to our version and return the version they had; concurrent migrations wait.

    They wait outside of the transaction: a transaction that began earlier would not see a table that another process
    has created in the meantime.
    """
    connection.execute(f"SELECT pg_advisory_lock({_MIGRATION_LOCK})")
    with connection.transaction():
        version = _version(connection)
        if version:
            connection.execute("LOCK TABLE eremite_head")  # nobody charges while events are read
        migrations.migrate(_Tables(connection), version, migrations.POSTGRES_ONLY)
    connection.execute(f"SELECT pg_advisory_unlock({_MIGRATION_LOCK})")
    return version


def _version(connection: "Connection") -> int:
    """The version of the tables; 0 if there are none."""
    (exist,) = connection.execute(_TABLES_EXIST).fetchone() or (False,)
    (version,) = (connection.execute(migrations.VERSION).fetchone() if exist else None) or (0,)
    if version > len(migrations.MIGRATIONS):
        raise migrations.too_new("The ledger in PostgreSQL", version)
    return int(version)


def _execute(connection: "Connection", statement: str, values: Sequence[Any] = ()) -> "psycopg.Cursor[Any]":
    return connection.execute(statement.replace("?", "%s"), values or None)
