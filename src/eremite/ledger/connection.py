"""One connection for each process, used by one thread at a time, and never inherited by a forked process.

Two processes must not share a connection: SQLite in the child would believe that it holds locks of the parent, and
PostgreSQL would get two streams mixed. So a fork waits until the connection is free and closes it; both processes open
their own when they need one.
"""

import atexit
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock, local
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

from eremite.errors import EremiteError


class Closable(Protocol):
    """A connection, or anything else with `close`."""

    def close(self) -> None: ...


class Busy(Exception):  # noqa: N818 -- it names a state, not a mistake
    """Another thread has used the connection for longer than the caller was willing to wait."""


C = TypeVar("C", bound=Closable)


class OneConnection(Generic[C]):
    """A connection of this process that is opened on first use."""

    def __init__(self, opened: Callable[[], C]) -> None:
        self._opened = opened
        self._lock = Lock()
        self._connection: C | None = None
        with _LISTED:
            _CONNECTIONS.add(self)

    @contextmanager
    def use(self, within: float = -1, opened: Callable[[], C] | None = None) -> Iterator[C]:
        """The connection, for this thread alone; after an error other than `EremiteError` the next use opens a new one.

        With `within`, raises `Busy` if other threads use it for that many seconds. `opened` replaces the usual way to
        open it.
        """
        with self._held(within):
            connection = self._connection or (opened or self._opened)()
            self._connection = connection
            try:
                yield connection
            except EremiteError:
                raise
            except BaseException:
                self._drop()
                raise

    def close(self, within: float = -1) -> None:
        """Close the connection once no thread uses it; with `within`, raises `Busy` after that many seconds."""
        with self._held(within):
            self._drop()

    @contextmanager
    def _held(self, within: float) -> Iterator[None]:
        if not self._lock.acquire(timeout=within):
            raise Busy
        try:
            yield
        finally:
            self._lock.release()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __del__(self) -> None:
        self._drop()

    def hold_for_fork(self) -> None:
        """Close the connection and keep it closed until `forked` is called."""
        self._lock.acquire()
        self._drop()

    def forked(self) -> None:
        """Allow the connection to be opened again after a fork."""
        self._lock.release()


_CONNECTIONS: WeakSet[OneConnection[Any]] = WeakSet()
_LISTED = Lock()
_HELD = local()  # connections held by the thread that forks


def _before_fork() -> None:
    _LISTED.acquire()
    _HELD.connections = list(_CONNECTIONS)
    for connection in _HELD.connections:
        connection.hold_for_fork()


def _after_fork() -> None:
    for connection in _HELD.connections:
        connection.forked()
    _HELD.connections = []
    _LISTED.release()


_PATIENCE_AT_EXIT = 5  # seconds to wait for the transaction of a daemon thread


def _at_exit() -> None:
    """Close all connections: SQLite leaves the log of an open one beside the ledger, where a copy would miss it."""
    for connection in list(_CONNECTIONS):
        with suppress(Exception):  # committed changes are safe, and nobody is left to handle an error
            connection.close(_PATIENCE_AT_EXIT)


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
