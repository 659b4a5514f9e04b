"""One connection a process, used by one thread at a time, and never carried into a forked process.

A database connection in two processes is one too many: SQLite would believe that it holds locks which only the parent
holds, PostgreSQL would get two voices on one line. So a connection is closed before a fork, after whoever uses it is
done, and both processes open their own when they need one.
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
    """What can be closed."""

    def close(self) -> None: ...


class Busy(Exception):  # noqa: N818 -- it names a state, not a mistake
    """Others have used the connection for longer than whoever asked would wait."""


C = TypeVar("C", bound=Closable)


class OneConnection(Generic[C]):
    """Opened when it is needed."""

    def __init__(self, opened: Callable[[], C]) -> None:
        self._opened = opened
        self._lock = Lock()
        self._connection: C | None = None
        with _LISTED:
            _CONNECTIONS.add(self)

    @contextmanager
    def use(self, within: float = -1, opened: Callable[[], C] | None = None) -> Iterator[C]:
        """The connection, for this thread alone; after a failure that is not ours the next use opens another.

        With `within`, a `Busy` if others use it for so many seconds; `opened` opens in another way.
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
        """Once whoever uses it is done; with `within`, a `Busy` if that takes longer."""
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
        """Close, and let nobody open again until the fork is over."""
        self._lock.acquire()
        self._drop()

    def forked(self) -> None:
        """The fork is over, in this process."""
        self._lock.release()


_CONNECTIONS: WeakSet[OneConnection[Any]] = WeakSet()
_LISTED = Lock()
_HELD = local()  # by the thread that forks


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


_PATIENCE_AT_EXIT = 5  # seconds, with a daemon thread that is in the middle of a transaction


def _at_exit() -> None:
    """A log that nobody closes stays beside its ledger, where a copy of the ledger alone misses it."""
    for connection in list(_CONNECTIONS):
        with suppress(Exception):  # what was committed is safe; there is nobody left to tell
            connection.close(_PATIENCE_AT_EXIT)


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
