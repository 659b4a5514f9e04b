"""Public facts refuse a question at once; a job is kept over a restart, and the ledger says what became of it."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from eremite import Table
from eremite.errors import InputError
from eremite.ledger import Account, Ledger, Released
from eremite.service.assembly import Assembly
from eremite.service.jobs import JobFile
from eremite.service.state import Dataset
from eremite.service.tokens import change_grants
from eremite.service.worker import Opening, ProcessWorker, WorkerDied
from tests.unit.service.in_process import COLUMNS, GOOD, ROWS, Service, grant, service

COUNT = json.dumps(GOOD["count"] | {"request_id": "one"}).encode()
FORECAST = json.dumps(GOOD["forecast/count"]).encode()
WHERE = "/v1/datasets/patients"


@pytest.fixture
def served(tmp_path: Path) -> Service:
    held = service(tmp_path)
    other = replace(grant("other"), account="press", custodian=False)
    change_grants(held.state.token_file, lambda before: (*before, other))
    return held


def held_up(served: Service, ask: Callable[[httpx.AsyncClient], Any], token: str = "secret") -> Any:  # noqa: S107
    """What comes of `ask` while another turn is under way, after which the service stops."""
    lane = served.state.desk._forecast_lane

    async def run() -> Any:
        async with lane._between_turns, served.client(token) as client:
            told = await ask(client)
            lane.stop()
            return told

    told = asyncio.run(run())
    lane._stopped = False
    return told


async def queued(client: httpx.AsyncClient, body: bytes = COUNT, path: str = "count") -> httpx.Response:
    return await client.post(f"{WHERE}/{path}", content=body)


def test_question_that_waits_is_a_job_and_a_retry_is_the_same_job(served: Service) -> None:
    async def ask(client: httpx.AsyncClient) -> list[httpx.Response]:
        first = await queued(client)
        return [first, await queued(client), await client.get(first.headers["Location"])]

    answers = held_up(served, ask)
    assert [answer.status_code for answer in answers] == [202, 202, 200]
    first, again, looked = (answer.json() for answer in answers)
    assert first == again == looked
    assert (first["state"], first["request_id"], first["question"]) == ("queued", "one", "count")
    assert answers[0].headers["Location"] == f"/v1/jobs/{first['id']}"


def test_id_of_a_waiting_question_serves_no_other_question(served: Service) -> None:
    async def ask(client: httpx.AsyncClient) -> httpx.Response:
        await queued(client)
        return await queued(client, COUNT.replace(b"0.1", b"0.2"))

    refused = held_up(served, ask)
    assert (refused.status_code, refused.json()["error"][:18]) == (422, "Request id 'one' w")


@pytest.mark.parametrize(
    ("change", "status"),
    [({"epsilon": 5}, 409), ({"columns": ["none"]}, 422), ({"definition": {"min_neighbors": 40, "radius": 0.1}}, 422)],
)
def test_what_public_facts_refuse_takes_no_turn(served: Service, change: dict[str, Any], status: int) -> None:
    body = json.dumps(GOOD["count"] | change).encode()
    assert held_up(served, lambda client: queued(client, body)).status_code == status
    assert "Charged" not in served.events()


def test_question_that_takes_too_long_by_public_facts_is_refused(tmp_path: Path) -> None:
    served = service(tmp_path, longest_question=1e-9)
    refused = held_up(served, queued)
    assert refused.status_code == 422
    assert "this service takes questions of up to 0" in refused.json()["error"]
    assert "Charged" not in served.events()


def test_stored_answer_comes_at_once_though_others_wait(served: Service) -> None:
    [answer] = served.ask(("POST", f"{WHERE}/count", COUNT))
    again = held_up(served, queued)
    assert (again.status_code, again.content) == (200, answer.content)
    assert served.events().count("Charged") == 1


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
@pytest.mark.parametrize("rows", [41, 30, 3])
def test_stored_answer_comes_again_after_a_reload_whatever_the_number_of_rows(
    tmp_path: Path, rows: int, neighbors: Any
) -> None:
    """Of three rows, three near one are more than half: the question no longer fits, and was answered before."""
    about = None if neighbors == "replace" else ROWS
    frame = dict.fromkeys(COLUMNS, [0.5] * ROWS)
    bounds = dict.fromkeys(COLUMNS, (0, 1))
    served = service(tmp_path, Table.from_frame(frame, bounds, neighbors=neighbors, rows_about=about))
    [answer] = served.ask(("POST", f"{WHERE}/count", COUNT))
    known = served.state.datasets["patients"]
    served.state.datasets["patients"] = Dataset.of("patients", replace(known.facts, rows=rows), known.ledger)
    again = held_up(served, queued)
    assert (again.status_code, again.content) == (200, answer.content)
    other = held_up(served, lambda client: queued(client, COUNT.replace(b"0.1", b"0.2")))
    new = held_up(served, lambda client: queued(client, COUNT.replace(b"one", b"two")))
    fits = rows > 3
    assert (other.status_code, new.status_code) == (422, 202 if fits else 422)
    if not fits:
        assert "3 rows" in new.json()["error"]
    assert served.events().count("Charged") == 1


def test_stored_answer_comes_again_though_the_question_would_now_take_too_long(served: Service) -> None:
    [answer] = served.ask(("POST", f"{WHERE}/count", COUNT))
    served.state.desk._longest_question = 1e-9
    assert held_up(served, queued).content == answer.content
    assert held_up(served, lambda client: queued(client, COUNT.replace(b"one", b"two"))).status_code == 422


def test_forecast_that_was_made_comes_at_once(served: Service) -> None:
    body = json.dumps(GOOD["forecast/count"]).encode()
    [answer] = served.ask(("POST", f"{WHERE}/forecast/count", body))
    again = held_up(served, lambda client: queued(client, body, "forecast/count"))
    assert (again.status_code, again.content) == (200, answer.content)


def test_forecast_made_before_its_lane_has_the_new_facts_is_not_kept(
    served: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reload takes the facts of the new rows first, then starts another process that forecasts from them."""
    assembly = object.__new__(Assembly)
    assembly.state, assembly._groups = served.state, [["patients"], []]
    assembly._lanes = [served.state.desk._forecast_lane]
    monkeypatch.setattr(assembly, "_forecast_opening", lambda facts: Opening(), raising=False)
    monkeypatch.setattr(ProcessWorker, "start", lambda self: {})
    served.ask(("POST", f"{WHERE}/forecast/count", FORECAST))
    asyncio.run(assembly._renew_forecasts())
    assert not served.state.desk._forecasts


