"""The service as an analyst meets it: `eremite serve` on a free port of this machine."""

import json
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from eremite import Release
from eremite.cli import main
from eremite.ledger import Released, open_ledger
from eremite.service import schemas, server
from tests.end_to_end.patients import description
from tests.end_to_end.served import COUNT, DEFINITION, PATIENCE, QUESTIONS, Served, command, serving, wait_for, written


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("service")
    with serving(folder, written(folder)) as served:
        yield served


def test_public_facts_are_told_to_whoever_may_ask(service: Served) -> None:
    bounds = {"bmi": {"min": 10.0, "max": 60.0}, "pulse": {"min": 30.0, "max": 200.0}}
    columns = {name: bound | {"missing": "refuse"} for name, bound in bounds.items()}
    facts = {"name": "patients", "n_rows": 40, "neighbors": "replace", "rows_per_person": 1}
    facts |= {"columns": columns, "categories": {}}
    assert service.get("").json() == {"datasets": [facts]}
    assert service.get("/patients").json() == facts
    assert [dataset["name"] for dataset in service.get("", "bob").json()["datasets"]] == ["patients", "wages"]
    health = service.client.get(f"{service.address}/healthz")
    assert (health.status_code, health.json()["status"]) == (200, "ok")
    assert service.client.get(f"{service.address}/openapi.json").json()["info"]["title"] == "eremite"
    assert [service.client.get(f"{service.address}{page}").status_code for page in ("/docs", "/redoc")] == [404, 404]


@pytest.mark.parametrize("path", QUESTIONS)
def test_answer_is_the_release_that_the_ledger_keeps_and_comes_again_for_free(service: Served, path: str) -> None:
    left = service.left()
    question = QUESTIONS[path] | {"request_id": f"contract {path}"}
    answer = service.ask(f"/patients/{path}", question)
    assert answer.status_code == 200, answer.text
    assert Release.from_json(answer.text).request_id == f"contract {path}"
    assert service.left() == pytest.approx(left - 0.1)
    assert service.ask(f"/patients/{path}", question).text == answer.text
    assert service.left() == pytest.approx(left - 0.1)
    kept = [entry.event for entry in open_ledger(service.folder / "patients.db").history("patients", "research")]
    assert [event.release for event in kept if isinstance(event, Released)].count(answer.text) == 1
    assert service.get("/patients/releases").json()["releases"].count(answer.json()) == 1
    assert service.get("/patients/releases", "bob").json() == {"releases": [], "before": None}


def test_forecasts_are_free(service: Served) -> None:
    left = service.left()
    forecast = service.ask("/patients/forecast/count", {"definition": DEFINITION, "epsilon": ["0.5", "1/3"]}).json()
    assert [error["epsilon"] for error in forecast["errors"]] == [0.5, "1/3"]
    assert set(forecast) == set(schemas.FORECAST["properties"])
    assert forecast["stand_in"] == "a crowded table of 40 rows"
    needed = service.ask("/patients/forecast/count/epsilon", {"definition": DEFINITION, "within": 20}).json()
    assert 0 < needed["epsilon"] < 20
    compared = service.ask("/patients/forecast/count/mechanisms", {"definition": DEFINITION, "epsilon": ["1/3"]}).json()
    assert set(compared) == set(schemas.COMPARISON["properties"])
    assert [error["mechanism"] for error in compared["errors"]] == [
        "reach",
        "reach-pair",
        "smooth-laplace",
        "global-laplace",
    ]
    assert {(one["mechanism"], *one["epsilons"]) for one in compared["left_out"]} == {
        (name, "1/3") for name in ("reach-gaussian", "gaussian", "gaussian-paper", "global-gaussian")
    }
    search = {"definition": DEFINITION, "h": 1, "size": 1, "shape": "uniform"}
    forecast = service.ask("/patients/forecast/subspaces", search).json()
    assert set(forecast) == set(schemas.SEARCH_FORECAST["properties"])
    assert [(chance["epsilon"], set(chance)) for chance in forecast["chances"]] == [
        (epsilon, set(schemas.SEARCH_FORECAST["properties"]["chances"]["items"]["properties"]))
        for epsilon in (0.1, 0.2, 0.5, 1, 2)
    ]
    needed = service.ask("/patients/forecast/subspaces/epsilon", search | {"probability": "2/3"}).json()
    assert 0 < needed["epsilon"] <= 20
    assert service.left() == left


