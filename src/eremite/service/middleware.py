"""Middleware around every request: response times, the length of a body, unexpected errors; and the order of all."""

import asyncio
import os

from fastapi import FastAPI, HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eremite.service.audit import Audit
from eremite.service.errors import LOG, error_response
from eremite.service.headers import HeadAsGet, SecurityHeaders
from eremite.service.limits import MAX_BODY_BYTES
from eremite.service.ticks import sleep_until_tick
from eremite.service.work import INTERNAL

_STOPPED = "The service stops. Ask again later under the same request_id: what was charged is then answered."
_STEPS_PER_TICK = 10
_LONGEST_STEP = 0.5  # seconds; each response that is held back takes a connection


def add_middleware(app: FastAPI, tick: float) -> None:
    """Add all middleware. What is added last is outermost: it delays every response, and hides what the others take."""
    app.add_middleware(BodyLimit)
    app.add_middleware(ErrorBoundary)
    app.add_middleware(Audit)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(HeadAsGet)  # around the audit, which then finds the route of a HEAD in its own scope
    app.add_middleware(QuantizedDelay, tick=tick)


class QuantizedDelay:
    """Starts every response a whole number of tenths of a tick after its request arrived.

    While a question is computed, the machine is busy and answers other requests a little later. Rounding hides that.
    """

    def __init__(self, app: ASGIApp, tick: float) -> None:
        self._app = app
        self._step = min(tick / _STEPS_PER_TICK, _LONGEST_STEP)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        arrived = asyncio.get_running_loop().time()

        async def send_at_step(message: Message) -> None:
            if message["type"] == "http.response.start":
                await sleep_until_tick(arrived, self._step)
            await send(message)

        await self._app(scope, receive, send_at_step)


class BodyLimit:
    """Stops reading a body that is too long, and answers 413.

    Once a response has begun it is too late for that, and nobody wants the body: a stream of events receives and drops
    whatever comes, to learn when its client is gone.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        received, begun = 0, False

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MAX_BODY_BYTES and not begun:
                raise HTTPException(
                    413, f"The body is longer than {MAX_BODY_BYTES // 2**20} MiB; ask for less at once."
                )
            return message

        async def send_noted(message: Message) -> None:
            nonlocal begun
            begun = True  # before it is sent, which takes until the next step
            await send(message)

        await self._app(scope, receive_counted, send_noted)


class ErrorBoundary:
    """Answers an unexpected error with a fixed sentence and logs its type only: its message could hold rows."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_noted(message: Message) -> None:
            nonlocal started
            await send(message)
            started = True

        try:
            await self._app(scope, receive, send_noted)
        except ClientDisconnect:
            return  # the body was not read in full, so nothing was charged
        except asyncio.CancelledError:  # the service was told twice to stop, and does not wait for the turn to end
            if not started:
                await error_response(503, _STOPPED)(scope, receive, send)
        except Exception as error:
            debug = os.environ.get("EREMITE_DEBUG") == "1"
            LOG.error(
                "An internal error, which EREMITE_DEBUG=1 shows in full: %s", type(error).__name__, exc_info=debug
            )
            if not started:
                await error_response(500, INTERNAL)(scope, receive, send)