def test_canceled_question_is_not_charged_and_one_that_was_answered_cannot_be_canceled(served: Service) -> None:
    async def ask(client: httpx.AsyncClient) -> list[httpx.Response]:
        where = (await queued(client)).headers["Location"]
        return [await client.delete(where), await client.delete(where), await client.get(f"{where}?wait=60")]

    assert [answer.json()["state"] for answer in held_up(served, ask)] == ["canceled"] * 3
    assert "Charged" not in served.events()
    served.ask(("POST", f"{WHERE}/count", COUNT))
    [listed] = served.ask(("GET", "/v1/jobs", b""))
    done = listed.json()["jobs"][0]
    [late] = served.ask(("DELETE", f"/v1/jobs/{done['id']}", b""))
    assert (done["state"], late.status_code) == ("done", 409)


def test_job_of_another_account_is_as_one_that_does_not_exist(served: Service) -> None:
    job = held_up(served, queued).json()

    async def ask(client: httpx.AsyncClient) -> list[tuple[int, str]]:
        ways = [("GET", ""), ("DELETE", ""), ("GET", "/events")]
        told = [await client.request(how, f"/v1/jobs/{job['id']}{more}") for how, more in ways]
        missing = [await client.request(how, f"/v1/jobs/nothing{more}") for how, more in ways]
        listed = await client.get("/v1/jobs")
        assert listed.json() == {"jobs": []}
        assert [one.content for one in told] == [one.content for one in missing]
        return [(one.status_code, one.text) for one in told]

    assert {status for status, _ in held_up(served, ask, "other")} == {404}


def test_events_tell_every_state_and_end(served: Service) -> None:
    async def run() -> list[str]:
        async with served.client() as client:
            lane = served.state.desk._forecast_lane
            async with lane._between_turns:
                where = (await queued(client)).headers["Location"]
                stream = asyncio.create_task(client.get(f"{where}/events"))
                while not served.state.desk._changes:
                    await asyncio.sleep(0.001)
            lines = (await stream).text.splitlines()
            return [json.loads(line[6:])["state"] for line in lines if line.startswith("data: ")]

    assert asyncio.run(run()) == ["queued", "running", "done"]


def test_one_account_cannot_take_all_places(served: Service) -> None:
    async def ask(client: httpx.AsyncClient) -> list[int]:
        bodies = [json.dumps(GOOD["count"] | {"request_id": str(number)}).encode() for number in range(12)]
        mine = [(await queued(client, body)).status_code for body in bodies]
        async with served.client("other") as other:
            return [*mine, (await queued(other)).status_code]

    assert held_up(served, ask) == [202] * 10 + [503] * 2 + [202]


