"""Over TCP: crowds that send or read nothing keep nobody out, and are not waited for when the service stops."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn

from eremite.service import server
from eremite.service.middleware import ErrorBoundary
from eremite.service.server import _Server, open_socket

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]
LONG = 32 * 2**20


class App:
    """Waits as the path says; `stopping` is set by the hook."""

    def __init__(self) -> None:
        self.stopping = asyncio.Event()
        self.ended: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"]
        try:
            await getattr(self, path.strip("/"))(receive, send)
        finally:
            self.ended.append(path)

    async def poll(self, receive: Any, send: Any) -> None:
        await self.stopping.wait()
        await send({"type": "http.response.start", "status": 503, "headers": []})
        await send({"type": "http.response.body", "body": b"stopping"})

    async def stuck(self, receive: Any, send: Any) -> None:
        await asyncio.sleep(3600)

    async def events(self, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b":\n\n", "more_body": True})
            await asyncio.sleep(0.05)

    async def answer(self, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def body(self, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass

    async def long(self, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % LONG)]})
        await send({"type": "http.response.body", "body": b"x" * LONG})


def stopped(talk: Callable[[Callable[[str], Awaitable[Wire]], Callable[[], None]], Awaitable[Any]]) -> Any:
    """The result of `talk`, which can send requests and stop the service; and how long the service took to stop."""

    async def main() -> tuple[Any, float, App]:
        app = App()
        config = uvicorn.Config(ErrorBoundary(app), http=server.Connection, lifespan="off", log_config=None, ws="none")
        running = _Server(config, None, app.stopping.set)
        listener = open_socket("127.0.0.1", 0)
        serving = asyncio.ensure_future(running.serve(sockets=[listener]))
        stop_at = 0.0
        writers: list[asyncio.StreamWriter] = []

        async def ask(path: str, more: str = "") -> Wire:
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writers.append(writer)
            if path:
                writer.write(f"POST {path} HTTP/1.1\r\nHost: x\r\n{more or 'Content-Length: 0'}\r\n\r\n".encode())
            await asyncio.sleep(0.05)
            return reader, writer

        def stop() -> None:
            nonlocal stop_at
            stop_at, running.should_exit = time.monotonic(), True

        while not running.started:
            await asyncio.sleep(0.01)
        told = await talk(ask, stop)
        await asyncio.wait_for(serving, 10)
        seconds = time.monotonic() - stop_at
        for writer in writers:
            writer.transport.abort()
        return told, seconds, app

    return asyncio.run(main())


async def read(wire: Wire) -> bytes:
    try:
        told = await wire[0].read()
    except ConnectionError:
        told = b"reset"
    return told


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_STOP_SECONDS", 0.3)


def test_long_poll_is_answered_and_idle_connections_are_not_waited_for() -> None:
    async def talk(ask: Any, stop: Any) -> list[bytes]:
        wires = [await ask("/poll"), await ask(""), await ask("/body", "Content-Length: 10")]
        stop()
        return [await read(wire) for wire in wires]

    (poll, idle, body), seconds, _ = stopped(talk)
    assert poll.startswith(b"HTTP/1.1 503 ")
    assert b"stopping" in poll
    assert (idle, body) == (b"", b"")
    assert seconds < 5


def test_what_the_hook_does_not_end_is_ended_soon() -> None:
    async def talk(ask: Any, stop: Any) -> list[bytes]:
        wires = [await ask("/stuck"), await ask("/events")]
        stop()
        return [await read(wire) for wire in wires]

    (stuck, events), seconds, app = stopped(talk)
    assert stuck.startswith(b"HTTP/1.1 503 ")
    assert b"The service stops. Ask again later" in stuck
    assert events.startswith(b"HTTP/1.1 200 ")
    assert sorted(app.ended) == ["/events", "/stuck"]
    assert seconds < 5


def test_response_that_is_being_read_is_sent_in_full() -> None:
    async def talk(ask: Any, stop: Any) -> int:
        wire = await ask("/long")
        stop()
        return len(await read(wire))

    length, _, _ = stopped(talk)
    assert length > LONG


def test_response_that_nobody_reads_is_not_waited_for() -> None:
    async def talk(ask: Any, stop: Any) -> None:
        await ask("/long")
        stop()

    _, seconds, _ = stopped(talk)
    assert seconds < 5


def test_crowd_that_sends_no_body_or_reads_nothing_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 12)

    async def talk(ask: Any, stop: Any) -> list[bytes]:
        crowd = [("", ""), ("/body", "Content-Length: 10"), ("/long", ""), ("/events", "")] * 5
        await asyncio.gather(*(ask(*each) for each in crowd))
        told = [await (await ask("/answer"))[0].read(12) for _ in range(10)]
        stop()
        return told

    told, _, _ = stopped(talk)
    assert told == [b"HTTP/1.1 204"] * 10


def test_connections_that_are_late_leave_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_HEAD_SECONDS", "_BODY_SECONDS", "_READ_SECONDS"):
        monkeypatch.setattr(server, name, 0.2)
    monkeypatch.setattr(server, "_CHECK_SECONDS", 0.05)

    async def talk(ask: Any, stop: Any) -> list[bytes]:
        late = [await ask(""), await ask("/body", "Content-Length: 10")]
        told = [await asyncio.wait_for(read(wire), 5) for wire in late]
        stop()
        return told

    told, _, app = stopped(talk)
    assert told == [b"", b""]
    assert app.ended == ["/body"]
