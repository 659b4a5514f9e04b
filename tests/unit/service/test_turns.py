"""A turn lasts a whole number of ticks, whatever happens in it, and nobody can look in between."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Event
from typing import Any

import pytest

from eremite.service.turns import Crowded, Turns
from tests import clockwork

TICK = 0.4


@dataclass(frozen=True)
class Work:
    """It takes so many ticks, and gives the tick at which it began; or it fails."""

    ticks: float = 0
    fails: bool = False


class Worker:
    """A thread, as the clock sees it: nobody has to wait for it, and it is done when its work has taken its time."""

    def submit(self, work: Work) -> "Future[float]":
        done: Future[float] = Future()
        loop = asyncio.get_running_loop()
        began = loop.time() / TICK
        end = (lambda: done.set_exception(ZeroDivisionError())) if work.fails else (lambda: done.set_result(began))
        loop.call_later(work.ticks * TICK, end)
        return done


def punctual(**limits: int) -> Turns:
    """Turns whose work takes as long as it says."""
    turns = Turns(TICK, **limits)
    turns._worker = Worker()  # type: ignore[assignment]
    return turns


def now() -> float:
    """In ticks."""
    return asyncio.get_running_loop().time() / TICK


def timed(asked: Callable[[Turns], Awaitable[Any]]) -> float:
    """How long it takes, in ticks."""

    async def run() -> float:
        await asked(punctual())
        return now()

    return clockwork.run(run())


async def swallowed(turn: Awaitable[Any]) -> None:
    with pytest.raises(ZeroDivisionError):
        await turn


@pytest.mark.parametrize(
    ("asked", "ticks"),
    [
        (lambda turns: turns.take(Work()), 1),
        (lambda turns: turns.take(Work(0.4)), 1),
        (lambda turns: turns.take(Work(1.4)), 2),
        (lambda turns: swallowed(turns.take(Work(fails=True))), 1),
    ],
)
def test_turn_lasts_whole_ticks_also_when_it_fails(asked: Callable[[Turns], Awaitable[Any]], ticks: int) -> None:
    assert timed(asked) == pytest.approx(ticks)


@pytest.mark.parametrize("way", ["take", "between"])
def test_next_begins_when_the_turn_before_ends_and_not_when_its_work_is_done(way: str) -> None:
    async def run() -> list[float]:
        turns = punctual()
        return await asyncio.gather(turns.take(Work(0.4)), getattr(turns, way)(Work()))

    assert clockwork.run(run()) == [0, pytest.approx(1)]


def test_between_turns_takes_no_tick() -> None:
    assert timed(lambda turns: turns.between(Work())) == 0


async def cancelled(asked: asyncio.Task[Any], times: int) -> float:
    """When it was over, cancelled once or again at three tenths of a tick."""
    for _ in range(times):
        await asyncio.sleep(0.3 * TICK)
        asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    return now()


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("way", "ticks"), [("take", 3), ("between", 2.4)])  # the second turn begins at 2, at 1.4
def test_lane_is_held_until_the_work_is_over_though_its_asker_is_gone(way: str, ticks: float, times: int) -> None:
    async def run() -> tuple[float, float]:
        turns = punctual()
        asked = asyncio.create_task(getattr(turns, way)(Work(1.4)))
        waiting = asyncio.create_task(turns.take(Work()))
        left = await cancelled(asked, times)
        await waiting
        return left, now()

    left, ended = clockwork.run(run())
    assert left == pytest.approx(0.3 * times)  # it does not wait for its own work
    assert ended == pytest.approx(ticks)


@pytest.mark.parametrize("stays", [False, True])  # whether the loop is there when the work fails
def test_work_that_fails_when_its_asker_is_gone_says_nothing(caplog: pytest.LogCaptureFixture, stays: bool) -> None:
    turns, goes_on = Turns(TICK), Event()

    def failing() -> None:
        goes_on.wait()
        raise ZeroDivisionError

    async def run() -> None:
        await cancelled(asyncio.create_task(turns.take(failing)), 1)
        if stays:
            goes_on.set()
            await turns.between(lambda: None)  # comes after it

    with caplog.at_level("DEBUG"):
        asyncio.run(run())
        goes_on.set()
        turns._worker.shutdown()
        gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelname != "DEBUG"] == []


async def placed(turns: Turns, account: str) -> float:
    with turns.place(account):
        return await turns.take(Work())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("accounts", "outcomes"),
    [
        ("aabb", [float, float, float, Crowded]),  # three places in all
        ("aaab", [float, float, Crowded, float]),  # two for one
    ],
)
def test_crowd_is_turned_away_and_the_lane_goes_on(accounts: str, outcomes: list[type]) -> None:
    async def run() -> list[Any]:
        turns = punctual(most_waiting=3, most_of_one=2)
        told = await asyncio.gather(*(placed(turns, account) for account in accounts), return_exceptions=True)
        return [*told, await placed(turns, "a")]

    assert [type(outcome) for outcome in clockwork.run(run())] == [*outcomes, float]
