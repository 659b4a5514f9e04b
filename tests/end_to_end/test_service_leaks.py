"""Over HTTP only the value of a release depends on the rows; unexpected errors show nothing.

Two tables with as many rows are asked the same questions, whose values are the same for every table, with a clock that
stands still. Whatever comes back, and whatever is logged or printed, must be the same to the byte.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from eremite.ledger import Account, Stored
from eremite.ledger import ledger as ledger_module
from eremite.queries.detection import DetectionPlan
from eremite.service import audit
from eremite.service.application import application
from eremite.service.ledger_reads import LedgerReads
from eremite.service.opening import open_ledgers, open_session
from eremite.service.tokens import Grant, change_grants, hash_of
from eremite.service.work import INTERNAL
from tests import clockwork
from tests.end_to_end.patients import BOUNDS, description, write_csv
from tests.unit.service.in_process import state_of, waiting

ASK = {"definition": {"min_neighbors": 3, "radius": 0.05}, "epsilon": 0.1, "h": 1}
ALWAYS_THE_SAME: list[tuple[str, dict[str, Any]]] = [  # there is only one candidate
    ("subspaces", ASK | {"size": 2, "request_id": "one"}),
    ("subspaces", ASK | {"size": 2, "request_id": "one"}),
    ("detect", ASK | {"candidates": [[25, 75]], "request_id": "two"}),
]
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("count", {}),
    ("count", {"definition": ASK["definition"], "epsilon": 5, "request_id": "three"}),
    ("count", {"definition": {"min_neighbors": 40, "radius": 0.05}, "epsilon": 1}),
    ("subspaces", ASK | {"size": 3}),
    ("detect", ASK | {"candidates": [[25]]}),
    ("detect", ASK | {"candidates": None, "h": 41}),
    ("radius", {"min_neighbors": 3, "share": 2, "epsilon": 0.1}),
    ("forecast/count", {"definition": ASK["definition"], "epsilon": [0]}),
]
FREE: list[tuple[str, dict[str, Any]]] = [
    ("forecast/count", {"definition": ASK["definition"]}),
    ("forecast/count/epsilon", {"definition": ASK["definition"], "within": 20}),
    ("forecast/count/mechanisms", {"definition": ASK["definition"]}),
]
LOOKS = ["", "/budget", "/budgets", "/releases", "/history", "/nothing"]
JOBS = ["", "/job-0", "/job-0/events", "/job-2", "/nothing"]


def rows(which: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Forty rows: all equal, or all far apart."""
    alone = np.linspace([10, 30], [60, 200], 40)
    return np.full((40, 2), [25.0, 75.0]) if which == "alike" else alone


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], FastAPI]:
    """The service on a table, with a ledger of its own."""

    class Clock:
        @staticmethod
        def now(zone: object = UTC) -> datetime:
            return datetime(2026, 1, 1, tzinfo=UTC)

    for module in (ledger_module, audit):
        monkeypatch.setattr(module, "datetime", Clock)

    def serve(which: str) -> FastAPI:
        for file in tmp_path.iterdir():
            file.unlink()
        write_csv(tmp_path / "patients.csv", BOUNDS, rows(which))
        (tmp_path / "patients.toml").write_text(description())
        grant = Grant(
            name="a", account="a", datasets=("patients",), custodian=True, expires=date.max, hash=hash_of("secret")
        )
        change_grants(tmp_path / "tokens.json", lambda _: (grant,))
        [(name, (path, ledger))] = open_ledgers([tmp_path / "patients.toml"], None, "quietly").items()
        sessions, ids = {name: (open_session(path, None)[1], ledger)}, (f"job-{number}" for number in count())
        tokens = tmp_path / "tokens.json"
        return application(state_of(sessions, tokens, tick=0.02, clock=Clock.now, new_id=lambda: next(ids)))

    return serve


async def answers(app: FastAPI, requests: list[tuple[str, str, Any]]) -> list[httpx.Response]:
    """One after the other."""
    headers = {"Authorization": "Bearer secret"}
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://service", headers=headers) as client:
        base = "/v1/datasets/patients"
        return [await client.request(how, waiting(how, f"{base}{path}"), json=body) for how, path, body in requests]


def asked(app: FastAPI, requests: list[tuple[str, str, Any]]) -> list[httpx.Response]:
    return asyncio.run(answers(app, requests))


def posts(questions: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, str, Any]]:
    return [("POST", f"/{path}", body) for path, body in questions]


