"""Ticks: what a client can time is rounded up to a whole number of them."""

import asyncio
from math import floor


def next_tick(began: float, now: float, tick: float) -> float:
    """The first time after `now` that is a whole number of ticks, at least one, after `began`."""
    return began + (floor((now - began) / tick) + 1) * tick


async def sleep_until_tick(began: float, tick: float) -> None:
    """Sleep until a whole number of ticks, at least one, has passed since a time of the loop's clock."""
    now = asyncio.get_running_loop().time()
    await asyncio.sleep(next_tick(began, now, tick) - now)
