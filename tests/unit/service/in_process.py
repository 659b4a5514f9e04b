"""A service in this process with a small table, a ledger in memory, and a client."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from fastapi import FastAPI

from eremite import Session, Table
from eremite.ledger import Ledger, MemoryStore
from eremite.service.application import application
from eremite.service.desk import Desk
from eremite.service.identity import grant_now
from eremite.service.jobs import JobFile
from eremite.service.lanes import Lane
from eremite.service.ledger_reads import LedgerReads
from eremite.service.rates import Rate, Rates
from eremite.service.state import Dataset, ServiceState
from eremite.service.tokens import Grant, change_grants, hash_of
from eremite.service.work import Work
from eremite.service.worker import Message
from eremite.service.worker_process import do
from eremite.table import Facts

ROWS, COLUMNS = 40, ("bmi", "pulse")
DEFINITION = {"min_neighbors": 3, "radius": 0.05}
ASKED = {"definition": DEFINITION, "epsilon": 0.1}
SEARCH = {"definition": DEFINITION, "h": 1, "size": 1}
#: A valid question for each route that takes one.
NEAR: dict[str, Any] = {"definition": DEFINITION, "h": 1}
GOOD: dict[str, dict[str, Any]] = {
    "count": ASKED,
    "count-by": ASKED | {"by": "ward"},
    "subspaces": ASKED | SEARCH,
    "report": ASKED | SEARCH,
    "detect": ASKED | {"h": 1, "candidates": [[0.5, 0.5]]},
    "explain": ASKED | {"h": 1, "max_size": 2, "point": [0.5, 0.5]},
    "radius": {"min_neighbors": 3, "share": 0.1, "epsilon": "1/10"},
    "rows": {"epsilon": 0.1},
    "forecast/count": {"definition": DEFINITION},
    "forecast/count-by": {"definition": DEFINITION, "by": ["ward"]},
    "forecast/count/epsilon": {"definition": DEFINITION, "within": 20},
    "forecast/radius": {"min_neighbors": 3, "share": 0.1},
    "forecast/rows": {},
    "forecast/count/mechanisms": {"definition": DEFINITION},
    "forecast/subspaces": SEARCH,
    "forecast/subspaces/epsilon": SEARCH,
    "forecast/report": SEARCH,
    "forecast/report/epsilon": SEARCH,
    "forecast/detect": NEAR | {"candidates": [[0.5, 0.5]]},
    "forecast/detect/epsilon": NEAR | {"candidates": [[0.5, 0.5]]},
    "forecast/explain": NEAR | {"max_size": 2, "point": [0.5, 0.5]},
    "forecast/explain/epsilon": NEAR | {"max_size": 2, "point": [0.5, 0.5]},
}


@dataclass(frozen=True)
class Service:
    """The application, its state and its ledger."""

    app: FastAPI
    state: ServiceState
    ledger: Ledger

    def events(self) -> list[str]:
        """The types of all events in the ledger."""
        return [type(entry.event).__name__ for entry in self.ledger.history("patients")]

    def ask(self, *requests: tuple[str, str, Any]) -> list[httpx.Response]:
        """Send all requests at once, in a new event loop."""
        return asyncio.run(self.asked(requests))

    async def asked(self, requests: Sequence[tuple[str, str, Any]]) -> list[httpx.Response]:
        async with self.client() as client:
            return await asyncio.gather(
                *(client.request(how, waiting(how, path), content=body) for how, path, body in requests)
            )

    def client(self, token: str = "secret") -> httpx.AsyncClient:  # noqa: S107
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://service", headers=headers)


def waiting(how: str, path: str) -> str:
    """The address that waits for the answer to a question."""
    return f"{path}?wait=60" if how == "POST" and "?" not in path else path


class InThread:
    """A worker without a process of its own."""

    def __init__(self, sessions: Mapping[str, Session]) -> None:
        self._facts = {name: session.facts for name, session in sessions.items()}
        self._work = Work(sessions, sessions)

    def start(self) -> Mapping[str, Facts]:
        return self._facts

    def call(self, message: Message) -> Any:
        return do(self._work, message)

    def kill(self) -> None:
        pass

    def close(self) -> None:
        pass


class LoopLane(Lane):
    """A lane whose threads are those of the event loop, which waits for them at its end.

    A question that nobody waits for would otherwise be computed on during the next tests, and both its compiler and
    FastAPI change the filters for warnings, which all threads share.
    """

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.to_thread(work)


def state_of(
    sessions: Mapping[str, tuple[Session, Ledger]], tokens: Path, *, tick: float = 0.001, **more: Any
) -> ServiceState:
    """A service on sessions, whose jobs are kept in memory."""
    reads = more.pop("ledger_reads", None) or LedgerReads()
    lane = LoopLane(InThread({name: session for name, (session, _) in sessions.items()}), tick=tick)
    datasets = {name: Dataset.of(name, session.facts, ledger) for name, (session, ledger) in sessions.items()}
    desk = Desk(
        datasets=datasets,
        lanes=dict.fromkeys(sessions, lane),
        forecast_lane=lane,
        jobs=JobFile(None),
        ledger_reads=reads,
        granted=partial(grant_now, tokens),
        **more,
    )
    unbounded = Rates(*[Rate(0, 1)] * 3)
    return ServiceState(datasets=datasets, token_file=tokens, tick=tick, desk=desk, ledger_reads=reads, rates=unbounded)


def service(folder: Path, table: Table | None = None, epsilon: int = 2, **more: Any) -> Service:
    """A service with one dataset, and a custodian whose token is "secret"."""
    rows = np.random.default_rng(1).random((ROWS, len(COLUMNS)))
    ledger = Ledger(MemoryStore())
    table = Table.from_frame(rows, dict.fromkeys(COLUMNS, (0, 1))) if table is None else table
    session = Session(table, epsilon=epsilon, ledger=ledger, dataset="patients")
    change_grants(folder / "tokens.json", lambda _: (grant("secret"),))
    held = state_of({"patients": (session, ledger)}, folder / "tokens.json", **more)
    return Service(application(held), held, ledger)


def grant(token: str) -> Grant:
    return Grant(name=token, account="research", datasets=("patients",), custodian=True, hash=hash_of(token))


def until(happened: Callable[[], bool]) -> None:
    """Wait until it happened. The deadline is only for what hangs, however busy the machine."""
    deadline = time.monotonic() + 600
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)
