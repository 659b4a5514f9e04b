"""The ledger when a service starts and stops: never made by mistake, verified first, whole in one file afterwards."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from eremite.ledger import Charged, open_ledger
from eremite.session import opened_ledger
from tests.end_to_end.served import COUNT, PATIENCE, serving, written

pytest.importorskip("fastapi")


def refusal(folder: Path, *options: str) -> str:
    """The error with which the service refuses to start."""
    arguments = ["serve", "patients.toml", "--port", "0", *options]
    command = [sys.executable, "-W", "error", "-c", f"from eremite.cli import main; main({arguments!r})"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    return done.stderr


def charges(file: Path) -> int:
    return sum(isinstance(entry.event, Charged) for entry in open_ledger(file).history())


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_file_alone_has_every_charge_after_a_service_stopped(tmp_path: Path, end: signal.Signals) -> None:
    tokens = written(tmp_path)
    with serving(tmp_path, tokens) as service:
        for turn in range(3):
            assert service.ask("/patients/count", COUNT | {"request_id": f"r{turn}"}).status_code == 200
        service.process.send_signal(end)
        service.process.wait(PATIENCE)
        assert service.process.returncode == (-end if end == signal.SIGTERM else 130)
    (tmp_path / "copy").mkdir()
    shutil.copy(tmp_path / "patients.db", tmp_path / "copy")
    assert charges(tmp_path / "copy" / "patients.db") == 3
    assert not (tmp_path / "patients.db-wal").exists()
    witness = json.loads((tmp_path / "patients.ledger-witness.json").read_text())
    assert (witness["head"]["event"], witness["spent"]["epsilon"]) == (7, "3/10")


def test_service_makes_no_ledger(tmp_path: Path) -> None:
    written(tmp_path)
    for file in [*tmp_path.glob("*.db*"), *tmp_path.glob("*witness*")]:
        file.unlink()
    sentence = refusal(tmp_path)
    assert "patients.db is not there, and a new one would have all of its budget, so none was made." in sentence
    assert sentence.endswith("run: eremite budget open patients.toml\n")
    assert not list(tmp_path.glob("*.db*"))


def test_service_misses_a_ledger_that_was_there(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "patients.db").unlink()
    for options in ([], ["--new-ledger"], ["--ledger", "mistyped.db"]):
        assert "is not there, but its witness" in refusal(tmp_path, *options)
    assert "wages.db does not match its witness" in refusal(tmp_path, "--ledger", "wages.db")


def test_service_gives_no_budget_in_a_ledger_that_does_not_know_the_dataset(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "patients.ledger-witness.json").unlink()
    assert "wages.db has no budget for dataset 'patients', and a new one" in refusal(tmp_path, "--ledger", "wages.db")


def test_service_makes_a_ledger_where_that_is_asked_for(tmp_path: Path) -> None:
    tokens = written(tmp_path)
    for file in [*tmp_path.glob("*.db*"), *tmp_path.glob("*witness*")]:
        file.unlink()
    with serving(tmp_path, tokens, "--new-ledger") as service:
        assert service.left() == 2
    with serving(tmp_path, tokens) as service:
        assert service.left() == 2


def test_service_does_not_start_on_a_ledger_that_was_set_back(tmp_path: Path) -> None:
    written(tmp_path)
    shutil.copy(tmp_path / "patients.db", tmp_path / "copy.db")
    _, ledger = opened_ledger(tmp_path / "patients.toml")
    ledger.set_cap("patients", None, ledger.budgets("patients")[0][1].cap, reason="the same")  # type: ignore[arg-type]
    ledger.close()
    shutil.copy(tmp_path / "copy.db", tmp_path / "patients.db")
    assert "is behind its witness" in refusal(tmp_path)


def test_service_does_not_start_on_a_ledger_that_does_not_hold_together(tmp_path: Path) -> None:
    written(tmp_path)
    with closing(sqlite3.connect(tmp_path / "patients.db", isolation_level=None)) as database:
        database.execute("UPDATE eremite_standings SET cap_epsilon = '50'")
    sentence = refusal(tmp_path)
    assert "patients.db does not hold together, and is not served: The sums kept for dataset 'patients'" in sentence
    assert "See eremite history --verify, and restore it from a backup." in sentence


def test_signal_that_comes_early_ends_the_service(tmp_path: Path) -> None:
    """The service prints its address before uvicorn installs its signal handlers."""
    tokens = written(tmp_path)
    first = "import eremite.service.server as server, os, signal, uvicorn\n" + (
        "real = uvicorn.Server.run\n"
        "def run(self, **given):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    return real(self, **given)\n"
        "uvicorn.Server.run = run"
    )
    with serving(tmp_path, tokens, first=first) as service:
        service.process.wait(PATIENCE)
        assert service.process.returncode == -signal.SIGTERM
