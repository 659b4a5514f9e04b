"""Questions take turns, and a turn lasts a whole number of ticks.

How long an answer takes to compute depends on the rows. So one question is computed at a time; its answer, or what went
wrong, is kept until the next whole tick since its turn began, and only then does the next turn begin. Whoever waits,
for an own answer or behind somebody else's, can tell how many ticks the turns took, and no more.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from math import floor
from typing import TypeVar

T = TypeVar("T")

_MOST_WAITING = 100


class Crowded(Exception):  # noqa: N818 -- it names a state, not a mistake
    """So many questions wait that one more is turned away."""


class Turns:
    """The one lane of a service. Everything that looks at private rows, or computes for long, goes through it."""

    def __init__(self, tick: float, most_waiting: int = _MOST_WAITING) -> None:
        self.tick = tick
        self._most_waiting = most_waiting
        self._waiting = 0
        self._lane = asyncio.Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="eremite-question")

    async def take(self, work: Callable[[], T]) -> T:
        """Do the work in a turn of its own, and give its result, or its error, at the whole tick that ends the turn."""
        async with self._own_lane():
            began = asyncio.get_running_loop().time()
            try:
                return await self._worked(work)
            finally:
                await whole_tick(began, self.tick)

    async def between(self, work: Callable[[], T]) -> T:
        """Do the work when no turn is under way: for what would tell that an answer is computed, but not yet given."""
        async with self._own_lane():
            return await self._worked(work)

    async def _worked(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    @asynccontextmanager
    async def _own_lane(self) -> AsyncIterator[None]:
        if self._waiting >= self._most_waiting:
            raise Crowded
        self._waiting += 1
        try:
            async with self._lane:
                yield
        finally:
            self._waiting -= 1


async def whole_tick(began: float, tick: float) -> None:
    """Wait until a whole number of ticks, at least one, has passed since a time of the loop's clock."""
    now = asyncio.get_running_loop().time()
    await asyncio.sleep(began + (floor((now - began) / tick) + 1) * tick - now)
