"""An application on a socket. Nothing is logged about a request: no address, no token, no body, no time."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM, signal
from threading import current_thread, main_thread
from typing import Any

import uvicorn
from fastapi import FastAPI

from eremite.errors import InputError
from eremite.service.connections import Connection

_AT_ONCE = 100  # connections taken before the first of them is counted


def listening(host: str, port: int) -> socket.socket:
    """A socket that is ours; what is wrong with the address is said now."""
    if not 0 <= port < 2**16:
        raise InputError("--port must be between 0 and 65535.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return _bound(socket.socket(family, kind, protocol), address)
    except (OSError, ValueError) as error:  # a name that cannot be one is a ValueError
        reason = getattr(error, "strerror", None) or "this is no address"
        raise InputError(
            f"Cannot listen on {host}, port {port}: {reason}; choose others with --host and --port."
        ) from None


def _bound(free: socket.socket, address: Any) -> socket.socket:
    try:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(address)
        free.listen()  # whoever comes once we say that we serve is kept waiting, not sent away
    except OSError:
        free.close()
        raise
    return free


def run(app: FastAPI, bound: socket.socket, root_path: str, ready: Callable[[], None]) -> int | None:
    """Serve until interrupted, and give the signal that did it; a question under way is finished and stored first."""
    config = uvicorn.Config(
        app,
        http=Connection,
        backlog=_AT_ONCE,
        log_config=None,
        log_level="error",  # it warns of malformed requests, as often as somebody sends one
        access_log=False,
        proxy_headers=False,  # who asks is told by the token, never by an address
        server_header=False,
        date_header=False,
        ws="none",
        lifespan="off",
        root_path=root_path,  # a proxy has taken it off
    )
    ready()
    server = uvicorn.Server(config)
    with _signals_kept(server) as kept:
        server.run(sockets=[bound])
    return kept[-1] if kept else None


@contextmanager
def _signals_kept(server: uvicorn.Server) -> Iterator[list[int]]:
    """The signals that end the server, for whoever called to raise again once all is put away.

    Uvicorn raises them again as soon as it has stopped, and SIGTERM would end the process before ledgers are closed.
    """
    kept: list[int] = []
    if current_thread() is not main_thread():
        yield kept
        return

    def keep(number: int, _: object) -> None:
        server.should_exit = True  # also when it has not begun to listen for signals yet
        kept.append(number)

    usual = {number: signal(number, keep) for number in (SIGINT, SIGTERM)}
    try:
        yield kept
    finally:
        for number, handler in usual.items():
            signal(number, handler)
