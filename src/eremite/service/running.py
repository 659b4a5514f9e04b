"""An application on a socket. Nothing is logged about a request: no address, no token, no body, no time."""

import socket
from collections.abc import Callable
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


def run(app: FastAPI, bound: socket.socket, root_path: str, ready: Callable[[], None]) -> None:
    """Serve until interrupted; a question under way is finished and stored first."""
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
    uvicorn.Server(config).run(sockets=[bound])