@pytest.mark.parametrize(
    ("path", "question", "status", "sentence"),
    [
        ("/patients/count", COUNT | {"epsilon": 3}, 409, "Dataset 'patients' has epsilon"),
        ("/patients/count", COUNT | {"columns": ["weight"]}, 422, "weight"),
        ("/patients/count", COUNT | {"epsilon": "many"}, 422, "epsilon must be a number, written like 0.5."),
        ("/patients/count", COUNT | {"epsilon": "0"}, 422, "epsilon must be above 0."),
        ("/patients/count", COUNT | {"mechanism": "exact"}, 422, "mechanism"),
        ("/patients/count", COUNT | {"request_id": "a\nb"}, 422, "request id"),
        ("/patients/count", {"epsilon": 1}, 422, "The question needs 'definition'."),
        ("/patients/count", COUNT | {"seed": 5}, 422, "There is no field 'seed'"),
        ("/patients/detect", COUNT | {"h": 1, "candidates": [[1], [1, 2]]}, 422, "Points must be rows of 2 numbers"),
        ("/patients/subspaces", COUNT | {"h": 9, "size": 2}, 422, ""),
        ("/wages/count", COUNT, 404, "There is no dataset of this name that this token may ask about."),
        ("/nothing/count", COUNT, 404, "There is no dataset of this name that this token may ask about."),
        ("/patients/everything", COUNT, 404, "There is nothing at this address."),
    ],
)
def test_refusal_is_one_sentence_and_costs_nothing(
    service: Served, path: str, question: object, status: int, sentence: str
) -> None:
    left = service.left()
    answer = service.ask(path, question)
    known = ["error", "needed", "remaining"] if status == 409 else ["error"]
    assert (answer.status_code, list(answer.json())) == (status, known)
    assert sentence in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
    assert service.left() == left


def test_refusal_by_the_budget_says_what_is_needed_and_what_remains(service: Served) -> None:
    left = service.get("/patients/budget").json()["remaining"]
    answer = service.ask("/patients/count", COUNT | {"epsilon": "10/3", "delta": "1e-9", "mechanism": "gaussian"})
    assert answer.status_code == 409
    assert answer.json()["needed"] == {"epsilon": "10/3", "delta": 1e-9}
    assert answer.json()["remaining"] == left


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 10**5, b'{"epsilon": NaN}'])
def test_malformed_json_is_told_in_one_sentence(service: Served, body: bytes) -> None:
    answer = service.ask("/patients/count", body)
    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "The body is not JSON in UTF-8; send one JSON object."},
    )


