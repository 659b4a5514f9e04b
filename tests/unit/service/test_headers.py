"""Every response forbids to store, embed or reinterpret it; HEAD is GET without a body."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse, Response, StreamingResponse

from eremite.service.headers import SECURITY_HEADERS, HeadAsGet, SecurityHeaders

app = FastAPI()
app.add_middleware(SecurityHeaders)
app.add_middleware(HeadAsGet)
METHODS: list[str] = []


@app.get("/answer")
async def answer() -> Response:
    METHODS.append("GET")
    return JSONResponse({"value": 7})


@app.get("/page")
async def page() -> Response:
    return Response("page", headers={"Content-Security-Policy": "default-src 'self'"})


@app.get("/refused")
async def refused() -> Response:
    raise HTTPException(409, "No.")


@app.post("/question")
async def question() -> Response:
    METHODS.append("POST")
    return JSONResponse({})


@app.get("/events")
async def events() -> Response:
    async def forever() -> AsyncIterator[bytes]:
        while True:
            yield b"data: 1\n\n"
            await asyncio.sleep(0)

    return StreamingResponse(forever(), media_type="text/event-stream")


def sent(method: str, path: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as client:
            return await asyncio.wait_for(client.request(method, path), 10)

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/answer", 200), ("GET", "/refused", 409), ("GET", "/nowhere", 404), ("HEAD", "/question", 405)],
)
def test_every_response_has_the_headers(method: str, path: str, status: int) -> None:
    response = sent(method, path)
    assert response.status_code == status
    for name, value in SECURITY_HEADERS:
        assert response.headers.get_list(name.decode()) == [value.decode()]
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["content-security-policy"].startswith("default-src 'none'")


def test_page_keeps_the_policy_it_sets() -> None:
    response = sent("GET", "/page")
    assert response.headers.get_list("content-security-policy") == ["default-src 'self'"]
    assert response.headers["referrer-policy"] == "no-referrer"


def test_head_has_the_headers_of_get_and_no_body() -> None:
    get, head = sent("GET", "/answer"), sent("HEAD", "/answer")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers == get.headers
    assert head.headers["content-length"] == str(len(get.content))


def test_head_asks_no_question() -> None:
    METHODS.clear()
    assert sent("HEAD", "/question").status_code == 405
    assert METHODS == []


def test_head_of_a_stream_ends() -> None:
    messages: list[Any] = []

    async def ask() -> None:
        complete = asyncio.Event()

        async def receive() -> Any:  # as uvicorn does
            await complete.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            messages.append(message)
            if not message.get("more_body", True):
                complete.set()

        scope = {"type": "http", "method": "HEAD", "path": "/events", "headers": [], "query_string": b""}
        await asyncio.wait_for(app(scope | {"asgi": {"spec_version": "2.3"}}, receive, send), 10)

    asyncio.run(ask())
    assert [message["type"] for message in messages] == ["http.response.start", "http.response.body"]
