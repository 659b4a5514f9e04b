"""Connections that are too many, or on which nothing comes, are ended; all others stay."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from eremite.service import connections
from eremite.service.connections import Connection

PATIENCE = 0.2
Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def slow(scope: Any, receive: Any, send: Any) -> None:
    """An answer that takes longer than anybody is patient."""
    await asyncio.sleep(5 * PATIENCE)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


def served(talk: Callable[[Callable[[], Awaitable[Wire]], list[Connection]], Awaitable[Any]]) -> Any:
    """What `talk` gives, which can open connections, and has the service's ends of them."""

    async def run() -> Any:
        config, state = uvicorn.Config(slow, lifespan="off", log_config=None), ServerState()
        config.load()
        ends: list[Connection] = []

        def end() -> Connection:
            ends.append(Connection(config, state, {}))
            return ends[-1]

        server = await asyncio.get_running_loop().create_server(end, "127.0.0.1", 0)
        wires: list[Wire] = []

        async def connect() -> Wire:
            wires.append(await asyncio.open_connection(*server.sockets[0].getsockname()))
            return wires[-1]

        async with server:
            told = await asyncio.wait_for(talk(connect, ends), 20)
            for _, writer in wires:
                writer.close()
                await asyncio.wait([asyncio.ensure_future(writer.wait_closed())])
            return told

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_PATIENCE", PATIENCE)
    monkeypatch.setattr(connections, "MOST", 3)


@pytest.mark.parametrize("said", [b"", b"G", REQUEST[:-2]])
def test_connection_without_a_request_is_ended(said: bytes) -> None:
    async def talk(connect: Callable[[], Awaitable[Wire]], ends: list[Connection]) -> bytes:
        reader, writer = await connect()
        writer.write(said)
        return await reader.read()

    assert served(talk) == b""


def test_request_under_way_has_the_time_it_takes() -> None:
    async def talk(connect: Callable[[], Awaitable[Wire]], ends: list[Connection]) -> bytes:
        reader, writer = await connect()
        writer.write(REQUEST)
        return await reader.readuntil(b"\r\n\r\n")

    assert served(talk).startswith(b"HTTP/1.1 204 ")


def test_silence_is_counted_from_the_answer_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_PATIENCE", 1000)  # no looks but those below

    async def talk(connect: Callable[[], Awaitable[Wire]], ends: list[Connection]) -> list[bool]:
        reader, writer = await connect()
        ended = []
        for _ in range(2):
            writer.write(REQUEST)
            await asyncio.sleep(PATIENCE)
            ends[0]._look()
            ends[0]._look()  # both while it is under way
            await reader.readuntil(b"\r\n\r\n")
            ends[0]._look()  # it is over: one who was answered may ask again
            ended.append(ends[0].transport.is_closing())
        writer.write(b"G")  # the start of a third one, which never comes
        await asyncio.sleep(PATIENCE)
        ends[0]._look()
        return [*ended, ends[0].transport.is_closing()]

    assert served(talk) == [False, False, True]


def test_one_too_many_is_turned_away_and_a_place_that_is_left_is_free() -> None:
    async def answer(wire: Wire) -> bytes:
        try:
            wire[1].write(REQUEST)
            return (await wire[0].read(12))[9:]
        except ConnectionError:
            return b""

    async def talk(connect: Callable[[], Awaitable[Wire]], ends: list[Connection]) -> list[bytes]:
        wires = [await connect() for _ in range(4)]
        told = list(await asyncio.gather(*map(answer, wires)))
        wires[0][1].close()
        await asyncio.sleep(PATIENCE / 2)
        return [*told, await answer(await connect())]

    assert served(talk) == [b"204", b"204", b"204", b"", b"204"]