@pytest.mark.parametrize("chunks", [1, 100])
def test_body_that_is_too_long_is_refused_before_it_is_read(service: Served, chunks: int) -> None:
    part = b" " * (5 * 2**20 // chunks)
    content = part if chunks == 1 else iter([part] * chunks)
    address, sent = f"{service.address}/v1/datasets/patients/count", service.sent("alice")
    answer = service.client.post(address, content=content, headers=sent)
    assert (answer.status_code, answer.json()) == (
        413,
        {"error": "The body is longer than 4 MiB; ask for less at once."},
    )
    assert service.get("/patients").status_code == 200


@pytest.mark.parametrize("who", ["nobody", "gone", "forged"])
@pytest.mark.parametrize("path", ["", "/patients", "/patients/budget", "/patients/releases", "/patients/history"])
def test_without_a_good_token_nothing_is_told(service: Served, who: str, path: str) -> None:
    forged = replace(service, tokens=service.tokens | {"forged": "x" * 43})
    answer = forged.get(path, who)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.json()["error"].startswith("This token is missing, unknown or expired;")


def test_dataset_of_others_is_as_one_that_does_not_exist(service: Served) -> None:
    answers = [service.get(f"/{name}{what}") for name in ("wages", "nothing") for what in ("", "/budget", "/history")]
    assert len({(answer.status_code, answer.content, str(answer.headers)) for answer in answers}) == 1
    assert service.get("/elsewhere", "bob").content == answers[0].content


def test_books_are_open_to_the_custodian_alone(service: Served) -> None:
    service.ask("/patients/count", COUNT | {"request_id": "in the books"})
    history = service.get("/patients/history", "boss").json()["history"]
    assert [event["event"] for event in history if event["request_id"] == "in the books"] == ["charged", "released"]
    known = schemas.HISTORY["properties"]["history"]["items"]["properties"]
    assert {name for event in history for name in event} == set(known)
    budgets = service.get("/patients/budgets", "boss").json()["budgets"]
    assert {None, "research"} <= {budget["account"] for budget in budgets}
    refused = [service.get(f"/patients/{books}") for books in ("history", "budgets")]
    assert {(answer.status_code, answer.text) for answer in refused} == {
        (403, '{"error":"This is for the custodian\'s tokens only."}')
    }


def test_revoked_token_is_of_no_use_at_once(service: Served) -> None:
    grant = ["--account", "visitors", "--dataset", "patients", "--json"]
    token = json.loads(command(service.folder, "token", "add", "eve", *grant))["token"]
    visited = replace(service, tokens={"eve": token})
    assert visited.get("/patients", "eve").status_code == 200
    assert "visitors" in command(service.folder, "token", "list")
    command(service.folder, "token", "revoke", "eve")
    assert visited.get("/patients", "eve").status_code == 401
    assert "visitors" not in command(service.folder, "token", "list")


def test_answer_to_one_who_left_is_kept(service: Served) -> None:
    question = COUNT | {"h": 1, "candidates": [[25, 75]] * 2000, "request_id": "left alone"}
    body, [(name, token)] = json.dumps(question).encode(), service.sent("alice").items()
    head = f"POST /v1/datasets/patients/detect HTTP/1.1\r\nHost: x\r\n{name}: {token}\r\nContent-Length: {len(body)}"
    with socket.create_connection(("127.0.0.1", int(service.address.rsplit(":", 1)[1]))) as wire:
        wire.sendall(head.encode() + b"\r\n\r\n" + body)
        wait_for(lambda: "left alone" in service.get("/patients/history", "boss").text)  # it is charged
    wait_for(lambda: "left alone" in service.get("/patients/releases").text)


def test_malformed_requests_and_crowds_of_connections_leave_no_trace_and_do_no_harm(service: Served) -> None:
    """The fixture fails if the service prints anything."""
    address = ("127.0.0.1", int(service.address.rsplit(":", 1)[1]))
    upgrade = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
    for said in (b"\x16\x03\x01\r\n\r\n", b"POST /healthz HTTP/1.1\r\nContent-Length: -1\r\n\r\n", upgrade):
        with socket.create_connection(address) as wire:
            wire.sendall(said)
            assert wire.recv(9) == b"HTTP/1.1 "
    with ExitStack() as crowd:
        wires = [crowd.enter_context(socket.create_connection(address)) for _ in range(2 * server.MAX_CONNECTIONS)]
        for wire in wires:
            wire.setblocking(False)
        wait_for(lambda: sum(map(is_ended, wires)) >= server.MAX_CONNECTIONS)
    wait_for(lambda: is_well(service))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("subspaces", [["bmi"] * 300_000]),
        ("subspaces", [["bmi", "pulse"]] * 100_000),
        ("columns", ["bmi"] * 300_000),
        ("h", 10**600),
        ("request_id", "x" * 10**6),
    ],
    ids=["one long set", "many sets", "columns", "h", "request id"],
)
def test_request_that_holds_too_much_is_refused_for_free_in_a_short_sentence(
    service: Served, field: str, value: object
) -> None:
    """Without a limit, a set of so many columns would block the service for minutes."""
    left = service.left()
    path, question = ("count", COUNT) if field == "columns" else ("subspaces", COUNT | {"h": 1})
    answer = service.ask(f"/patients/{path}", question | {field: value})
    assert answer.status_code == 422, answer.text[:200]
    assert len(answer.content) < 200
    assert (service.left(), is_well(service)) == (left, True)


def is_well(service: Served) -> bool:
    try:
        return service.client.get(f"{service.address}/healthz").status_code == 200
    except httpx.TransportError:  # too many connections, until the service notices that others were closed
        return False


def is_ended(wire: socket.socket) -> bool:
    try:
        return wire.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


WAITING = """
import time
from pathlib import Path
from eremite.queries.detection import DetectionPlan

computed = DetectionPlan.compute

def compute(*asked):
    while Path("hold on").exists():
        time.sleep(0.01)
    return computed(*asked)

DetectionPlan.compute = compute
"""


