"""A turn lasts a whole number of ticks, whatever happens in it, and nobody can look in between."""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from eremite.service.turns import Crowded, Turns

TICK = 0.4


def at_once() -> float:
    return time.monotonic()


def failing() -> None:
    raise ZeroDivisionError


def timed(asked: Callable[[Turns], Awaitable[Any]]) -> float:
    """How long it takes, in ticks."""

    async def run() -> float:
        began = time.monotonic()
        await asked(Turns(TICK))
        return (time.monotonic() - began) / TICK

    return asyncio.run(run())


async def swallowed(turn: Awaitable[Any]) -> None:
    with pytest.raises(ZeroDivisionError):
        await turn


@pytest.mark.parametrize(
    ("asked", "ticks"),
    [
        (lambda turns: turns.take(at_once), 1),
        (lambda turns: turns.take(lambda: time.sleep(0.4 * TICK)), 1),
        (lambda turns: turns.take(lambda: time.sleep(1.4 * TICK)), 2),
        (lambda turns: swallowed(turns.take(failing)), 1),
    ],
)
def test_turn_lasts_whole_ticks_also_when_it_fails(asked: Callable[[Turns], Awaitable[Any]], ticks: int) -> None:
    assert ticks <= timed(asked) < ticks + 0.5


@pytest.mark.parametrize("way", ["take", "between"])
def test_next_begins_when_the_turn_before_ends_and_not_when_its_work_is_done(way: str) -> None:
    async def run() -> list[float]:
        turns = Turns(TICK)
        return await asyncio.gather(turns.take(at_once), getattr(turns, way)(at_once))

    first, second = asyncio.run(run())
    assert 0.9 <= (second - first) / TICK < 1.5


def test_between_turns_takes_no_tick() -> None:
    assert timed(lambda turns: turns.between(at_once)) < 0.5


async def cancelled(asked: asyncio.Task[Any], times: int) -> float:
    """When it was over, cancelled once or again at three tenths of a tick."""
    for _ in range(times):
        await asyncio.sleep(0.3 * TICK)
        asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    return time.monotonic()


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("way", "ticks"), [("take", 3), ("between", 2.4)])  # the second turn begins at 2, at 1.4
def test_lane_is_held_until_the_work_is_over_though_its_asker_is_gone(way: str, ticks: float, times: int) -> None:
    async def run() -> list[float]:
        turns, began = Turns(TICK), time.monotonic()
        asked = asyncio.create_task(getattr(turns, way)(lambda: time.sleep(1.4 * TICK)))
        waiting = asyncio.create_task(turns.take(at_once))
        left = await cancelled(asked, times)
        await waiting
        return [(now - began) / TICK for now in (left, time.monotonic())]

    left, ended = asyncio.run(run())
    assert left < 1  # it does not wait for its own work
    assert ticks <= ended < ticks + 0.5


@pytest.mark.parametrize("patience", [0, 2])  # whether the loop is there when the work fails
def test_work_that_fails_when_its_asker_is_gone_says_nothing(caplog: pytest.LogCaptureFixture, patience: int) -> None:
    async def run() -> Turns:
        turns = Turns(TICK)
        await cancelled(asyncio.create_task(turns.take(lambda: time.sleep(TICK) or failing())), 1)
        await asyncio.sleep(patience * TICK)
        return turns

    with caplog.at_level("DEBUG"):
        asyncio.run(run())._worker.shutdown()
        gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelname != "DEBUG"] == []


async def placed(turns: Turns, account: str) -> float:
    with turns.place(account):
        return await turns.take(at_once)


@pytest.mark.parametrize(
    ("accounts", "outcomes"),
    [
        ("aabb", [float, float, float, Crowded]),  # three places in all
        ("aaab", [float, float, Crowded, float]),  # two for one
    ],
)
def test_crowd_is_turned_away_and_the_lane_goes_on(accounts: str, outcomes: list[type]) -> None:
    async def run() -> list[Any]:
        turns = Turns(TICK / 4, most_waiting=3, most_of_one=2)
        told = await asyncio.gather(*(placed(turns, account) for account in accounts), return_exceptions=True)
        return [*told, await placed(turns, "a")]

    assert [type(outcome) for outcome in asyncio.run(run())] == [*outcomes, float]
