"""A connection is closed when there are too many or no request arrives; all others stay."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from eremite.service import server
from eremite.service.limits import MAX_HEAD_BYTES
from eremite.service.server import _IDLE_SECONDS, Connection
from tests import clockwork

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Wire]]
Talk = Callable[[Connect], Awaitable[Any]]
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
TAKEN = 4.9 * _IDLE_SECONDS  # the response comes right before a check


async def slow(scope: Any, receive: Any, send: Any) -> None:
    """An application whose response takes longer than a connection may be idle."""
    await asyncio.sleep(TAKEN)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


def served(talk: Talk) -> Any:
    """The result of `talk`, which can open connections."""

    async def run() -> Any:
        config, state = uvicorn.Config(slow, lifespan="off", log_config=None), ServerState()
        config.load()
        wires: list[Wire] = []

        async def connect() -> Wire:
            theirs, ours = socket.socketpair()
            loop = asyncio.get_running_loop()
            await loop.connect_accepted_socket(lambda: Connection(config, state, {}), ours)
            wires.append(await asyncio.open_connection(sock=theirs))
            return wires[-1]

        told = await asyncio.wait_for(talk(connect), 100 * _IDLE_SECONDS)
        for _, writer in wires:
            writer.close()
            await asyncio.wait([asyncio.ensure_future(writer.wait_closed())])
        return told

    return clockwork.run(run())


def now() -> float:
    """The number of checks so far, as a time."""
    return asyncio.get_running_loop().time() / _IDLE_SECONDS


@pytest.mark.parametrize("said", [b"", b"G", REQUEST[:-2]])
def test_connection_without_a_request_is_ended(said: bytes) -> None:
    async def talk(connect: Connect) -> tuple[bytes, float]:
        reader, writer = await connect()
        writer.write(said)
        return await reader.read(), now()

    assert served(talk) == (b"", pytest.approx(1))


def test_request_under_way_has_the_time_it_takes() -> None:
    async def talk(connect: Connect) -> bytes:
        reader, writer = await connect()
        writer.write(REQUEST)
        return await reader.readuntil(b"\r\n\r\n")

    assert served(talk).startswith(b"HTTP/1.1 204 ")


def test_silence_is_counted_from_the_answer_on() -> None:
    async def talk(connect: Connect) -> list[tuple[bytes, float]]:
        reader, writer = await connect()
        told = []
        for _ in range(2):
            writer.write(REQUEST)
            told.append(((await reader.readuntil(b"\r\n\r\n"))[9:12], now()))
            await asyncio.sleep(
                0.2 * _IDLE_SECONDS
            )  # a check takes place: a client that was just answered may send again
        writer.write(b"G")  # the beginning of a third request, whose rest never comes
        return [*told, (await reader.read(), now())]

    times = map(pytest.approx, (4.9, 10, 12))
    assert served(talk) == list(zip((b"204", b"204", b""), times, strict=True))


def test_one_too_many_is_turned_away_and_a_place_that_is_left_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 3)

    async def answer(wire: Wire) -> bytes:
        try:
            wire[1].write(REQUEST)
            return (await wire[0].read(12))[9:]
        except ConnectionError:
            return b""

    async def talk(connect: Connect) -> list[bytes]:
        wires = [await connect() for _ in range(4)]
        told = list(await asyncio.gather(*map(answer, wires)))
        wires[0][1].close()
        await asyncio.sleep(0.1 * _IDLE_SECONDS)
        return [*told, await answer(await connect())]

    assert served(talk) == [b"204", b"204", b"204", b"", b"204"]


@pytest.mark.parametrize(
    ("length", "status"),
    [(MAX_HEAD_BYTES // 2, b"204"), (MAX_HEAD_BYTES + 1, b"400"), (2**20, b"400")],
    ids=["half as long", "too long", "much too long"],
)
def test_head_that_is_too_long_is_refused_though_it_comes_in_one_piece(length: int, status: bytes) -> None:
    head = b"GET / HTTP/1.1\r\nHost: x\r\nA: %s\r\n\r\n"
    request = head % (b"a" * (length - len(head) + 2))
    assert len(request) == length

    async def run() -> bytes:
        config = uvicorn.Config(slow, lifespan="off", log_config=None)
        config.load()
        theirs, ours = socket.socketpair()
        _, connection = await asyncio.get_running_loop().connect_accepted_socket(
            lambda: Connection(config, ServerState(), {}), ours
        )
        reader, writer = await asyncio.open_connection(sock=theirs)
        connection.data_received(request)
        told = await reader.read(12)
        writer.close()
        return told[9:]

    assert clockwork.run(run()) == status
