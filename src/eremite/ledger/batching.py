"""Group commit: requests that arrive while another is being written are written together, by the next of them.

Syncing a commit to disk takes longer than everything else, and one commit can carry many requests. Each request is
still decided by itself, after those before it, and is answered only when the commit is safe.
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
    """One request, and its outcome once it is settled."""

    account: Account
    request_id: str | None
    make: Callable[[Page], tuple[Changes | None, T]]
    settled: bool = False
    given_up: bool = False
    process: int = field(default_factory=os.getpid)
    _answer: Callable[[], T] | None = None

    def decide(self, page: Callable[[], Page]) -> Changes | None:
        """The changes to write; None if there are none. An error of this request is kept for its caller alone."""
        try:
            seen = page()  # errors of the database propagate: they concern the whole batch
        except EremiteError as error:
            self._answer = _raising(error)
            return None
        try:
            changes, outcome = self.make(seen)
        except Exception as error:  # it belongs to this request, whatever it is
            self._answer = _raising(error)
            return None
        self._answer = lambda: outcome
        return changes

    def answer(self) -> T:
        """The outcome of a settled request: its result, or its error raised."""
        if not self.settled or self._answer is None:
            raise RuntimeError("a request was answered before it was settled")
        return self._answer()


class Batches:
    """The requests that wait to be written, in order of arrival."""

    def __init__(self) -> None:
        self._tasks: deque[Task[Any]] = deque()

    @contextmanager
    def enqueued(self, task: Task[T]) -> Iterator[Task[T]]:
        """Put the task into the queue for the duration of the block."""
        self._tasks.append(task)
        try:
            yield task
        finally:
            task.given_up = True  # if its batch is being written right now, the charge stays

    @contextmanager
    def batch(self, mine: Task[Any]) -> Iterator[list[Task[Any]]]:
        """The tasks to write now, `mine` among them. If the block succeeds they are settled, else each retries alone.

        Call it only while holding the connection. Tasks that a forked process inherited from its parent are skipped.
        Every task calls `batch` for itself, so a task that an interrupted batch had dequeued is not lost.
        """
        tasks = [mine]
        with suppress(IndexError):  # the queue is empty
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
