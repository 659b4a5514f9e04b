"""A ledger that does not answer delays its readers up to a timeout, and nobody else."""

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from eremite.errors import LedgerError
from eremite.ledger import Ledger
from eremite.service import auth, routes
from eremite.service.ledger_reads import HEALTH_TIMEOUT, READ_TIMEOUT, LedgerReads
from tests import clockwork
from tests.unit.service.in_process import GOOD, Service, service, until

BOOKS = ["/v1/datasets/patients/budget", "/v1/datasets/patients/budgets", "/v1/datasets/patients/history"]
METHODS = ("ping", "remaining", "budgets", "history", "foresee", "reserve")


class Stuck:
    """A ledger that blocks its readers until it answers again."""

    def __init__(self) -> None:
        self._asked, self._answers_again = Event(), Event()

    def wait(self) -> None:
        self._asked.set()
        self._answers_again.wait()

    def answer_again(self) -> None:
        self._answers_again.set()

    async def asked(self) -> None:
        """Wait until a reader is blocked. The loop's own clock stands still meanwhile."""
        deadline = time.monotonic() + 600
        while not self._asked.is_set():
            assert time.monotonic() < deadline
            await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def no_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens are read in the loop, whose clock would jump while a thread reads them."""

    async def at_once(work: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        return work(*arguments, **more)

    for module in (auth, routes):
        monkeypatch.setattr(module, "run_in_threadpool", at_once)


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stuck]:
    """Every ledger is stuck."""
    state = Stuck()

    def waiting(answer: Callable[..., Any]) -> Callable[..., Any]:
        def answered(*asked: Any, **more: Any) -> Any:
            state.wait()
            return answer(*asked, **more)

        return answered

    for name in METHODS:
        monkeypatch.setattr(Ledger, name, waiting(getattr(Ledger, name)))
    yield state
    state.answer_again()


def timed(stuck: Stuck, asked: Callable[[], Coroutine[Any, Any, Any]]) -> tuple[Any, float]:
    """The result once the ledger is stuck, and the seconds it took on the loop's own clock."""

    async def run() -> tuple[Any, float]:
        asking = asyncio.create_task(asked())
        await stuck.asked()
        return await asyncio.wait_for(asking, 1000), asyncio.get_running_loop().time()

    return clockwork.run(run())


async def got(served: Service, path: str) -> httpx.Response:
    async with served.client() as client:
        return await client.get(path)


def readers() -> int:
    return sum(thread.name == "eremite-ledger-reads" for thread in threading.enumerate())


def test_health_is_ok_when_the_ledger_answers(tmp_path: Path) -> None:
    [answer] = service(tmp_path).ask(("GET", "/readyz", b""))
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")


def test_health_comes_in_time_though_the_ledger_does_not_answer(tmp_path: Path, stuck: Stuck) -> None:
    served, before = service(tmp_path), readers()
    answer, seconds = timed(stuck, lambda: got(served, "/readyz"))
    assert (answer.status_code, answer.json()["error"].split(";")[0]) == (503, "The ledger is out of reach")
    assert seconds == pytest.approx(HEALTH_TIMEOUT, abs=0.01)
    for _ in range(20):  # the service knows now that the ledger is stuck, and does not wait
        again, seconds = timed(stuck, lambda: got(served, "/readyz"))
        assert (again.status_code, again.text) == (503, answer.text)
        assert seconds < 0.01
    assert readers() == before + 1


def test_many_who_ask_for_health_at_once_take_one_thread(tmp_path: Path, stuck: Stuck) -> None:
    served, before = service(tmp_path), readers()

    async def crowd() -> set[int]:
        return {answer.status_code for answer in await asyncio.gather(*(got(served, "/readyz") for _ in range(150)))}

    assert timed(stuck, crowd) == ({503}, pytest.approx(HEALTH_TIMEOUT, abs=0.01))
    assert readers() == before + 1


def test_health_is_ok_again_when_the_ledger_answers_again(tmp_path: Path, stuck: Stuck) -> None:
    served = service(tmp_path)
    assert timed(stuck, lambda: got(served, "/readyz"))[0].status_code == 503
    stuck.answer_again()
    until(lambda: served.ask(("GET", "/readyz", b""))[0].status_code == 200)


def test_health_tells_of_a_lost_ledger_and_fills_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def lost(*_: Any) -> Any:
        raise LedgerError("postgresql://secret is out of reach.")

    served = service(tmp_path)
    monkeypatch.setattr(Ledger, "ping", lost)
    with caplog.at_level(logging.INFO, "eremite"):
        [answer] = served.ask(("GET", "/readyz", b""))
    assert (answer.status_code, "secret" in answer.text, caplog.text) == (503, False, "")


@pytest.mark.parametrize("path", BOOKS)
def test_books_give_up_in_time_and_say_so(
    tmp_path: Path, stuck: Stuck, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    served = service(tmp_path)
    answer, seconds = timed(stuck, lambda: got(served, path))
    assert (answer.status_code, answer.json()["error"].split(";")[0]) == (503, "The ledger is out of reach")
    assert seconds == pytest.approx(READ_TIMEOUT, abs=0.01)
    assert "The ledger did not answer in time" in caplog.text


def test_everybody_else_is_served_while_the_ledger_is_stuck(
    tmp_path: Path, stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are more readers than threads in the pool, and a question that is about to be charged."""
    served = service(tmp_path, ledger_reads=LedgerReads(timeout=None))
    monkeypatch.setattr(routes, "HEALTH_TIMEOUT", 0.01)

    async def run() -> list[httpx.Response]:
        async with served.client() as client:
            body = json.dumps(GOOD["detect"]).encode()
            question = asyncio.create_task(client.post("/v1/datasets/patients/detect?wait=60", content=body))
            read = [asyncio.create_task(client.get(path)) for path in BOOKS * 20]
            await stuck.asked()
            assert (await client.get("/v1/datasets")).status_code == 200
            assert (await client.get("/v1/datasets/patients")).status_code == 200
            assert (await client.get("/readyz")).status_code == 503
            assert (await client.post("/v1/datasets/patients/count", content=b"{")).status_code == 400
            assert not any(task.done() for task in (question, *read))
            stuck.answer_again()
            return await asyncio.gather(question, *read)

    assert {answer.status_code for answer in asyncio.run(run())} == {200}


def test_read_that_nobody_waits_for_any_more_is_not_begun(stuck: Stuck) -> None:
    reads, begun = LedgerReads(timeout=1), list[int]()

    async def run() -> None:
        first = asyncio.create_task(reads.read("patients", stuck.wait))
        await stuck.asked()
        second = asyncio.create_task(reads.read("patients", lambda: begun.append(2)))
        for task in (first, second):
            with pytest.raises(LedgerError):
                await task
        stuck.answer_again()

    clockwork.run(run())

    def is_answered() -> bool:
        with suppress(LedgerError):  # while the first read is overdue
            asyncio.run(reads.read("patients", lambda: begun.append(3)))
        return bool(begun)

    until(is_answered)
    assert begun == [3]


def test_ledger_of_one_dataset_does_not_hold_up_that_of_another(stuck: Stuck) -> None:
    reads = LedgerReads(timeout=None)

    async def run() -> str:
        first = asyncio.create_task(reads.read("patients", stuck.wait))
        other = await reads.read("wages", lambda: "answered")
        stuck.answer_again()
        await first
        return other

    assert asyncio.run(run()) == "answered"