def test_service_that_is_stopped_twice_keeps_the_answer_and_shows_no_traceback(tmp_path: Path) -> None:
    tokens = written(tmp_path)
    question = COUNT | {"h": 1, "candidates": [[25, 75]], "request_id": "stopped"}
    with ThreadPoolExecutor(1) as pool, serving(tmp_path, tokens, first=WAITING) as served:
        (tmp_path / "hold on").touch()
        asked = pool.submit(served.ask, "/patients/detect", question)
        wait_for(lambda: "stopped" in served.get("/patients/history", "boss").text)  # it is charged
        served.process.send_signal(signal.SIGINT)
        wait_for(lambda: not listens(served))  # it has heard the first
        served.process.send_signal(signal.SIGINT)
        answer = asked.result()
        (tmp_path / "hold on").unlink()
        served.process.wait(PATIENCE)  # it ends when the answer is kept
    assert (answer.status_code, answer.json()["state"]) == (202, "running")
    history = [entry.event for entry in open_ledger(tmp_path / "patients.db").history("patients", "research")]
    assert [event.request_id for event in history if isinstance(event, Released)] == ["stopped"]


def listens(served: Served) -> bool:
    try:
        socket.create_connection(("127.0.0.1", int(served.address.rsplit(":", 1)[1]))).close()
    except ConnectionError:
        return False
    return True


def test_two_services_share_one_budget_and_its_answers(service: Served) -> None:
    question = COUNT | {"epsilon": "0.2"}
    with (
        serving(
            service.folder, service.tokens, "--root-path", "/eremite", "--jobs", "other.db", "--lanes", "3"
        ) as other,
        ThreadPoolExecutor(8) as pool,
    ):
        both = (service, other)
        asked = [pool.submit(where.ask, "/wages/count", question, "bob") for _ in range(8) for where in both]
        assert sorted(future.result().status_code for future in asked) == [200] * 10 + [409] * 6
        kept = [where.get("/wages/releases", "bob").json()["releases"] for where in both]
        assert (len(kept[0]), kept[1]) == (10, kept[0])
        again = question | {"request_id": kept[0][0]["request_id"]}
        assert [where.ask("/wages/count", again, "bob").json() for where in both] == [kept[0][0]] * 2
        assert other.client.get(f"{other.address}/openapi.json").json()["servers"] == [{"url": "/eremite"}]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.toml"], "missing.toml does not exist"),
        (["patients.toml", "patients.toml"], "Two descriptions name their dataset 'patients'"),
        (["slash.toml"], "which cannot be part of an address"),
        (["patients.toml", "--host", "no.such.host.invalid"], "Cannot listen on no.such.host.invalid, port 8000"),
        (["patients.toml", "--host", "a..b"], "Cannot listen on a..b, port 8000: this is no address"),
        (["patients.toml", "--port", "99999"], "--port must be between 0 and 65535"),
        (["patients.toml", "--port", "{taken}"], "Cannot listen on 127.0.0.1, port {taken}: Address already in use"),
    ],
)
def test_what_cannot_be_served_is_told_at_start(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    written(tmp_path)
    (tmp_path / "slash.toml").write_text(description(name="a/b"))
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = listener.getsockname()[1]
        with pytest.raises(SystemExit) as stopped:
            main(["serve", *(argument.format(taken=taken) for argument in arguments)])
    error = capsys.readouterr().err
    assert (stopped.value.code, error.count("\n")) == (2, 1)
    assert sentence.format(taken=taken) in error


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--tick", "0"], "--tick must be above 0"),
        (["--tick", "nan"], "--tick must be above 0"),
        (["--root-path", "eremite/"], "--root-path must begin with /"),
        (["--root-path", "/\N{LATIN SMALL LETTER E WITH ACUTE}"], "--root-path must begin with /"),
        (["--tokens", "none.json"], "none.json does not exist; make a first token"),
    ],
)
def test_options_that_do_not_fit_are_told_at_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["serve", str(tmp_path / "x.toml"), *options])
    assert stopped.value.code == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "patients.toml"],
        ["token", "list"],
        ["token", "revoke", "alice"],
        ["token", "add", "eve", "--account", "a", "--dataset", "patients"],
    ],
)
@pytest.mark.parametrize("opened", [".", "tokens.json"])
def test_tokens_that_others_could_add_to_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    opened: str,
) -> None:
    written(tmp_path)
    kept = (tmp_path / "tokens.json").read_bytes()
    (tmp_path / opened).chmod(0o777)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out, err.count("\n")) == (2, "", 1)
    assert "can be written by others, who could give themselves tokens; run: chmod" in err
    assert (tmp_path / "tokens.json").read_bytes() == kept
