"""Reads of the ledgers, off the event loop and with a timeout.

A database may stop answering without an error. A read then fails with a `LedgerError` after the timeout, and other
requests are served meanwhile. Each dataset has one thread for all its reads, because its ledger has one connection.
While a read is overdue, further reads fail at once and are not queued.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from eremite.errors import LedgerError

T = TypeVar("T")

#: Seconds.
READ_TIMEOUT = 30.0
HEALTH_TIMEOUT = 5.0


class LedgerReads:
    """One reader for each dataset, started when it is first needed."""

    def __init__(self, timeout: float | None = READ_TIMEOUT) -> None:
        self._timeout = timeout  # None: no timeout
        self._readers: dict[str, _Reader] = {}
        self._lock = Lock()

    async def read(self, dataset: str, work: Callable[[], T], timeout: float | None = None) -> T:
        """The result of the work, or its error; a `LedgerError` after the timeout."""
        with self._lock:
            reader = self._readers.setdefault(dataset, _Reader())
        return await reader.read(work, self._timeout if timeout is None else timeout)


class _Reader:
    """A daemon thread that does one read after the other."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._overdue: Future[Any] | None = None
        self._thread: Thread | None = None

    async def read(self, work: Callable[[], T], timeout: float | None) -> T:
        if self._overdue is not None and not self._overdue.done():
            raise _no_answer()
        done: Future[T] = Future()
        self._start()
        self._queue.put((done, work))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(done), timeout)  # cancels the read if it has not begun
        except TimeoutError:
            self._overdue = done if done.running() else self._overdue
        raise _no_answer()

    def _start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="eremite-ledger-reads", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            done, work = self._queue.get()
            if not done.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except BaseException as error:  # raised where the read is awaited
                done.set_exception(error)
            else:
                done.set_result(result)
            del done, work


def _no_answer() -> LedgerError:
    return LedgerError("The ledger did not answer in time; see whether its database is up and not locked.")
