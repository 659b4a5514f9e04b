"""Bodies of requests: how many are received and parsed at a time, so that one account cannot hold up the others.

A body of 4 MiB takes a second and a hundred times its length in memory while it is parsed. So long ones are parsed one
after the other, in a thread of their own, which short ones never wait for. Of each account few bodies are in flight:
while the others of the account wait, nothing of them is received, and everybody else has a place at once.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

#: Bodies of one account that are received or parsed at a time: one may be slow to arrive.
MOST_BODIES_PER_ACCOUNT = 2
#: A longer body is parsed in the thread for long ones; a short one takes some milliseconds.
MOST_SHORT_BYTES = 64 * 2**10

Receive = Callable[[], Awaitable[bytes]]


class Bodies:
    """Receives and parses bodies. Used in one event loop at a time."""

    def __init__(self) -> None:
        self._places: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()  # gone once nobody waits
        self._short = ThreadPoolExecutor(1, thread_name_prefix="eremite-short-bodies")
        self._long = ThreadPoolExecutor(1, thread_name_prefix="eremite-long-bodies")

    @asynccontextmanager
    async def place(self, account: str) -> AsyncIterator[None]:
        """Hold one of the account's places while a body is received and parsed; wait for one, in order."""
        async with self._places.setdefault(account, asyncio.Semaphore(MOST_BODIES_PER_ACCOUNT)):
            yield

    async def read(self, account: str, receive: Receive, parse: Callable[[bytes], T]) -> tuple[bytes, T]:
        """The body, and what it says; or the error of `parse`, which is called in a thread."""
        async with self.place(account):
            content = await receive()
            thread = self._short if len(content) <= MOST_SHORT_BYTES else self._long
            return content, await asyncio.get_running_loop().run_in_executor(thread, parse, content)
