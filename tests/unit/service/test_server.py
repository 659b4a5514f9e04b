"""A connection is closed when there are too many or no request arrives; all others stay."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from uvicorn.server import ServerState

from eremite.service import server
from eremite.service.errors import add_handlers
from eremite.service.limits import MAX_BODY_BYTES, MAX_HEAD_BYTES
from eremite.service.middleware import add_middleware
from eremite.service.server import (
    _BODY_RATE,
    _BODY_SECONDS,
    _HEAD_SECONDS,
    _READ_BYTES,
    _READ_SECONDS,
    _STREAM_SECONDS,
    Connection,
)
from tests import clockwork

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Wire]]
Talk = Callable[[Connect], Awaitable[Any]]
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
TAKEN = 4.9 * _HEAD_SECONDS  # the response comes right before a check


async def slow(scope: Any, receive: Any, send: Any) -> None:
    """An application whose response takes longer than a connection may be idle."""
    await asyncio.sleep(TAKEN)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


async def reading(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads the body and responds."""
    while (message := await receive()).get("more_body"):
        pass
    if message["type"] != "http.disconnect":
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})


LONG = 4 * 2**20


async def long_response(scope: Any, receive: Any, send: Any) -> None:
    """An application with a long response."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % LONG)]})
    await send({"type": "http.response.body", "body": b"x" * LONG})


async def events(scope: Any, receive: Any, send: Any) -> None:
    """An application that sends a line every 15 seconds, until its client is gone."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    gone = asyncio.ensure_future(_disconnected(receive))
    while not gone.done():
        await send({"type": "http.response.body", "body": b":\n\n", "more_body": True})
        await asyncio.wait([gone], timeout=15)


async def _disconnected(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


CONNECTED: set[Any] = set()


def served(talk: Talk, app: Any = slow) -> Any:
    """The result of `talk`, which can open connections."""

    async def run() -> Any:
        config, state = uvicorn.Config(app, lifespan="off", log_config=None), ServerState()
        state.connections = CONNECTED
        CONNECTED.clear()
        config.load()
        wires: list[Wire] = []

        async def connect() -> Wire:
            theirs, ours = socket.socketpair()
            loop = asyncio.get_running_loop()
            await loop.connect_accepted_socket(lambda: Connection(config, state, {}), ours)
            wires.append(await asyncio.open_connection(sock=theirs))
            return wires[-1]

        told = await asyncio.wait_for(talk(connect), 100 * _HEAD_SECONDS)
        for _, writer in wires:
            writer.close()
            await asyncio.wait([asyncio.ensure_future(writer.wait_closed())])
        return told

    return clockwork.run(run())


def now() -> float:
    """The number of checks so far, as a time."""
    return asyncio.get_running_loop().time() / _HEAD_SECONDS


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
                0.2 * _HEAD_SECONDS
            )  # a check takes place: a client that was just answered may send again
        writer.write(b"G")  # the beginning of a third request, whose rest never comes
        return [*told, (await reader.read(), now())]

    told = served(talk)
    assert [status for status, _ in told] == [b"204", b"204", b""]
    assert [time for _, time in told] == pytest.approx([4.9, 10, 11], abs=0.11)


def test_one_more_complete_request_than_places_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 3)

    async def talk(connect: Connect) -> list[bytes]:
        tasks = []
        for _ in range(4):
            tasks.append(asyncio.ensure_future(answer(await connect())))
            await asyncio.sleep(0.01)
        told = list(await asyncio.gather(*tasks))
        return [*told, await answer(await connect())]

    assert served(talk) == [b"204", b"204", b"204", b"", b"204"]


async def answer(wire: Wire, request: bytes = REQUEST) -> bytes:
    """The status of the response, or nothing."""
    try:
        wire[1].write(request)
        return (await wire[0].read(12))[9:]
    except ConnectionError:
        return b""


def is_closed(wire: Wire) -> bool:
    return wire[0].at_eof() or wire[0].exception() is not None


POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"


def test_connection_that_is_furthest_from_a_complete_request_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 4)

    async def talk(connect: Connect) -> list[list[bool]]:
        wires = []
        for said in (REQUEST, POST + b"{", b"GET / HT", b"", REQUEST):
            wires.append(await connect())
            wires[-1][1].write(said)
            await asyncio.sleep(0.01)
        ended = [list(map(is_closed, wires))]
        for _ in range(3):
            wires.append(await connect())
            wires[-1][1].write(REQUEST)
            await asyncio.sleep(0.01)
            ended.append(list(map(is_closed, wires)))
        return ended

    assert served(talk) == [
        [False, False, True, False, False],  # the beginning of a head, which is older than the one without
        [False, False, True, True, False, False],
        [False, True, True, True, False, False, False],
        [False, True, True, True, False, False, False, True],  # all others are complete
    ]


