"""Questions take turns, and a turn lasts a whole number of ticks.

How long an answer takes to compute depends on the rows. So one question is computed at a time; its answer, or what went
wrong, is kept until the next whole tick since its turn began, and only then does the next turn begin. Whoever waits,
for an own answer or behind somebody else's, can tell how many ticks the turns took, and no more.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import floor
from typing import TypeVar

T = TypeVar("T")

_MOST_WAITING = 100
_MOST_OF_ONE = 10


class Crowded(Exception):  # noqa: N818 -- it names a state, not a mistake
    """So many questions wait, of all or of one account, that one more is turned away."""


class Turns:
    """The one lane of a service. Everything that looks at private rows, or computes for long, goes through it."""

    def __init__(self, tick: float, most_waiting: int = _MOST_WAITING, most_of_one: int = _MOST_OF_ONE) -> None:
        self.tick = tick
        self._most_waiting = most_waiting
        self._most_of_one = most_of_one
        self._waiting: Counter[str] = Counter()
        self._lane = asyncio.Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="eremite-question")

    @contextmanager
    def place(self, account: str) -> Iterator[None]:
        """A place among those who wait, to be taken before a body is read: what waits is held in memory.

        An account has few of them, so that none can keep all others out.
        """
        if self._waiting.total() >= self._most_waiting or self._waiting[account] >= self._most_of_one:
            raise Crowded
        self._waiting[account] += 1
        try:
            yield
        finally:
            self._waiting[account] -= 1

    async def take(self, work: Callable[[], T]) -> T:
        """Do the work in a turn of its own, and give its result, or its error, at the whole tick that ends the turn."""
        async with self._lane:
            began = asyncio.get_running_loop().time()
            try:
                return await self._worked(work)
            finally:
                await whole_tick(began, self.tick)

    async def between(self, work: Callable[[], T]) -> T:
        """Do the work when no turn is under way: for what would tell that an answer is computed, but not yet given."""
        async with self._lane:
            return await self._worked(work)

    async def _worked(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)


async def whole_tick(began: float, tick: float) -> None:
    """Wait until a whole number of ticks, at least one, has passed since a time of the loop's clock."""
    now = asyncio.get_running_loop().time()
    await asyncio.sleep(began + (floor((now - began) / tick) + 1) * tick - now)
