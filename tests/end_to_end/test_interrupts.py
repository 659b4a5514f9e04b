"""Ctrl-C in a real process: exit code 130, and one sentence that says what the ledger says."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from eremite.ledger import open_ledger
from eremite.ledger.events import Charged, Released
from eremite.session import opened_ledger
from tests.end_to_end.command_line import MAIN, MINDS_INTERRUPTS, Captured, run
from tests.end_to_end.patients import BOUNDS, description, people, write_csv
from tests.end_to_end.served import PATIENCE, wait_for

ASKED = ["-k", "5", "-r", "0.02", "--epsilon", "0.25"]
NOTHING = "Interrupted; nothing was charged.\n"
UNANSWERED = (
    "Interrupted; epsilon 0.25 was charged under request id {} and stays charged without an answer: asking again under "
    "this id is refused, and under another id it is charged anew.\n"
)
ANSWERED = (
    "Interrupted; epsilon 0.25 was charged under request id {0}, and the answer is stored: the same question with "
    "--request-id {0} returns it, for free.\n"
)
NOTE = re.compile(r"^Note: (This may take about|Compiling for) .*\n", re.MULTILINE)
BEFORE_IT_PRINTS = """
import time
from pathlib import Path
from eremite.cli import ask

def wait(*_):
    Path("answered").touch()
    time.sleep(600)

ask.print_answer = wait
"""
WAITS_TO_CHARGE = """
import time
from pathlib import Path
from eremite.ledger import Ledger

reserve = Ledger.reserve

def reserved(*asked):
    Path("charging").touch()
    while Path("charging").exists():
        time.sleep(0.01)
    return reserve(*asked)

Ledger.reserve = reserved
"""


@contextmanager
def started(folder: Path, *arguments: object, first: str = "") -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", f"{MINDS_INTERRUPTS}\n{first}\n{MAIN}", *map(str, arguments)]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def interrupted(process: subprocess.Popen[str], times: int = 3) -> tuple[int, str, str]:
    """The exit code, stdout and stderr, without notes, of a command that gets several signals in a row."""
    for _ in range(times):
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, NOTE.sub("", err)


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    write_csv(tmp_path / "patients.csv", BOUNDS, people(40))
    (tmp_path / "patients.toml").write_text(description())
    opened_ledger(tmp_path / "patients.toml", create="quietly")[1].close()
    return tmp_path


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose count takes many seconds, nearly all of them within compiled functions."""
    folder = tmp_path_factory.mktemp("crowd")
    rows = np.random.default_rng(1).normal(0, 1, (300_000, 6)).clip(-4, 4)
    columns = [f"c{i}" for i in range(6)]
    pyarrow.parquet.write_table(pa.table(dict(zip(columns, rows.T, strict=True))), folder / "crowd.parquet")
    text = description(dict.fromkeys(columns, (-4, 4)), name="crowd", source="crowd.parquet", budget="epsilon = 100")
    (folder / "crowd.toml").write_text(text)
    opened_ledger(folder / "crowd.toml", create="quietly")[1].close()
    return folder


def events(folder: Path, request_id: str) -> list[type]:
    """What the ledger has of a request."""
    ledger = open_ledger(next(folder.glob("*.db")), create="never")
    found = [entry.event for entry in ledger.history() if getattr(entry.event, "request_id", None) == request_id]
    ledger.close()
    return [type(event) for event in found]


def test_interrupt_within_a_kernel_says_what_was_charged(capsys: Captured, crowd: Path) -> None:
    question = ["count", crowd / "crowd.toml", *ASKED, "--request-id", "kernel"]
    with started(crowd, *question) as process:
        wait_for(lambda: Charged in events(crowd, "kernel"))
        time.sleep(0.5)  # into the kernels, or into compiling them
        assert interrupted(process) == (130, "", UNANSWERED.format("kernel"))
    assert events(crowd, "kernel") == [Charged]
    code, out, err = run(capsys, *question)  # as the sentence says
    assert (code, out) == (3, "")
    assert "was charged and has no release" in err


def test_interrupt_after_the_answer_was_stored_says_that_it_is_free(capsys: Captured, patients: Path) -> None:
    question = ["count", patients / "patients.toml", *ASKED, "--json"]
    with started(patients, *question, "--request-id", "two words", first=BEFORE_IT_PRINTS) as process:
        wait_for((patients / "answered").exists)
        code, out, err = interrupted(process)
    said = ANSWERED.format("two words").replace("--request-id two words", "--request-id 'two words'").rstrip("\n")
    assert (code, out, json.loads(err)) == (130, "", {"error": said, "exit_code": 130})
    assert run(capsys, *question, "--request-id", "two words")[0] == 0
    assert events(patients, "two words") == [Charged, Released]


