"""Runs the application on a socket with uvicorn. Requests are not logged: no address, token, body or time.

Each connection takes one of the files that a process may have open. A client that opened connections and sent nothing
could take them all, including those that the ledger and the tokens need. So the number of connections is limited, and
one without a request is closed. A proxy in front of the service knows its clients and can do better.
"""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM, signal
from threading import current_thread, main_thread
from typing import Any, cast

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from eremite.errors import InputError
from eremite.service.limits import MAX_HEAD_BYTES

MAX_CONNECTIONS = 150  # more than the scheduler has places, fewer than the files a process may have open
_IDLE_SECONDS = 10.0
_BACKLOG = 100
_CHUNK = MAX_HEAD_BYTES // 2


class Connection(H11Protocol):
    """A connection that is closed when there are too many, or when no request arrives."""

    _seen: tuple[RequestResponseCycle | None, bool] = (None, True)
    """At the last check: the last request, and whether its response was complete."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, or abort it without a response."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self.loop.call_later(_IDLE_SECONDS, self._close_if_idle)

    def data_received(self, data: bytes) -> None:
        """Pass the data on in chunks: h11 limits a head (16 KiB) only when it arrives in several pieces."""
        for start in range(0, len(data), _CHUNK):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + _CHUNK])

    def _close_if_idle(self) -> None:
        """Close the connection if no request was under way at the last check and none has arrived since.

        A client that was just answered thus has the time to send another request.
        """
        if self.transport.is_closing():
            return
        request = cast("RequestResponseCycle | None", self.cycle)  # the last one, if there was any
        now = (request, request is None or request.response_complete)
        if now == self._seen and now[1]:
            self.transport.close()
            return
        self._seen = now
        self.loop.call_later(_IDLE_SECONDS, self._close_if_idle)


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


def run(app: FastAPI, listener: socket.socket, root_path: str, ready: Callable[[], None]) -> int | None:
    """Serve until interrupted and return the signal that did it. A question under way is finished and stored first."""
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
        lifespan="on",
        root_path=root_path,  # the prefix that a proxy removes
    )
    ready()
    server = uvicorn.Server(config)
    with _catch_signals(server) as caught:
        server.run(sockets=[listener])
    return caught[-1] if caught else None


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