def test_crowd_that_sends_nothing_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 20)

    async def talk(connect: Connect) -> list[bytes]:
        for _ in range(100):
            await connect()
        return [await answer(await connect()) for _ in range(3)]

    assert served(talk) == [b"204"] * 3


def test_body_that_never_comes_is_given_up() -> None:
    async def talk(connect: Connect) -> tuple[bytes, float]:
        reader, writer = await connect()
        writer.write(POST + b"{")
        return await reader.read(), asyncio.get_running_loop().time()

    told, seconds = served(talk, reading)
    assert told == b""
    assert seconds == pytest.approx(_BODY_SECONDS, abs=1.1)


@pytest.mark.parametrize(("rate", "arrives"), [(_BODY_RATE // 4, False), (2 * _BODY_RATE, True)])
def test_body_that_comes_steadily_has_time(rate: int, arrives: bool) -> None:
    length = 80 * rate

    async def talk(connect: Connect) -> bytes:
        reader, writer = await connect()
        told = asyncio.ensure_future(reader.read(12))
        writer.write(POST.replace(b"1000000", b"%d" % length))
        for _ in range(80):
            writer.write(b" " * rate)
            await asyncio.sleep(1)
        try:
            return (await told)[9:]
        except ConnectionError:
            return b""

    assert served(talk, reading) == (b"204" if arrives else b"")


def test_response_that_nobody_reads_is_given_up() -> None:
    async def talk(connect: Connect) -> tuple[bool, float]:
        reader, writer = await connect()
        reader._limit = 1  # type: ignore[attr-defined] -- the client takes nothing more than that
        writer.write(REQUEST)
        loop = asyncio.get_running_loop()
        while CONNECTED:
            await asyncio.sleep(1)
        return reader.at_eof(), loop.time()

    ended, seconds = served(talk, long_response)
    assert not ended
    assert _READ_SECONDS <= seconds <= _READ_SECONDS + 3


def test_response_that_is_read_slowly_but_steadily_arrives() -> None:
    async def talk(connect: Connect) -> int:
        reader, writer = await connect()
        writer.write(REQUEST)
        await reader.readuntil(b"\r\n\r\n")
        taken = 0
        while taken < LONG:
            part = await reader.read(2 * _READ_BYTES)
            taken += len(part)
            if not part:
                break
            await asyncio.sleep(10 * len(part) / _READ_BYTES)
        return taken

    assert served(talk, long_response) == LONG


def test_stream_of_events_stays_open_for_long_but_not_for_ever() -> None:
    async def talk(connect: Connect) -> float:
        reader, writer = await connect()
        writer.write(REQUEST)
        while await reader.read(1000):
            pass
        return asyncio.get_running_loop().time()

    assert served(talk, events) == pytest.approx(_STREAM_SECONDS, abs=2)


def test_what_is_no_request_is_refused_with_the_usual_headers() -> None:
    async def talk(connect: Connect) -> bytes:
        reader, writer = await connect()
        writer.write(b"nonsense\r\n\r\n")
        return await reader.read()

    told = served(talk)
    assert told.startswith(b"HTTP/1.1 400 ")
    assert b"cache-control: no-store" in told.lower()
    assert b"x-content-type-options: nosniff" in told.lower()


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


async def streaming(scope: Any, receive: Any, send: Any) -> None:
    """An application whose stream ends after a while, however long a body it is sent."""

    async def words() -> AsyncIterator[str]:
        yield "begun, "
        await asyncio.sleep(_HEAD_SECONDS)
        yield "ended"

    await StreamingResponse(words())(scope, receive, send)


def test_stream_is_sent_in_full_to_a_client_that_sends_a_long_body(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    app.mount("/", streaming)
    add_handlers(app)
    add_middleware(app, tick=1.0)

    async def talk(connect: Connect) -> bytes:
        reader, writer = await connect()
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (2 * MAX_BODY_BYTES))
        writer.write(b"x" * 2 * MAX_BODY_BYTES)
        await writer.drain()
        return await reader.readuntil(b"0\r\n\r\n")

    told = served(talk, app)
    assert told.startswith(b"HTTP/1.1 200 ")
    assert told.endswith(b"\r\nbegun, \r\n5\r\nended\r\n0\r\n\r\n")
    assert caplog.records == []
