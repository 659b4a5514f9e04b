"""A service that answers by a script, without a network; time goes by only where the client sleeps."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from eremite import OutlierDefinition, RemoteSession
from eremite.client.asking import Asking
from eremite.client.wire import Wire

TOKEN = "a-secret-token"  # noqa: S105 -- no service takes it
NEAR = OutlierDefinition(min_neighbors=3, radius=0.05)
COUNT = {
    "value": 12,
    "query": "count_outliers",
    "columns": ["age"],
    "definition": {"min_neighbors": 3, "radius": 0.05},
    "epsilon": 0.1,
    "delta": 0,
    "mechanism": "smooth-laplace",
    "neighbors": "replace",
    "rows_per_person": 1,
    "parameters": {},
    "request_id": "march",
    "time": "2026-11-18T00:00:00+00:00",
    "version": "0.1.0",
}

Step = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


def job(state: str, **more: Any) -> dict[str, Any]:
    named = {"id": "j1", "dataset": "patients", "question": "count", "request_id": "march"}
    return named | {"state": state, "asked_at": "2026-11-18T00:00:00+00:00"} | more


def said(status: int, content: Any, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=content, headers=headers)


@dataclass
class Scripted:
    """Gives its steps one after the other, and keeps the requests and the pauses."""

    steps: list[Step]
    requests: list[httpx.Request] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    now: float = 0.0

    def session(self, *, retry_for: float = 60, wait_for: float | None = None) -> RemoteSession:
        http = httpx.Client(
            transport=httpx.MockTransport(self._handle),
            base_url="https://eremite.test",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )
        wire = Wire(http, "https://eremite.test", retry_for=retry_for, clock=lambda: self.now, sleep=self._sleep)
        return RemoteSession(Asking(wire, "patients", wait_for=wait_for, progress=self.states.append))

    def sent(self, place: int = 0) -> Any:
        return json.loads(self.requests[place].content)

    def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, httpx.Response) else step(request)
