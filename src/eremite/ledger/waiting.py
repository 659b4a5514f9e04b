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
            changes, outcome = self.make(page())
        except EremiteError as error:
            self._answer = _raising(error)
            return None
        self._answer = lambda: outcome
        return changes

    def answer(self) -> T:
        """Once it is settled."""
        if not self.settled or self._answer is None:
            raise RuntimeError("a request was answered before it was settled")
        return self._answer()


class Waiting:
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
            if not task.settled:
                task.given_up = True
                with suppress(ValueError):  # in a batch just now; if that is written, the charge stays
                    self._tasks.remove(task)

    @contextmanager
    def batch(self) -> Iterator[list[Task[Any]]]:
        """Those whose turn it is; settled if the block succeeds, else in line again, each to try for itself.

        Only whoever holds the connection may call it. In a forked process the line is that of the parent, and not ours.
        """
        tasks = [self._tasks.popleft() for _ in range(min(len(self._tasks), _MOST_AT_ONCE))]
        try:
            ours = [task for task in tasks if task.process == os.getpid() and not task.given_up]
            yield ours
        except BaseException:
            self._tasks.extendleft(reversed(tasks))
            raise
        for task in ours:
            task.settled = True


def _raising(error: EremiteError) -> Callable[[], Any]:
    def again() -> Any:
        raise error

    return again
