"""Processes are killed in the middle of questions: nothing is released that was not charged, and answers come again.

Real processes, on real ledgers. A computation is held up by a file, so that a test knows where it is.
"""

import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from eremite.ledger import Charged, Ledger, Released, open_ledger
from eremite.session import opened_ledger
from tests.contracts.ledger_server import running_server
from tests.end_to_end.served import COUNT, PATIENCE, Served, serving, wait_for, written

#: A count with the epsilon of `HELD` writes its process id to the file "begun" and waits while "hold on" is there.
HOLDING = """
import os, time
from fractions import Fraction
from pathlib import Path
from eremite.queries.count import CountPlan

computed = CountPlan.compute

def compute(plan, *given):
    if plan.cost.epsilon == Fraction(1, 5):
        Path("writing").write_text(str(os.getpid()))
        Path("writing").rename("begun")
        while Path("hold on").exists():
            time.sleep(0.01)
    return computed(plan, *given)

CountPlan.compute = compute
"""
HELD = COUNT | {"epsilon": "0.2", "request_id": "held"}
SMALL = COUNT | {"epsilon": "0.01"}
#: "Answers again within seconds", on a machine that does much else.
SECONDS = 60
LANES = ("--lanes", "3")  # one for each dataset, and one for forecasts
RESTARTED = "A worker ended in the middle of a question and is started again."


def asked(service: Served, question: object, who: str = "alice") -> Any:
    """The job of a question, which is not waited for."""
    answer = service.ask("/patients/count?wait=0", question, who)
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def ended(service: Served, job: str, who: str = "alice") -> Any:
    """A job that has ended."""
    while True:
        found = service.client.get(f"{service.address}/v1/jobs/{job}?wait=60", headers=service.sent(who)).json()
        if found["state"] not in ("queued", "running"):
            return found


def begun(folder: Path) -> int:
    """The process that computes the question which is held up."""
    wait_for((folder / "begun").exists)
    return int((folder / "begun").read_text())


def wait_for_more(seen: list[Any]) -> None:
    """Wait for some more answers than now."""
    before = len(seen)
    wait_for(lambda: len(seen) > before + 5)


@contextmanager
def serving_and_logging(words: str, *given: Any, **named: Any) -> Iterator[Served]:
    """A service that tells its custodian this."""
    complete = False
    try:
        with serving(*given, *LANES, **named) as service:
            yield service
            complete = True
    except AssertionError as error:
        if not complete or words not in str(error):
            raise
    else:
        pytest.fail(f"The log does not say: {words}")


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"


def events(ledger: Ledger) -> tuple[set[str], dict[str, Any]]:
    """The ids that were charged, and the releases by id, of a ledger that holds together."""
    assert ledger.verify().findings == ()
    found = [entry.event for entry in ledger.entries("patients")]
    charged = [event.request_id for event in found if isinstance(event, Charged)]
    assert len(charged) == len(set(charged))
    released = {event.request_id: json.loads(event.release) for event in found if isinstance(event, Released)}
    assert released.keys() <= set(charged)
    return set(charged), released


def test_killed_worker_loses_its_question_and_no_other(tmp_path: Path) -> None:
    tokens = written(tmp_path)
    (tmp_path / "hold on").touch()
    with serving_and_logging(RESTARTED, tmp_path, tokens, first=HOLDING) as service:
        held = asked(service, HELD)
        worker = begun(tmp_path)
        others = [
            asked(service, SMALL | {"request_id": f"{who}{i}"}, who) for i in range(3) for who in ("alice", "bob")
        ]
        assert service.ask("/wages/count", SMALL, "bob").status_code == 200  # another lane
        os.kill(worker, signal.SIGKILL)
        (tmp_path / "hold on").unlink()
        killed = time.monotonic()
        lost = ended(service, held)
        assert (lost["state"], lost["status"]) == ("lost", 500)
        assert "answer" not in lost
        states = {ended(service, job, who)["state"] for job, who in zip(others, ("alice", "bob") * 3, strict=True)}
        assert states == {"done"}
        assert time.monotonic() - killed < SECONDS
    charged, released = events(open_ledger(tmp_path / "patients.db"))
    assert charged - released.keys() == {"held"}


