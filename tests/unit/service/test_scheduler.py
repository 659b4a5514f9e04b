"""A turn lasts a whole number of ticks, whatever happens in it, and nothing else runs before it ends."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Event
from typing import Any

import pytest

from eremite.service.scheduler import Scheduler, TooManyWaiting
from tests import clockwork

TICK = 0.4


@dataclass(frozen=True)
class Work:
    """Work that takes so many ticks and returns the tick at which it began, or fails."""

    ticks: float = 0
    fails: bool = False


class Worker:
    """A stand-in for the thread: its work ends when the loop's clock says so."""

    def submit(self, work: Work) -> "Future[float]":
        done: Future[float] = Future()
        loop = asyncio.get_running_loop()
        began = loop.time() / TICK
        end = (lambda: done.set_exception(ZeroDivisionError())) if work.fails else (lambda: done.set_result(began))
        loop.call_later(work.ticks * TICK, end)
        return done


def punctual(**limits: int) -> Scheduler:
    """A scheduler whose work takes as long as it says."""
    scheduler = Scheduler(TICK, **limits)
    scheduler._worker = Worker()  # type: ignore[assignment]
    return scheduler


def now() -> float:
    """The time of the loop's clock, in ticks."""
    return asyncio.get_running_loop().time() / TICK


def timed(asked: Callable[[Scheduler], Awaitable[Any]]) -> float:
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
        (lambda scheduler: scheduler.run_in_turn(Work()), 1),
        (lambda scheduler: scheduler.run_in_turn(Work(0.4)), 1),
        (lambda scheduler: scheduler.run_in_turn(Work(1.4)), 2),
        (lambda scheduler: swallowed(scheduler.run_in_turn(Work(fails=True))), 1),
    ],
)
def test_turn_lasts_whole_ticks_also_when_it_fails(asked: Callable[[Scheduler], Awaitable[Any]], ticks: int) -> None:
    assert timed(asked) == pytest.approx(ticks)


@pytest.mark.parametrize("way", ["run_in_turn", "run_between_turns"])
def test_next_begins_when_the_turn_before_ends_and_not_when_its_work_is_done(way: str) -> None:
    async def run() -> list[float]:
        scheduler = punctual()
        return await asyncio.gather(scheduler.run_in_turn(Work(0.4)), getattr(scheduler, way)(Work()))

    assert clockwork.run(run()) == [0, pytest.approx(1)]


def test_between_turns_takes_no_tick() -> None:
    assert timed(lambda scheduler: scheduler.run_between_turns(Work())) == 0


async def canceled(asked: asyncio.Task[Any], times: int) -> float:
    """The time when the task ended, canceled at three tenths of a tick, and once more if asked for."""
    for _ in range(times):
        await asyncio.sleep(0.3 * TICK)
        asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    return now()


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    ("way", "ticks"), [("run_in_turn", 3), ("run_between_turns", 2.4)]
)  # the second turn begins at 2, at 1.4
def test_turn_lasts_until_the_work_is_over_though_its_caller_is_gone(way: str, ticks: float, times: int) -> None:
    async def run() -> tuple[float, float]:
        scheduler = punctual()
        asked = asyncio.create_task(getattr(scheduler, way)(Work(1.4)))
        waiting = asyncio.create_task(scheduler.run_in_turn(Work()))
        left = await canceled(asked, times)
        await waiting
        return left, now()

    left, ended = clockwork.run(run())
    assert left == pytest.approx(0.3 * times)  # it does not wait for its own work
    assert ended == pytest.approx(ticks)


@pytest.mark.parametrize("stays", [False, True])  # whether the loop is there when the work fails
def test_work_that_fails_when_its_caller_is_gone_says_nothing(caplog: pytest.LogCaptureFixture, stays: bool) -> None:
    scheduler, goes_on = Scheduler(TICK), Event()

    def failing() -> None:
        goes_on.wait()
        raise ZeroDivisionError

    async def run() -> None:
        await canceled(asyncio.create_task(scheduler.run_in_turn(failing)), 1)
        if stays:
            goes_on.set()
            await scheduler.run_between_turns(lambda: None)  # comes after it

    with caplog.at_level("DEBUG"):
        asyncio.run(run())
        goes_on.set()
        scheduler._worker.shutdown()
        gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelname != "DEBUG"] == []


async def placed(scheduler: Scheduler, account: str) -> float:
    with scheduler.place_in_queue(account):
        return await scheduler.run_in_turn(Work())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("accounts", "outcomes"),
    [
        ("aabb", [float, float, float, TooManyWaiting]),  # three places in all
        ("aaab", [float, float, TooManyWaiting, float]),  # two for one
    ],
)
def test_crowd_is_turned_away_and_turns_go_on(accounts: str, outcomes: list[type]) -> None:
    async def run() -> list[Any]:
        scheduler = punctual(max_waiting=3, max_waiting_per_account=2)
        told = await asyncio.gather(*(placed(scheduler, account) for account in accounts), return_exceptions=True)
        return [*told, await placed(scheduler, "a")]

    assert [type(outcome) for outcome in clockwork.run(run())] == [*outcomes, float]