def test_stopped_service_lets_nobody_wait_and_takes_no_question(served: Service) -> None:
    async def ask(client: httpx.AsyncClient) -> list[httpx.Response]:
        waits = asyncio.create_task(client.post(f"{WHERE}/count?wait=60", content=COUNT))
        while not served.state.desk._changes:
            await asyncio.sleep(0.001)
        served.state.desk.stop()
        return [await waits, await queued(client), await client.get("/readyz")]

    assert [answer.status_code for answer in held_up(served, ask)] == [202, 503, 503]
    assert "Charged" not in served.events()


# --- over a restart


def restarted(served: Service, folder: Path) -> list[dict[str, Any]]:
    """The jobs once a new desk has gone on with the jobs of the old one, and no turn is left."""
    desk = served.state.desk

    async def run() -> list[dict[str, Any]]:
        desk._unended.clear()
        desk.stopping = False
        for lane in desk._all_lanes():
            lane._stopped = False
            lane.waiting = type(lane.waiting)()
        desk.go_on()
        for job in list(desk._unended.values()):
            await desk.wait(job, 60)
        return [desk.find(grant("secret"), job.id).to_json() for job in desk.jobs_of(grant("secret"))]

    return asyncio.run(run())


def test_waiting_question_is_answered_after_a_restart(served: Service, tmp_path: Path) -> None:
    held_up(served, queued)
    [job] = restarted(served, tmp_path)
    assert (job["state"], job["answer"]["request_id"]) == ("done", "one")
    assert served.events().count("Charged") == 1


@pytest.mark.parametrize("released", [False, True])
def test_question_under_way_at_a_crash_is_lost_or_done_as_the_ledger_says(
    served: Service, tmp_path: Path, released: bool
) -> None:
    held_up(served, queued)
    desk = served.state.desk
    [job] = desk._unended.values()
    desk._jobs.update(replace(job, state="running"))
    work = desk._forecast_lane._worker._work
    asked = desk.asked(job)
    [paid] = work.charge([asked])
    if released:
        work.compute(asked, paid.charged_at)
    [after] = restarted(served, tmp_path)
    assert after["state"] == ("done" if released else "lost")
    assert served.events().count("Charged") == 1
    kept = [entry.event for entry in served.ledger.releases(Account("patients", "research"))]
    assert len(kept) == released
    if released:
        assert isinstance(kept[0], Released)
        assert after["answer"] == json.loads(kept[0].release)
    else:
        assert "it was charged, and its answer is lost" in after["error"]


@pytest.mark.parametrize("released", [False, True])
@pytest.mark.parametrize("ends", ["service", "worker"])
def test_question_under_way_at_a_crash_takes_nothing_of_another_under_its_id(
    served: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, released: bool
) -> None:
    """Another process charged its id for another question in the meantime."""
    held_up(served, queued)
    desk = served.state.desk
    [job] = desk._unended.values()
    worker = desk._forecast_lane._worker
    other = replace(desk.asked(job), body=COUNT.replace(b"0.1", b"0.2"))

    def charge_other(_: Any = None) -> None:
        [paid] = worker._work.charge([other])
        if released:
            worker._work.compute(other, paid.charged_at)
        raise WorkerDied

    if ends == "worker":
        monkeypatch.setattr(worker, "call", charge_other)
    else:
        desk._jobs.update(replace(job, state="running"))
        with pytest.raises(WorkerDied):
            charge_other()
    [after] = restarted(served, tmp_path)
    assert (after["state"], after["status"], "answer" in after) == ("refused", 422, False)
    assert after["error"].startswith("Request id 'one' was used for another request;")


def test_question_charged_under_the_rules_of_now_is_found_after_a_crash(served: Service, tmp_path: Path) -> None:
    """It waited while the rules changed, or the version: the job has the fingerprint of before."""
    held_up(served, queued)
    desk = served.state.desk
    [job] = desk._unended.values()
    desk._jobs._file.execute("UPDATE jobs SET fingerprint = '2:before', state = 'running'")
    work, asked = desk._forecast_lane._worker._work, desk.asked(job)
    [paid] = work.charge([asked])
    work.compute(asked, paid.charged_at)
    [after] = restarted(served, tmp_path)
    assert after["state"] == "done"


