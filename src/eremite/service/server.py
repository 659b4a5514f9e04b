"""Runs the application on a socket with uvicorn. Requests are not logged: no address, token, body or time.

Each connection takes one of the files that a process may have open. So there is a number of places. A client could take
them all with connections on which nothing arrives, or on which nothing is read. So each step of a request has its time,
after which its connection is closed; and when all places are taken, the connection that is furthest from a complete
request makes room for a new one. A proxy in front of the service knows its clients and can do better.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from signal import SIGINT, SIGTERM, signal
from threading import current_thread, main_thread
from typing import Any, cast

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from eremite.errors import InputError
from eremite.service.headers import with_security_headers
from eremite.service.limits import MAX_HEAD_BYTES

MAX_CONNECTIONS = 150  # fewer than the files a process may have open
#: Seconds. A head, or the next one after a response, arrives within the first. A body may take longer by a second for
#: each `_BODY_RATE` bytes that have arrived. Of a response, `_READ_BYTES` or all that is left are read within the
#: third. A stream of events ends after the last; its client opens another.
_HEAD_SECONDS = 10.0
_BODY_SECONDS = 30.0
_READ_SECONDS = 30.0
_STREAM_SECONDS = 600.0
_BODY_RATE = 32 * 2**10
_READ_BYTES = 128 * 2**10
_CHECK_SECONDS = 1.0
#: When the service stops: seconds that responses have, and then again as many to be read.
_STOP_SECONDS = 5.0
_BACKLOG = 100
_CHUNK = MAX_HEAD_BYTES // 2


class Step(IntEnum):
    """How far a connection is; the lowest one makes room first."""

    CLOSING = 0  # what is left of a response is not read
    HEAD = 1  # no request under way: nothing has arrived, or a part of a head, or one was answered
    BODY = 2
    STREAM = 3  # a response has begun and goes on
    ANSWER = 4  # a complete request waits for its response


class Connection(H11Protocol):
    """A connection whose client has a bounded time for each step of a request."""

    _seen: tuple[Step, RequestResponseCycle | None] = (Step.HEAD, None)  # at the last check
    _since = 0.0  # when the step began
    _arrived = 0  # bytes of the request under way
    _unread = 0  # bytes, when the window began
    _window: float | None = None  # when it began; None if all was read
    _check: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection. If all places are taken, another one makes room, or this one is not accepted."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._check = self.loop.call_later(_CHECK_SECONDS, self._require_progress)
        taken = [other for other in cast("set[Connection]", self.connections) if not other.is_aborted]
        if len(taken) > MAX_CONNECTIONS:
            furthest = min((other for other in taken if other is not self), key=lambda other: other.distance)
            (furthest if furthest.step < Step.ANSWER else self).abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Check it no more."""
        if self._check is not None:
            self._check.cancel()
            self._check = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass the data on in chunks: h11 limits a head (16 KiB) only when it arrives in several pieces."""
        self._arrived += len(data)
        for start in range(0, len(data), _CHUNK):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + _CHUNK])

    def resume_writing(self) -> None:
        """What has been read makes room for more of the response."""
        self._window = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, with the headers of every response."""
        headers = with_security_headers([(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")])
        response = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (response, h11.Data(data=msg.encode()), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    @property
    def step(self) -> Step:
        """How far it is now."""
        request = cast("RequestResponseCycle | None", self.cycle)  # the last one, if there was any
        if self.transport.is_closing():
            return Step.CLOSING
        if request is None or request.response_complete:
            return Step.HEAD
        if request.response_started:
            return Step.STREAM
        return Step.BODY if request.more_body else Step.ANSWER

    @property
    def distance(self) -> tuple[Step, float]:
        """The order in which connections make room: by their step, then whoever connected or changed first."""
        return self.step, self._since

    @property
    def is_aborted(self) -> bool:
        """Whether its place is free, or will be at once."""
        return self._check is None

    def abort(self) -> None:
        """Close it at once, whatever was not read yet."""
        if self._check is not None:
            self._check.cancel()
            self._check = None
        self.transport.abort()

    def stop(self) -> None:
        """Close it, as the service stops, if its request is not complete: nothing of it was charged."""
        if self.step in (Step.HEAD, Step.BODY):
            self.transport.close()

    def _require_progress(self) -> None:
        """Close the connection if its client is late."""
        now, step = self.loop.time(), self.step
        request = cast("RequestResponseCycle | None", self.cycle)
        if (step, request) != self._seen:
            if request is not self._seen[1]:
                self._arrived = 0
            self._seen, self._since = (step, request), now - _CHECK_SECONDS
        if self._is_unread(now):
            self.abort()
            return
        if now >= self._since + self._seconds(step):
            self.transport.close()
        self._check = self.loop.call_later(_CHECK_SECONDS, self._require_progress)

    def _seconds(self, step: Step) -> float:
        """How long this step may take. A body that the application does not take is not late."""
        if step is Step.HEAD:
            return _HEAD_SECONDS
        if step is Step.BODY and not self.flow.read_paused:
            return _BODY_SECONDS + self._arrived / _BODY_RATE
        return _STREAM_SECONDS if step is Step.STREAM else float("inf")

    def _is_unread(self, now: float) -> bool:
        """Whether too little of the response was read for too long."""
        unread = self.transport.get_write_buffer_size()
        if unread == 0:
            self._window = None
        elif self._window is None or unread <= self._unread - _READ_BYTES:
            self._window, self._unread = now, unread
        return self._window is not None and now >= self._window + _READ_SECONDS


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; an invalid address is an error now."""
    if not 0 <= port < 2**16:
        raise InputError("--port must be between 0 and 65535.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return _listen(socket.socket(family, kind, protocol), address)
    except (OSError, ValueError) as error:  # ValueError: a malformed host name
        reason = getattr(error, "strerror", None) or "this is no address"
        raise InputError(
            f"Cannot listen on {host}, port {port}: {reason}; choose others with --host and --port."
        ) from None


def _listen(new: socket.socket, address: Any) -> socket.socket:
    try:
        new.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        new.bind(address)
        new.listen()  # before the address is printed, so that early clients wait instead of being refused
    except OSError:
        new.close()
        raise
    return new


def run(
    app: FastAPI,
    listener: socket.socket,
    root_path: str,
    ready: Callable[[], None],
    on_start: Callable[[], None] | None = None,
    on_stop: Callable[[], None] | None = None,
    stopped: Callable[[], Awaitable[None]] | None = None,
) -> int | None:
    """Serve until interrupted and return the signal that did it.

    `on_start` is called in the event loop when the service listens. `on_stop` is called there when it is told to stop,
    before anything else; `stopped` is awaited at the end. It lets whoever waits have a response soon. What
    has no response after a few seconds is told that the service stops; without `on_stop`, responses are awaited.
    """
    config = uvicorn.Config(
        app,
        http=Connection,
        backlog=_BACKLOG,
        log_config=None,
        log_level="error",  # uvicorn would log a warning for every malformed request
        access_log=False,
        proxy_headers=False,  # the token alone identifies the caller, never an address
        server_header=False,
        date_header=False,
        ws="none",
        lifespan="off",
        root_path=root_path,  # the prefix that a proxy removes
    )
    ready()
    server = _Server(config, on_start, on_stop, stopped)
    with _catch_signals(server) as caught:
        server.run(sockets=[listener])
    return caught[-1] if caught else None


class _Server(uvicorn.Server):
    """A server that stops soon, whoever is connected."""

    def __init__(
        self,
        config: uvicorn.Config,
        on_start: Callable[[], None] | None,
        on_stop: Callable[[], None] | None,
        stopped: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(config)
        self._on_start = on_start
        self._on_stop = on_stop
        self._stopped = stopped

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        await super().startup(sockets)
        if self._on_start is not None:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and wait for the responses under way, but not for clients."""
        for connection in cast("set[Connection]", self.server_state.connections).copy():
            connection.stop()
        if self._on_stop is None:
            await super().shutdown(sockets)
            return
        self._on_stop()
        ending = asyncio.ensure_future(self._end_responses())
        try:
            await super().shutdown(sockets)
        finally:
            ending.cancel()
        if self._stopped is not None:
            await self._stopped()

    async def _end_responses(self) -> None:
        """End what takes too long: first what has no response, which is then told so, then what nobody reads."""
        await asyncio.sleep(_STOP_SECONDS)
        for task in tuple(self.server_state.tasks):
            task.cancel()
        await asyncio.sleep(_STOP_SECONDS)
        for connection in cast("set[Connection]", self.server_state.connections).copy():
            connection.abort()


@contextmanager
def _catch_signals(server: uvicorn.Server) -> Iterator[list[int]]:
    """Stop the server on a signal, and collect the signals for the caller to raise again.

    Uvicorn raises them again as soon as it has stopped; SIGTERM would then end the process before ledgers are closed.
    """
    caught: list[int] = []
    if current_thread() is not main_thread():
        yield caught
        return

    def stop(number: int, _: object) -> None:
        server.should_exit = True  # also before uvicorn has installed its own handlers
        caught.append(number)

    previous = {number: signal(number, stop) for number in (SIGINT, SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in previous.items():
            signal(number, handler)
