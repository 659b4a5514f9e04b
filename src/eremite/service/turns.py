"""Questions take turns, and a turn lasts a whole number of ticks.

How long an answer takes to compute depends on the rows. So one question is computed at a time; its answer, or what went
wrong, is kept until the next whole tick since its turn began, and only then does the next turn begin. Whoever waits,
for an own answer or behind somebody else's, can tell how many ticks the turns took, and no more. That holds as well
when an asker is gone: whatever was begun keeps its turn until it is over.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
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
        return await self._alone(work, lambda began, now: next_tick(began, now, self.tick))

    async def between(self, work: Callable[[], T]) -> T:
        """Do the work when no turn is under way: for what would tell that an answer is computed, but not yet given."""
        return await self._alone(work, lambda _, now: now)

    async def _alone(self, work: Callable[[], T], end: Callable[[float, float], float]) -> T:
        """Hold the lane until the work is over, and on until the end of its turn, told by when it began and was over.

        The work frees the lane, not its asker: one who is canceled leaves at once, and a thread goes on.
        """
        loop = asyncio.get_running_loop()
        over: asyncio.Future[None] = loop.create_future()
        await self._lane.acquire()
        began = loop.time()
        done = self._worker.submit(work)
        done.add_done_callback(_in_loop(loop, lambda: loop.call_at(end(began, loop.time()), self._free, over)))
        await asyncio.shield(over)
        return done.result()

    def _free(self, over: "asyncio.Future[None]") -> None:
        self._lane.release()
        over.set_result(None)


def next_tick(began: float, now: float, tick: float) -> float:
    """When the next whole number of ticks, at least one, has passed since something began."""
    return began + (floor((now - began) / tick) + 1) * tick


async def whole_tick(began: float, tick: float) -> None:
    """Wait until a whole number of ticks, at least one, has passed since a time of the loop's clock."""
    now = asyncio.get_running_loop().time()
    await asyncio.sleep(next_tick(began, now, tick) - now)


def _in_loop(loop: asyncio.AbstractEventLoop, what: Callable[[], object]) -> Callable[[object], None]:
    """Do it in the loop's own thread; a loop that was stopped has nobody left to tell."""

    def told(_: object) -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(what)

    return told
