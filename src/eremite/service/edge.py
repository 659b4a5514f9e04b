"""What holds for every request: a body of bounded length, and an answer at a whole tenth of a tick.

While a question is computed the machine is busy, and all else it does takes a little longer. Answers that leave at
tenths of a tick since their request came keep that little to themselves.
"""

import asyncio

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eremite.service.limits import LONGEST_BODY
from eremite.service.turns import whole_tick

_TENTHS = 10


class Punctual:
    """Every answer begins a whole number of tenths of a tick after its request came."""

    def __init__(self, app: ASGIApp, tick: float) -> None:
        self._app = app
        self._step = tick / _TENTHS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        came = asyncio.get_running_loop().time()

        async def later(message: Message) -> None:
            if message["type"] == "http.response.start":
                await whole_tick(came, self._step)
            await send(message)

        await self._app(scope, receive, later)


class Bounded:
    """A body that is too long is not read to its end."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        read = 0

        async def counting() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > LONGEST_BODY:
                raise HTTPException(413, f"The body is longer than {LONGEST_BODY // 2**20} MiB; ask for less at once.")
            return message

        await self._app(scope, counting, send)