def test_killed_service_goes_on_with_what_waited_and_tells_what_was_lost(tmp_path: Path) -> None:
    tokens = written(tmp_path)
    (tmp_path / "hold on").touch()
    with serving(tmp_path, tokens, *LANES, first=HOLDING) as service:
        held = asked(service, HELD)
        worker = begun(tmp_path)
        waiting = [asked(service, SMALL | {"request_id": f"r{i}"}) for i in range(5)]
        service.process.kill()
        service.process.wait(PATIENCE)
    wait_for(lambda: is_gone(worker))  # nobody waits for what it computes
    (tmp_path / "hold on").unlink()
    with serving(tmp_path, tokens, *LANES) as service:
        assert ended(service, held)["state"] == "lost"
        answers = [ended(service, job) for job in waiting]
        assert service.ask("/patients/count", HELD).status_code == 409  # it is never computed again
    charged, released = events(open_ledger(tmp_path / "patients.db"))
    assert charged == {"held", *(f"r{i}" for i in range(5))}
    assert released == {answer["request_id"]: answer["answer"] for answer in answers}


def test_nothing_is_released_uncharged_when_a_busy_service_is_killed(tmp_path: Path) -> None:
    tokens = written(tmp_path)
    seen: list[Any] = []
    for turn in range(3):
        with serving(tmp_path, tokens, *LANES) as service, crowd(service, seen, f"t{turn}"):
            wait_for_more(seen)
            time.sleep(0.013 * turn)
            service.process.kill()
            service.process.wait(PATIENCE)
    with serving(tmp_path, tokens, *LANES) as service:
        jobs = service.client.get(f"{service.address}/v1/jobs", headers=service.sent("alice")).json()["jobs"]
        final = [ended(service, job["id"]) for job in jobs]
    charged, released = events(open_ledger(tmp_path / "patients.db"))
    assert {job["state"] for job in final} <= {"done", "lost"}
    assert {job["request_id"] for job in final if job["state"] == "lost"} == charged - released.keys()
    assert seen == [released[answer["request_id"]] for answer in seen]


def test_stopped_service_charges_no_further_turn_and_answers_the_rest_later(tmp_path: Path) -> None:
    tokens = written(tmp_path)
    (tmp_path / "hold on").touch()
    with serving(tmp_path, tokens, *LANES, first=HOLDING) as service:
        held = asked(service, HELD)
        begun(tmp_path)
        who = ["alice"] * 9 + ["bob"] * 10 + ["boss"] * 9
        waiting = [asked(service, SMALL | {"request_id": f"r{i}"}, name) for i, name in enumerate(who)]
        service.process.terminate()
        wait_for(lambda: not listens(service))
        (tmp_path / "hold on").unlink()
        service.process.wait(PATIENCE)
    charged, released = events(open_ledger(tmp_path / "patients.db"))
    assert (charged, set(released)) == ({"held"}, {"held"})
    with serving(tmp_path, tokens, *LANES) as service:
        answers = [ended(service, job, name) for job, name in zip([held, *waiting], ["alice", *who], strict=True)]
    assert {answer["state"] for answer in answers} == {"done"}
    charged, released = events(open_ledger(tmp_path / "patients.db"))
    assert len(charged) == len(released) == 29
    assert all(released[answer["request_id"]] == answer["answer"] for answer in answers)


def test_restarted_database_costs_seconds_and_no_privacy(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    tokens = written(tmp_path)
    for file in [*tmp_path.glob("*.db*"), *tmp_path.glob("*witness*")]:
        file.unlink()
    seen: list[Any] = []
    with running_server() as database:
        for name in ("patients", "wages"):
            opened_ledger(tmp_path / f"{name}.toml", database.url, create="quietly")[1].close()
        with serving_and_logging("ledger", tmp_path, tokens, "--ledger", database.url) as service:
            with crowd(service, seen, "a"):
                wait_for_more(seen)
                database.stop()
                time.sleep(0.5)
                database.start()
                started = time.monotonic()
                wait_for_more(seen)
                assert time.monotonic() - started < SECONDS
            assert service.client.get(f"{service.address}/readyz").status_code == 200
        charged, released = events(open_ledger(database.url))
    assert released.keys() <= charged
    assert seen == [released[answer["request_id"]] for answer in seen]


@contextmanager
def crowd(service: Served, seen: list[Any], name: str) -> Iterator[None]:
    """Four clients that ask again and again, and note the answers they see, until the block ends."""
    over = Event()

    def client(number: int) -> None:
        for turn in range(40):
            if over.is_set():
                return
            question = SMALL | {"epsilon": "0.003", "request_id": f"{name}-{number}-{turn}"}
            try:
                answer = service.ask("/patients/count", question)
            except httpx.TransportError:  # it is killed
                continue
            if answer.status_code == 200:
                seen.append(answer.json())
            else:
                assert answer.status_code in (500, 503), answer.text
                time.sleep(0.3)

    with ThreadPoolExecutor(4) as pool:
        clients = [pool.submit(client, number) for number in range(4)]
        try:
            yield
        finally:
            over.set()
    for one in clients:
        one.result()


def listens(service: Served) -> bool:
    try:
        service.client.get(f"{service.address}/healthz")
    except httpx.TransportError:
        return False
    return True
