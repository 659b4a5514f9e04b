"""`eremite reload` and SIGHUP, against a running service."""

import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.end_to_end.command_line import Captured, refused, run, run_json
from tests.end_to_end.patients import BOUNDS, people, write_csv
from tests.end_to_end.served import COUNT, Served, serving, wait_for, written


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("reloaded")
    with serving(folder, written(folder), "--lanes", "3") as service:
        for name, token in service.tokens.items():
            (folder / f"{name}.token").write_text(f"{token}\n")
        yield service


@pytest.fixture
def service(served: Served, monkeypatch: pytest.MonkeyPatch) -> Served:
    monkeypatch.delenv("EREMITE_TOKEN", raising=False)
    return served


def as_boss(service: Served) -> list[str]:
    return ["--address", service.address, "--token-file", str(service.folder / "boss.token")]


def rows(service: Served) -> object:
    return service.get("/patients").json()["n_rows"]


def replaced(service: Served) -> int:
    """How often the ledger says that the rows were replaced."""
    events = service.get("/patients/history", "boss").json()["history"]
    return sum(event["event"] == "rows replaced" for event in events)


def test_new_rows_answer_and_the_ledger_says_so(service: Served, capsys: Captured) -> None:
    before = replaced(service)
    write_csv(service.folder / "patients.csv", BOUNDS, people(50))
    code, out, err = run(capsys, "reload", "patients", *as_boss(service))
    assert (code, err) == (0, "")
    assert out == (
        "patients is asked about with its new rows from now on, and the ledger says so. "
        "It has 50 of them, which is public.\n"
    )
    assert (rows(service), replaced(service)) == (50, before + 1)
    assert service.ask("/patients/count", COUNT).status_code == 200


def test_token_in_the_environment_and_the_facts_as_json(
    service: Served, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EREMITE_TOKEN", service.tokens["boss"])
    write_csv(service.folder / "patients.csv", BOUNDS, people(60))
    facts = run_json(capsys, "reload", "patients", "--address", service.address)
    assert facts == service.get("/patients").json()
    assert facts["n_rows"] == 60


def test_broken_file_leaves_the_old_rows_answering(service: Served, capsys: Captured) -> None:
    known, before = rows(service), replaced(service)
    (service.folder / "patients.csv").write_text("bmi,pulse\n25,unknown\n")
    said = refused(capsys, "reload", "patients", *as_boss(service))
    assert said.startswith("Error: The rows were not replaced: ")
    assert "unknown" not in said
    assert (rows(service), replaced(service)) == (known, before)
    assert service.ask("/patients/count", COUNT).status_code == 200


def test_hangup_signal_opens_all_rows_again(service: Served) -> None:
    write_csv(service.folder / "patients.csv", BOUNDS, people(70))
    service.process.send_signal(signal.SIGHUP)
    wait_for(lambda: rows(service) == 70 and service.get("/wages", "bob").json()["n_rows"] == 70)


def test_only_a_custodian_of_the_dataset_replaces_its_rows(service: Served, capsys: Captured) -> None:
    before = replaced(service)

    def said(dataset: str, who: str) -> str:
        file = service.folder / f"{who}.token"
        return refused(capsys, "reload", dataset, "--address", service.address, "--token-file", file)

    (service.folder / "stranger.token").write_text("of-nobody")
    assert "custodian" in said("patients", "alice")
    assert "token" in said("patients", "gone")
    assert "token" in said("patients", "stranger")
    assert said("wages", "boss") == said("nowhere?#", "boss")
    assert "There is nothing at this address." in said("nowhere/../patients", "boss")
    assert replaced(service) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give --token-file, or set the variable EREMITE_TOKEN."),
        (["--token-file", "nowhere"], "Cannot read the token from nowhere: No such file or directory."),
        (["--token-file", "empty"], "The token is not one that eremite token add printed"),
        (["--token-file", "token", "--address", "http://192.0.2.1"], "use https://"),
        (["--token-file", "token", "--address", "https://SECRETWORD@a.org"], "must not have a name"),
        (["--token-file", "token", "--address", "a.org"], "is written like https://"),
        (["--token-file", "token", "--address", "http://127.0.0.1:1"], "http://127.0.0.1:1 cannot be reached"),
    ],
)
def test_what_cannot_be_sent_is_refused_in_one_sentence(
    arguments: list[str], words: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EREMITE_TOKEN", raising=False)
    Path("empty").touch()
    Path("token").write_text("of-nobody")
    assert words in refused(capsys, "reload", "patients", *arguments)


def test_address_that_is_no_service_is_said(service: Served, capsys: Captured) -> None:
    elsewhere = replace(service, address=f"{service.address}/elsewhere")
    assert refused(capsys, "reload", "patients", *as_boss(elsewhere)).startswith("Error: ")
