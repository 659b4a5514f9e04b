"""Headers of every response, and HEAD requests.

Responses hold releases and budgets, so nobody may store them, embed them or guess their type. A response that sets one
of these headers itself keeps its own value, as pages do with their content policy.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)


def with_security_headers(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers, and those of the list that they do not have."""
    given = {name.lower() for name, _ in headers}
    return [*headers, *(header for header in SECURITY_HEADERS if header[0] not in given)]


class SecurityHeaders:
    """Adds the security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": with_security_headers(list(message.get("headers", ())))}
            await send(message)

        await self._app(scope, receive, send_with_headers)


class HeadAsGet:
    """Answers HEAD as it answers GET, without the body. A stream of events ends right after its headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        complete = False

        async def send_head(message: Message) -> None:
            nonlocal complete
            if message["type"] == "http.response.start":
                await send(message)
            elif not complete:
                complete = True
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        async def receive_until_complete() -> Message:
            return {"type": "http.disconnect"} if complete else await receive()

        await self._app({**scope, "method": "GET"}, receive_until_complete, send_head)
