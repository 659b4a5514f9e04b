"""Requests of one process that come while another is being written: the next to have its turn writes them all at once.

Making a commit safe takes a disk longer than all the rest, and one commit carries many requests as well as one. Each is
still decided by itself, on the page as those before it leave it, and is answered only when the commit is safe.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic

from eremite.errors import EremiteError
from eremite.ledger.store import Account, Changes, Page, T

_MOST_AT_ONCE = 64


@dataclass(slots=True, eq=False)
class Task(Generic[T]):
    """One request, and what became of it."""

    account: Account
    request_id: str | None
    make: Callable[[Page], tuple[Changes | None, T]]
    settled: bool = False
    given_up: bool = False
    process: int = field(default_factory=os.getpid)
    _answer: Callable[[], T] | None = None

    def decide(self, page: Callable[[], Page]) -> Changes | None:
        """The changes to write. An error about this request is kept for whoever asked; the others go on."""
        try:
            seen = page()  # what the database cannot do stops everybody
        except EremiteError as error:
            self._answer = _raising(error)
            return None
        try:
            changes, outcome = self.make(seen)
        except Exception as error:  # whatever it is, it is this one's
            self._answer = _raising(error)
            return None
        self._answer = lambda: outcome
        return changes

    def answer(self) -> T:
        """Once it is settled."""
        if not self.settled or self._answer is None:
            raise RuntimeError("a request was answered before it was settled")
        return self._answer()


class Batches:
    """Those who wait, in the order they came."""

    def __init__(self) -> None:
        self._tasks: deque[Task[Any]] = deque()

    @contextmanager
    def joined(self, task: Task[T]) -> Iterator[Task[T]]:
        """A task is in line, and leaves it whatever happens."""
        self._tasks.append(task)
        try:
            yield task
        finally:
            task.given_up = True  # if it is in a batch just now and that is written, the charge stays

    @contextmanager
    def batch(self, mine: Task[Any]) -> Iterator[list[Task[Any]]]:
        """Those whose turn it is, `mine` among them; settled if the block succeeds, else each has to try for itself.

        Only whoever holds the connection may call it. In a forked process the line is that of the parent, and not ours.
        Each waits with its own turn of `batch` in mind, so one that an interrupt takes out of the line is not lost.
        """
        tasks = [mine]
        with suppress(IndexError):  # none is left
            while len(tasks) < _MOST_AT_ONCE:
                tasks.append(self._tasks.popleft())
        ours = [task for task in dict.fromkeys(tasks) if self._waits(task)]
        yield ours
        for task in ours:
            task.settled = True

    def _waits(self, task: Task[Any]) -> bool:
        return task.process == os.getpid() and not task.given_up and not task.settled


def _raising(error: Exception) -> Callable[[], Any]:
    def again() -> Any:
        raise error

    return again
