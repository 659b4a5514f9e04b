"""Reads of the ledgers, off the event loop, with a bound on the wait.

A database may stop answering without an error. Whoever reads a ledger here gets its answer, or a `LedgerError` after so
many seconds, and everybody else is served meanwhile. Each dataset has one thread for reads, however many are
asked for: its ledger has one connection anyway. While a read is overdue, further ones fail at once and are not kept.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from eremite.errors import LedgerError

T = TypeVar("T")

#: Seconds to wait for what may be long, such as a history, and for a sign of life.
READ_PATIENCE = 30.0
HEALTH_PATIENCE = 5.0


class LedgerReads:
    """One reader for each dataset, made when it is first needed."""

    def __init__(self, patience: float | None = READ_PATIENCE) -> None:
        self._patience = patience  # None: as long as it takes
        self._readers: dict[str, _Reader] = {}
        self._lock = Lock()

    async def read(self, dataset: str, work: Callable[[], T], patience: float | None = None) -> T:
        """What the work gives, or its error; a `LedgerError` if it takes longer than the patience."""
        with self._lock:
            reader = self._readers.setdefault(dataset, _Reader())
        return await reader.read(work, self._patience if patience is None else patience)


class _Reader:
    """A thread that does one thing after the other. It does not keep the process from ending."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._overdue: Future[Any] | None = None
        self._thread: Thread | None = None

    async def read(self, work: Callable[[], T], patience: float | None) -> T:
        if self._overdue is not None and not self._overdue.done():
            raise _no_answer()
        done: Future[T] = Future()
        self._started()
        self._waiting.put((done, work))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(done), patience)  # cancels it, if it has not begun
        except TimeoutError:
            self._overdue = done if done.running() else self._overdue
        raise _no_answer()

    def _started(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="eremite-ledger-reads", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            done, work = self._waiting.get()
            if not done.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except BaseException as error:  # whoever waits raises it
                done.set_exception(error)
            else:
                done.set_result(result)
            del done, work


def _no_answer() -> LedgerError:
    return LedgerError("The ledger did not answer in time; see whether its database is up and not locked.")
