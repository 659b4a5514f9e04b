"""All middleware together: every response has its headers, its line in the audit and its step of time."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from eremite.service.audit import open_audit
from eremite.service.errors import add_handlers
from eremite.service.limits import MAX_BODY_BYTES
from eremite.service.middleware import add_middleware
from tests import clockwork

app = FastAPI()
add_handlers(app)
add_middleware(app, tick=1.0)


@app.get("/answer")
async def answer() -> Response:
    await asyncio.sleep(0.25)
    return JSONResponse({"value": 7})


@app.post("/body")
async def body(request: Request) -> Response:
    return JSONResponse({"length": len(await request.body())})


@app.get("/broken")
async def broken() -> Response:
    raise RuntimeError("a row")


@app.get("/stream")
async def stream() -> Response:
    async def words() -> AsyncIterator[str]:
        yield "begun, "
        await asyncio.sleep(0.3)
        yield "ended"

    return StreamingResponse(words())


def sent(method: str, path: str, **more: Any) -> tuple[httpx.Response, float]:
    async def ask() -> tuple[httpx.Response, float]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as client:
            response = await client.request(method, path, **more)
            return response, asyncio.get_running_loop().time()

    return clockwork.run(ask())


@pytest.mark.parametrize(
    ("method", "path", "more", "status", "seconds", "route"),
    [
        ("GET", "/answer", {}, 200, 0.3, "/answer"),
        ("HEAD", "/answer", {}, 200, 0.3, "/answer"),
        ("POST", "/body", {"content": b"x" * MAX_BODY_BYTES}, 200, 0.1, "/body"),
        ("POST", "/body", {"content": b"x" * (MAX_BODY_BYTES + 1)}, 413, 0.1, "/body"),
        ("GET", "/broken", {}, 500, 0.1, "/broken"),
        ("DELETE", "/answer", {}, 405, 0.1, "/answer"),
        ("GET", "/nowhere", {}, 404, 0.1, "-"),
    ],
)
def test_every_response_has_headers_a_line_and_a_whole_step(
    tmp_path: Path, method: str, path: str, more: dict[str, Any], status: int, seconds: float, route: str
) -> None:
    with open_audit(tmp_path / "audit.jsonl"):
        response, took = sent(method, path, **more)
    assert (response.status_code, took) == (status, pytest.approx(seconds))
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"
    [line] = map(json.loads, (tmp_path / "audit.jsonl").read_text().splitlines())
    assert (line["route"], line["status"]) == (route, status)
    assert (response.content == b"") == (method == "HEAD")


@pytest.mark.parametrize("arrives", [0.05, 0.25, 0.4], ids=["before its step", "in its middle", "as it ends"])
def test_stream_goes_on_whatever_body_arrives(arrives: float, caplog: pytest.LogCaptureFixture) -> None:
    async def late() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.sleep(arrives)
        yield b"x" * MAX_BODY_BYTES

    response, took = sent("GET", "/stream", content=late())
    assert (response.status_code, response.text, took) == (200, "begun, ended", pytest.approx(0.4))
    assert caplog.records == []