def test_jobs_are_kept_in_a_file_of_their_owner_that_one_service_has(tmp_path: Path, served: Service) -> None:
    held_up(served, queued)
    [job] = served.state.desk._unended.values()
    kept = JobFile(tmp_path / "jobs.db")
    kept.add(job, COUNT)
    files = [file.name for file in tmp_path.glob("jobs.db*") if file.stat().st_mode & 0o777 == 0o600]
    assert sorted(files) == ["jobs.db", "jobs.db-wal"]  # a change waits for no disk
    with pytest.raises(InputError, match="another eremite serve uses it"):
        JobFile(tmp_path / "jobs.db")
    kept.close()
    assert not (tmp_path / "jobs.db-wal").exists()
    again = JobFile(tmp_path / "jobs.db")
    assert (again.unended(), again.body(job)) == ([job], COUNT)
    again._file.execute("UPDATE jobs SET proof = ?", (json.dumps(job.proofs[0].to_json()),))  # as older versions did
    assert again.unended() == [job]
    again.update(replace(job, state="canceled"))
    assert again.unended() == []
    again.close()


@pytest.mark.parametrize(("content", "sentence"), [(b"no database", "it is no file of jobs"), (None, "can be written")])
def test_file_that_is_none_of_ours_is_refused(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    path = tmp_path / "jobs.db"
    path.write_bytes(content * 100 if content else b"")
    path.chmod(0o600 if content else 0o666)
    with pytest.raises(InputError, match=sentence):
        JobFile(path)


# --- for the custodian


def test_cap_is_set_by_a_custodian_with_a_reason(served: Service) -> None:
    good = {"account": "research", "epsilon": "1/3", "reason": "a study"}
    [set_] = served.ask(("PUT", f"{WHERE}/cap", json.dumps(good).encode()))
    research = next(one for one in set_.json()["budgets"] if one["account"] == "research")
    assert (set_.status_code, research["cap"]["epsilon"]) == (200, "1/3")
    for bad in ({"reason": " "}, {"epsilon": -1}, {"epsilon": True}, {"more": 1}, {"account": 5}):
        [refused] = served.ask(("PUT", f"{WHERE}/cap", json.dumps(good | bad).encode()))
        assert (refused.status_code, list(refused.json())) == (422, ["error"]), refused.text
    assert served.events().count("CapSet") == 1


def test_custodian_sees_what_is_under_way_and_an_analyst_does_not(served: Service) -> None:
    async def ask(client: httpx.AsyncClient) -> list[httpx.Response]:
        await queued(client)
        async with served.client("other") as other:
            forbidden = [await other.get(path) for path in (f"{WHERE}/jobs", "/metrics")]
        return [await client.get(f"{WHERE}/jobs"), await client.get("/metrics"), *forbidden]

    jobs, metrics, *forbidden = held_up(served, ask)
    assert [job["request_id"] for job in jobs.json()["jobs"]] == ["one"]
    assert [answer.status_code for answer in forbidden] == [403, 403]
    assert 'eremite_jobs_waiting{dataset="patients"} 1\n' in metrics.text
    assert 'eremite_budget_left{dataset="patients",of="epsilon"} 2.0\n' in metrics.text
    served.ask(("POST", f"{WHERE}/count", COUNT.replace(b"one", b"two")))
    [after] = served.ask(("GET", "/metrics", b""))
    assert 'eremite_jobs_total{dataset="patients",question="count",state="done"}' in after.text


def test_releases_come_in_pages_the_newest_first(served: Service) -> None:
    for number in range(3):
        body = json.dumps(GOOD["count"] | {"request_id": str(number)}).encode()
        served.ask(("POST", f"{WHERE}/count", body))
    [first] = (one.json() for one in served.ask(("GET", f"{WHERE}/releases?limit=2", b"")))
    [last] = (one.json() for one in served.ask(("GET", f"{WHERE}/releases?limit=2&before={first['before']}", b"")))
    assert [[one["request_id"] for one in page["releases"]] for page in (first, last)] == [["2", "1"], ["0"]]
    assert (first["before"], last["before"]) == ("1", None)  # an id, which tells no position in the ledger
    [unknown] = served.ask(("GET", f"{WHERE}/releases?before=none", b""))
    assert unknown.status_code == 422


def test_page_of_releases_does_not_tell_that_one_is_stored_whose_turn_has_not_ended(served: Service) -> None:
    bodies = [json.dumps(GOOD["count"] | {"request_id": str(number)}).encode() for number in range(3)]
    for body in bodies:
        served.ask(("POST", f"{WHERE}/count", body))
    [told] = served.ask(("GET", f"{WHERE}/releases?limit=1&before=2", b""))
    desk = served.state.desk
    [last] = [desk._jobs.find(job.id) for job in desk.jobs_of(grant("secret")) if job.request_id == "2"]
    assert last is not None
    desk._unended["x"] = replace(last, id="x", state="running", answer=None)
    [page] = served.ask(("GET", f"{WHERE}/releases?limit=1", b""))
    assert page.content == told.content


def test_only_the_custodian_sees_a_release_before_its_turn_ends(served: Service) -> None:
    """It is in the ledger then, and so in the history; nothing that an analyst can ask for differs by a byte."""
    friend = replace(grant("friend"), custodian=False)
    change_grants(served.state.token_file, lambda before: (*before, friend))
    held_up(served, queued)
    desk = served.state.desk
    [job] = desk._unended.values()
    desk._unended[job.id] = replace(job, state="running")
    work, asked = desk._forecast_lane._worker._work, desk.asked(job)
    [paid] = work.charge([asked])
    paths = ["", "/budget", "/releases", "/releases?before=one", "/budgets", "/history", "/jobs"]
    looks = ["/v1/datasets", "/v1/jobs", f"/v1/jobs/{job.id}", "/metrics", *(f"{WHERE}{path}" for path in paths)]

    async def seen(token: str) -> list[tuple[int, bytes]]:
        async with served.client(token) as client:
            retries = [await client.post(f"{WHERE}/count", content=COUNT)] if token != "other" else []  # noqa: S105
            return [(one.status_code, one.content) for one in [*[await client.get(path) for path in looks], *retries]]

    tokens = ("friend", "other", "secret")
    before = [asyncio.run(seen(token)) for token in tokens]
    work.compute(asked, paid.charged_at)
    after = [asyncio.run(seen(token)) for token in tokens]
    assert after[:2] == before[:2]
    changed = [path for path, was, now in zip(looks, before[2], after[2], strict=False) if was != now]
    assert changed == [f"{WHERE}/history"]
    assert {status for status, _ in before[0]} == {200, 202, 403, 422}


@pytest.mark.parametrize("begins", [False, True])
@pytest.mark.parametrize("before", ["", "?before=one"])
def test_turn_that_begins_or_ends_during_a_read_does_not_tell_what_it_read(
    served: Service, monkeypatch: pytest.MonkeyPatch, before: str, begins: bool
) -> None:
    path = f"{WHERE}/releases{before}"
    [without] = served.ask(("GET", path, b""))
    served.ask(("POST", f"{WHERE}/count", COUNT))
    desk, read = served.state.desk, Ledger.releases_before
    [job] = desk.jobs_of(grant("secret"))
    running = replace(job, state="running", answer=None)

    def slow(*asked: Any) -> Any:
        found = read(*asked)
        desk._unended = {job.id: running} if begins else {}
        return found

    desk._unended = {} if begins else {job.id: running}
    monkeypatch.setattr(Ledger, "releases_before", slow)
    [told] = served.ask(("GET", path, b""))
    assert (told.status_code, told.content) == (without.status_code, without.content)


def test_retries_are_no_further_jobs(served: Service) -> None:
    for _ in range(3):
        served.ask(("POST", f"{WHERE}/count", COUNT), ("POST", f"{WHERE}/forecast/count", FORECAST))
    [listed] = served.ask(("GET", "/v1/jobs", b""))
    assert sorted(job["question"] for job in listed.json()["jobs"]) == ["count", "forecast/count"]


def test_retry_has_the_answer_of_the_ledger_though_another_was_kept_under_its_id(served: Service) -> None:
    """As after an older copy of the ledger was restored, which does not know the first question."""
    other = COUNT.replace(b"0.1", b"0.2")
    [first] = served.ask(("POST", f"{WHERE}/count", COUNT.replace(b"one", b"first")))
    desk = served.state.desk
    [job] = desk.jobs_of(grant("secret"))
    desk._jobs.add(replace(job, id="kept", request_id="one", answer=first.text), b"")
    [answer] = served.ask(("POST", f"{WHERE}/count", other))
    [again] = served.ask(("POST", f"{WHERE}/count", other))
    assert (again.json()["epsilon"], again.content) == (0.2, answer.content)


def test_what_one_account_asked_for_is_not_known_to_another(served: Service) -> None:
    served.ask(("POST", f"{WHERE}/forecast/count", FORECAST))
    again = held_up(served, lambda client: queued(client, FORECAST, "forecast/count"))
    others = held_up(served, lambda client: queued(client, FORECAST, "forecast/count"), "other")
    assert (again.status_code, others.status_code) == (200, 202)


def test_body_with_a_name_twice_is_refused(served: Service) -> None:
    [refused] = served.ask(("POST", f"{WHERE}/count", COUNT[:-1] + b', "epsilon": 0.2}'))
    assert (refused.status_code, refused.json()["error"]) == (422, "The body has 'epsilon' twice; send it once.")
