"""An application on a socket. Nothing is logged about a request: no address, no token, no body, no time."""

import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from eremite.errors import InputError


def listening(host: str, port: int) -> socket.socket:
    """A socket that is ours; what is wrong with the address is said now."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"Cannot listen on {host}, port {port}: {reason}; choose others with --host and --port."
        ) from None
    return bound


def run(app: FastAPI, bound: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until interrupted; a question under way is finished and stored first."""
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,  # who asks is told by the token, never by an address
        server_header=False,
        date_header=False,
        ws="none",
        lifespan="off",
    )
    ready()
    uvicorn.Server(config).run(sockets=[bound])
