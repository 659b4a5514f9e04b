"""A connection to PostgreSQL that does not wait for ever.

Server and client each have a bound. The server's hold for a lock and for a statement. They are of no use when the
server itself stands still: it accepts, its kernel answers for it, and no byte comes. So the client gives up by itself.
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

#: Seconds without an answer after which the client gives up: longer than the server's own bounds, which say more.
PATIENCE = 90.0
#: Seconds for a connection to be made. libpq takes less than two for two.
PATIENCE_TO_CONNECT = 10

_SETTINGS = (
    "SET synchronous_commit = on",  # whatever the server's default: a charge that a crash takes back was never one
    "SET lock_timeout = '60s'",
    "SET statement_timeout = '75s'",
    "SET idle_in_transaction_session_timeout = '60s'",  # a stopped process gives up the lock
)
#: A network that swallows packets is noticed within half a minute, also between statements.
_NETWORK = {
    "connect_timeout": PATIENCE_TO_CONNECT,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


class Stalled(Exception):  # noqa: N818 -- it names a state, not a mistake
    """The server has not answered for longer than the client waits; the connection was given up."""


def connect(url: str, patience: float | None = None) -> "Connection":
    """A connection whose waits are bounded. What the address says itself about timeouts holds, but for `patience`."""
    psycopg = driver()
    given = psycopg.conninfo.conninfo_to_dict(url)
    bounds = {name: value for name, value in _NETWORK.items() if name not in given}
    if patience is not None:
        bounds["connect_timeout"] = max(2, round(patience))
    connection: Connection = _bounded().connect(url, autocommit=True, **bounds)
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
    """For a while, wait no longer than so many seconds for one statement; None is the usual time."""
    connection.patience = seconds
    try:
        yield
    finally:
        connection.patience = None


@cache
def _bounded() -> Any:
    psycopg = driver()

    class Bounded(psycopg.Connection):  # type: ignore[name-defined, misc]
        """Gives up a statement that stays without an answer, and itself with it: nobody can tell what became of it."""

        patience: float | None = None

        def wait(self, gen: Generator[Any, Any, Any], *rest: Any, **more: Any) -> Any:
            seconds = PATIENCE if self.patience is None else self.patience
            try:
                return super().wait(_until(gen, time.monotonic() + seconds), *rest, **more)
            except Stalled:
                self.pgconn.finish()  # without a word to the server, which would not hear it
                raise

    return Bounded


def _until(gen: Generator[Any, Any, Any], deadline: float) -> Generator[Any, Any, Any]:
    """The same steps, as long as there is time; the driver comes by several times a second while it waits."""
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
    """psycopg, if it is installed."""
    try:
        import psycopg
    except ImportError:
        raise LedgerError(MISSING_DRIVER) from None
    return psycopg