@pytest.fixture
def seen(
    served: Callable[[str], FastAPI], capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> Callable[[str], list[str]]:
    """What comes back from the service on a table, and what is logged and printed meanwhile."""

    for which in ("alike", "alone"):  # compile the kernels now, because compiling is logged
        asked(served(which), posts(ALWAYS_THE_SAME + FREE))

    def look(which: str) -> list[str]:
        app = served(which)
        caplog.clear()
        capfd.readouterr()
        with caplog.at_level(logging.DEBUG):
            looks = [("GET", path, None) for path in LOOKS] + [("GET", f"/../../jobs{path}", None) for path in JOBS]
            told = asked(app, posts(ALWAYS_THE_SAME + REFUSED + FREE) + looks)
        logged = [f"{record.levelname} {record.name} {record.getMessage()}" for record in caplog.records]
        shown = [f"{answer.status_code} {answer.headers!r} {answer.text}" for answer in told]
        return shown + logged + list(capfd.readouterr())

    return look


def test_asker_sees_the_values_and_nothing_else(seen: Callable[[str], list[str]]) -> None:
    alike = seen("alike")
    assert alike == seen("alone")
    statuses = [line.split()[0] for line in alike[:20]]
    assert statuses == ["200"] * 3 + ["422", "409"] + ["422"] * 6 + ["200"] * 3 + ["200"] * 5 + ["404"]


def test_asker_tells_a_leaking_mutant(seen: Callable[[str], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    compute = DetectionPlan.compute

    def leaking(plan: Any, table: Any, *more: Any) -> Any:
        logging.getLogger("eremite").debug("mean %s", table.points().mean())
        return compute(plan, table, *more)

    monkeypatch.setattr(DetectionPlan, "compute", leaking)
    assert seen("alike") != seen("alone")


def test_unforeseen_error_is_a_fixed_sentence_and_stays_charged(
    served: Callable[[str], FastAPI],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def failing(plan: Any, table: Any, *more: Any) -> Any:
        raise ArithmeticError(f"row 7 is {table.points()[7]}")

    monkeypatch.setattr(DetectionPlan, "compute", failing)
    app = served("alone")
    with caplog.at_level(logging.DEBUG):
        failed, budget = asked(app, [*posts(ALWAYS_THE_SAME[2:]), ("GET", "/budget", None)])
    assert (failed.status_code, failed.json()) == (500, {"error": INTERNAL})
    assert budget.json()["remaining"]["epsilon"] == 1.9
    told = caplog.text + "".join(capfd.readouterr())
    assert "ArithmeticError" in told
    assert "row 7" not in told
    assert "Traceback" not in told


def test_release_is_seen_when_its_turn_ends_and_not_before(served: Callable[[str], FastAPI]) -> None:
    """Otherwise releases, jobs and retries would show when the computation ended."""
    app = served("alike")
    state = app.state.service
    state.desk._lanes["patients"]._tick = 1.0
    account = Account("patients", "a")

    async def run() -> list[list[str]]:
        transport, headers = httpx.ASGITransport(app), {"Authorization": "Bearer secret"}
        async with httpx.AsyncClient(transport=transport, base_url="http://service/v1", headers=headers) as client:

            async def look() -> list[str]:
                releases = (await client.get("/datasets/patients/releases")).json()["releases"]
                again = await client.post("/datasets/patients/detect", json=ALWAYS_THE_SAME[2][1])
                [job] = (await client.get("/jobs")).json()["jobs"][-1:]
                return [*(release["request_id"] for release in releases), str(again.status_code), job["state"]]

            question = await client.post("/datasets/patients/detect", json=ALWAYS_THE_SAME[2][1])
            while not isinstance(state.datasets["patients"].ledger.became_of(account, "two"), Stored):
                await asyncio.sleep(0.01)
            seen = [await look()]
            await client.get(f"/jobs/{question.json()['id']}?wait=60")
            return [*seen, await look()]

    assert asyncio.run(run()) == [["202", "running"], ["two", "200", "done"]]


@pytest.mark.parametrize("path", ["", "/budget", "/nothing", "/count/"])
def test_all_else_comes_at_whole_tenths_of_a_tick(served: Callable[[str], FastAPI], path: str) -> None:
    app = served("alike")
    app = application(replace(app.state.service, tick=5, ledger_reads=LedgerReads(timeout=None)))  # it is never late

    async def run() -> float:
        await answers(app, [("GET", path, None)])
        return asyncio.get_running_loop().time()

    assert clockwork.run(run()) == pytest.approx(0.5)


def test_lost_ledger_and_lost_tokens_are_told_without_their_places(
    served: Callable[[str], FastAPI], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = served("alike")
    for file in tmp_path.glob("patients.db*"):
        file.unlink()
    [ledger] = asked(app, posts(ALWAYS_THE_SAME[:1]))
    assert (ledger.status_code, ledger.json()["error"].split(";")[0]) == (503, "The ledger is out of reach")
    (tmp_path / "tokens.json").unlink()
    [tokens] = asked(app, [("GET", "", None)])
    assert (tokens.status_code, tokens.json()) == (503, {"error": "The tokens cannot be read; tell the custodian."})
    assert str(tmp_path) not in ledger.text + tokens.text
    assert caplog.text.count(str(tmp_path)) == 2  # the custodian reads where
