"""The scheduler computes one question at a time, in turns that last a whole number of ticks.

How long an answer takes to compute depends on the rows. So its result, or its error, is held back until a whole number
of ticks has passed since its turn began, and only then does the next turn begin. Whoever waits, for their own answer or
behind another question, learns how many ticks the turns took and nothing else. This holds as well when a caller
disconnects: work that has begun keeps its turn until it ends.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from math import floor
from typing import TypeVar

T = TypeVar("T")


class TooManyWaiting(Exception):  # noqa: N818 -- it names a state, not a mistake
    """The queue is full, for everybody or for one account."""


class Scheduler:
    """Runs everything that reads private rows or computes for long, one piece of work at a time."""

    def __init__(self, tick: float, max_waiting: int = 100, max_waiting_per_account: int = 10) -> None:
        self.tick = tick
        self._max_waiting = max_waiting
        self._max_waiting_per_account = max_waiting_per_account
        self._waiting: Counter[str] = Counter()
        self._turn = asyncio.Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="eremite-question")

    @contextmanager
    def place_in_queue(self, account: str) -> Iterator[None]:
        """Hold a place in the queue. Take it before reading a body, because waiting bodies are held in memory.

        Each account has few places, so that none can keep the others out.
        """
        if self._waiting.total() >= self._max_waiting or self._waiting[account] >= self._max_waiting_per_account:
            raise TooManyWaiting
        self._waiting[account] += 1
        try:
            yield
        finally:
            self._waiting[account] -= 1

    async def run_in_turn(self, work: Callable[[], T]) -> T:
        """Do the work in its own turn; give its result, or raise its error, at the whole tick that ends the turn."""
        return await self._run_alone(work, lambda began, now: next_tick(began, now, self.tick))

    async def run_between_turns(self, work: Callable[[], T]) -> T:
        """Do the work while no turn is under way, so that it cannot see an answer that was not given yet."""
        return await self._run_alone(work, lambda _, now: now)

    async def _run_alone(self, work: Callable[[], T], turn_end: Callable[[float, float], float]) -> T:
        """Hold the lock from the start of the work to `turn_end(start, end of the work)`.

        The work releases the lock, not its caller: a canceled caller leaves at once while the thread goes on.
        """
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        await self._turn.acquire()
        began = loop.time()
        done = self._worker.submit(work)
        done.add_done_callback(
            _call_in_loop(loop, lambda: loop.call_at(turn_end(began, loop.time()), self._end_turn, ended))
        )
        await asyncio.shield(ended)
        return done.result()

    def _end_turn(self, ended: "asyncio.Future[None]") -> None:
        self._turn.release()
        ended.set_result(None)


def next_tick(began: float, now: float, tick: float) -> float:
    """The first time after `now` that is a whole number of ticks, at least one, after `began`."""
    return began + (floor((now - began) / tick) + 1) * tick


async def sleep_until_tick(began: float, tick: float) -> None:
    """Sleep until a whole number of ticks, at least one, has passed since a time of the loop's clock."""
    now = asyncio.get_running_loop().time()
    await asyncio.sleep(next_tick(began, now, tick) - now)


def _call_in_loop(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> Callable[[object], None]:
    """A callback that calls the function in the loop's thread, and does nothing once the loop is closed."""

    def callback(_: object) -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(function)

    return callback