def test_interrupt_while_others_hold_the_ledger_says_where_to_look(patients: Path) -> None:
    other = sqlite3.connect(patients / "patients.db", isolation_level=None)
    with started(patients, "count", "patients.toml", *ASKED, "--request-id", "late", first=WAITS_TO_CHARGE) as process:
        wait_for((patients / "charging").exists)
        other.execute("BEGIN IMMEDIATE")
        (patients / "charging").unlink()
        time.sleep(0.5)  # into the wait for the lock, which takes a minute
        code, out, err = interrupted(process)
    other.execute("ROLLBACK")
    assert (code, out) == (130, "")
    assert err == (
        "Interrupted while the ledger was in use; whether request id late was charged and answered is shown by: "
        "eremite history patients.toml\n"
    )
    assert events(patients, "late") == []


def test_interrupt_before_a_charge_says_so(patients: Path) -> None:
    waits = "import time\nfrom pathlib import Path\nimport eremite.table\n"
    waits += "def wait(*_):\n    Path('here').touch()\n    time.sleep(600)\neremite.table.read_description = wait\n"
    for arguments in (["check", "patients.toml"], ["check", "patients.toml", "--json"]):
        (patients / "here").unlink(missing_ok=True)
        with started(patients, *arguments, first=waits) as process:
            wait_for((patients / "here").exists)
            code, out, err = interrupted(process)
        assert (code, out) == (130, "")
        assert err == NOTHING or json.loads(err) == {"error": NOTHING.rstrip("\n"), "exit_code": 130}


def test_interrupt_that_is_ignored_stays_ignored(patients: Path) -> None:
    ignores = "from signal import *; signal(SIGINT, SIG_IGN)"
    late = "import atexit; atexit.register(raise_signal, SIGINT)"  # when the command has done all
    with started(patients, "check", "patients.toml", first=f"{ignores}; {late}; raise_signal(SIGINT)") as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("patients: 40 rows")


MOMENTS = [0, *(0.1 * 1.4**i for i in range(15))]  # seconds: from the imports to the kernels
# Before that, Python imports the package itself, and nobody can catch its interrupts.
SAYS_WHEN_IT_BEGINS = """
from pathlib import Path
from eremite.cli.interrupts import take_over

take_over()
Path("begun").touch()
"""


def interrupted_at(moment: float, folder: Path, *arguments: object) -> tuple[int, str, str]:
    (folder / "begun").unlink(missing_ok=True)
    with started(folder, *arguments, first=SAYS_WHEN_IT_BEGINS) as process:
        wait_for((folder / "begun").exists)
        time.sleep(moment)
        return interrupted(process)


COMMANDS = {
    "count": ["crowd.toml", *ASKED],
    "subspaces": ["crowd.toml", *ASKED, "--size", "2", "--top", "1"],
    "report": ["crowd.toml", *ASKED, "--size", "5", "--top", "1"],
    "choose-radius": ["crowd.toml", "-k", "5", "--share", "0.01", "--epsilon", "0.25"],
    "detect": ["crowd.toml", *ASKED, "--rows", "--top", "1"],
}
OTHERS = {
    "check": ["crowd.toml"],
    "history": ["crowd.toml"],
    "forecast": ["crowd.toml", "-k", "5", "-r", "0.02", "--rows", "50000"],
    "demo": ["--folder", "tour"],
    "serve": ["crowd.toml", "--port", "0"],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_interrupt_at_any_moment_says_what_the_ledger_says(crowd: Path, command: str) -> None:
    for number, moment in enumerate(MOMENTS):
        request_id = f"{command}-{number}"
        code, out, err = interrupted_at(moment, crowd, command, *COMMANDS[command], "--request-id", request_id)
        found = events(crowd, request_id)
        told = {NOTHING: [], UNANSWERED.format(request_id): [Charged], ANSWERED.format(request_id): [Charged, Released]}
        assert (code, told.get(err)) == (130, found) if code else (err, found) == ("", [Charged, Released]), (out, err)


@pytest.mark.slow
@pytest.mark.parametrize("command", OTHERS)
def test_interrupt_of_any_command_ends_in_one_sentence(crowd: Path, command: str) -> None:
    if command == "serve":
        add = ("token", "add", "ann", "--account", "ann", "--dataset", "crowd")
        with started(crowd, *add) as process:
            assert process.wait(PATIENCE) == 0
    for moment in MOMENTS:
        code, _, err = interrupted_at(moment, crowd, command, *OTHERS[command])
        assert (code, err.count("\n")) in [(130, 1), (0, 0)], (moment, err)
        assert code == 0 or re.match(r"(Interrupted|Stopping); .*\.\n$", err), (moment, err)
