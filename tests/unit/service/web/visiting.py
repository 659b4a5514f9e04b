"""A service in this process with names that are meant to break pages, and a visitor who keeps cookies."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path
from typing import Any, TypeVar

import httpx
import numpy as np

from eremite import Session, Table
from eremite.ledger import Ledger, MemoryStore
from eremite.service.application import application
from eremite.service.oidc import Oidc
from eremite.service.tokens import Grant, change_grants, hash_of
from tests.unit.service.in_process import Service, state_of

T = TypeVar("T")

COLUMN, WARD = "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'
ODD = "a<b>&'c\" 100%?#"  # a dataset
COUNT = {"k": "3", "r": "0.05", "columns": ["bmi", COLUMN], "epsilon": "0.1", "nonce": "1"}
#: A form for each question.
FORMS: dict[str, dict[str, Any]] = {
    "count": COUNT,
    "count-by": COUNT | {"by": "ward"},
    "subspaces": COUNT | {"family": "size", "size": "1", "h": "1"},
    "report": COUNT | {"family": "max_size", "size": "2", "h": "1"},
    "detect": COUNT | {"h": "1", "candidates": "0.5,0.5\n0.9,0.9"},
    "explain": COUNT | {"h": "1", "max_size": "2", "point": "0.5\t0.5"},
    "radius": COUNT | {"share": "0.1"},
    "rows": {"epsilon": "0.1", "nonce": "1"},
}


def rows() -> dict[str, Any]:
    """A small table."""
    rng = np.random.default_rng(1)
    return {"bmi": rng.random(40), COLUMN: rng.random(40), "ward": [WARD, "south"] * 20}


def service(
    folder: Path, epsilon: int = 2, neighbors: Any = "replace", oidc: Oidc | None = None, table: Any = None
) -> Service:
    """Two datasets; alice asks about the first, boss is its custodian, and bob asks about the second."""
    more = {"neighbors": neighbors, "rows_about": 40} if neighbors == "add-remove" else {}
    private = Table.from_frame(
        rows() if table is None else table,
        {"bmi": (0, 1), COLUMN: (0, 1)},
        categories={"ward": (WARD, "south")},
        **more,
    )
    ledger, sessions = Ledger(MemoryStore()), {}
    for name in ("patients", ODD):
        sessions[name] = (Session(private, epsilon=epsilon, ledger=ledger, dataset=name), ledger)
    tokens = folder / "tokens.json"
    change_grants(tokens, lambda _: (grant("alice", "research"), grant("boss", "house", custodian=True)))
    change_grants(tokens, lambda kept: (*kept, grant("bob", "press", datasets=(ODD,))))
    state = replace(state_of(sessions, tokens), oidc=oidc)
    return Service(application(state), state, ledger)


def grant(token: str, account: str, datasets: Sequence[str] = ("patients",), custodian: bool = False) -> Grant:
    return Grant(name=token, account=account, datasets=tuple(datasets), custodian=custodian, hash=hash_of(token))


@dataclass
class Visit:
    """A browser without scripts."""

    client: httpx.AsyncClient
    csrf: str = field(default="", repr=False)

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return self._noted(await self.client.get(path, headers=headers))

    async def post(self, path: str, fields: dict[str, Any] | None = None, **headers: str) -> httpx.Response:
        """Send a form with the secret of the last page."""
        return self._noted(await self.client.post(path, data={"csrf": self.csrf} | (fields or {}), headers=headers))

    async def sign_in(self, token: str = "alice") -> httpx.Response:  # noqa: S107
        """Sign in as a browser does that has no cookies yet."""
        self.client.cookies.clear()
        await self.get("/sign-in")
        response = await self.post("/sign-in", {"token": token})
        if response.status_code == 303:
            await self.get("/")
        return response

    async def ask(self, path: str, fields: dict[str, Any]) -> httpx.Response:
        """Ask, and follow the job until it has ended."""
        return await self.follow(await self.post(path, fields))

    async def follow(self, response: httpx.Response) -> httpx.Response:
        if response.status_code != 303:
            return response
        where = response.headers["location"]
        while "http-equiv" in (page := await self.get(where)).text:
            await asyncio.sleep(0.005)
        return page

    def _noted(self, response: httpx.Response) -> httpx.Response:
        found = re.search('name="csrf" value="([^"]+)"', response.text)
        self.csrf = unescape(found[1]) if found else self.csrf
        return response


def visited(served: Service, visit: Callable[[Visit], Awaitable[T]], host: str = "localhost", root_path: str = "") -> T:
    """What a visit gives."""

    async def run() -> T:
        transport = httpx.ASGITransport(served.app, root_path=root_path)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            return await visit(Visit(client))

    return asyncio.run(run())
