"""A connection to PostgreSQL whose waits are all bounded.

The server bounds the wait for a lock and for a statement. That does not help if the server process hangs: its kernel
still accepts connections, but no byte arrives. So the client has a timeout of its own.
"""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from eremite.errors import LedgerError
from eremite.ledger.postgres_errors import MISSING_DRIVER

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

#: Seconds without an answer after which the client gives up: more than the server's limits, whose errors say more.
PATIENCE = 90.0
#: Seconds for making a connection. libpq treats less than 2 as 2.
PATIENCE_TO_CONNECT = 10

_SETTINGS = (
    "SET synchronous_commit = on",  # whatever the server's default: a crash must not take back a charge
    "SET lock_timeout = '60s'",
    "SET statement_timeout = '75s'",
    "SET idle_in_transaction_session_timeout = '60s'",  # a stopped process loses its lock
)
#: Detect a network that drops packets within half a minute, also between statements.
_NETWORK = {
    "connect_timeout": PATIENCE_TO_CONNECT,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


class Stalled(Exception):  # noqa: N818 -- it names a state, not a mistake
    """The server did not answer within the client's timeout; the connection was closed."""


def connect(url: str, patience: float | None = None) -> "Connection":
    """A connection whose waits are bounded. Timeouts in the address take precedence, but not over `patience`."""
    psycopg = driver()
    given = psycopg.conninfo.conninfo_to_dict(url)
    bounds = {name: value for name, value in _NETWORK.items() if name not in given}
    if patience is not None:
        bounds["connect_timeout"] = max(2, round(patience))
    connection: Connection = _bounded().connect(url, autocommit=True, client_encoding="UTF8", **bounds)
    try:
        with patience_of(connection, patience):
            for setting in _SETTINGS:
                connection.execute(setting)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def patience_of(connection: Any, seconds: float | None) -> Iterator[None]:
    """During the block, wait at most so many seconds for each statement; None means `PATIENCE`."""
    connection.patience = seconds
    try:
        yield
    finally:
        connection.patience = None


@cache
def _bounded() -> Any:
    psycopg = driver()

    class Bounded(psycopg.Connection):  # type: ignore[name-defined, misc]
        """Closes itself if a statement gets no answer in time: nobody can tell whether the statement was executed."""

        patience: float | None = None

        def wait(self, gen: Generator[Any, Any, Any], *rest: Any, **more: Any) -> Any:
            seconds = PATIENCE if self.patience is None else self.patience
            try:
                return super().wait(_until(gen, time.monotonic() + seconds), *rest, **more)
            except Stalled:
                self.pgconn.finish()  # without a message to the server, which does not answer
                raise

    return Bounded


def _until(gen: Generator[Any, Any, Any], deadline: float) -> Generator[Any, Any, Any]:
    """The steps of `gen` until the deadline; while the driver waits, it resumes them several times a second."""
    ready = None
    while True:
        try:
            wanted = gen.send(ready)
        except StopIteration as end:
            return end.value
        ready = yield wanted
        if not ready and time.monotonic() > deadline:
            raise Stalled


def driver() -> ModuleType:
    """The module psycopg; an error if it is not installed."""
    try:
        import psycopg
    except ImportError:
        raise LedgerError(MISSING_DRIVER) from None
    return psycopg
