"""`eremite ledger`, `eremite budget open`, and what is said about ledgers that are new, lost or set back."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from eremite.cli import main
from eremite.ledger import Charged, open_ledger
from tests.end_to_end.command_line import COMMAND, Captured, refused, run, run_json, words

pytestmark = pytest.mark.usefixtures("patients")
COUNT = ["count", "patients.toml", "-k", "3", "-r", "0.05", "--epsilon", "0.5"]


def said(capsys: Captured, *arguments: str) -> tuple[str, str]:
    """Stdout and stderr, with what is said of a new ledger."""
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    assert stopped.value.code == 0
    out, err = capsys.readouterr()
    return out, err


def charges(file: str) -> int:
    return sum(isinstance(entry.event, Charged) for entry in open_ledger(file).history())


@pytest.mark.parametrize("command", [[*COUNT, "--json"], COUNT, ["budget", "patients.toml", "--json"]])
def test_ledger_that_is_made_is_told_on_stderr_once(capsys: Captured, patients: Path, command: list[str]) -> None:
    out, err = said(capsys, *command)
    sentence = (
        f"The ledger {patients.resolve()}/patients.db has a new budget for dataset 'patients': epsilon 2. "
        "If it was asked about before, put its ledger back before anybody asks."
    )
    if "--json" in command:
        json.loads(out)
        assert (json.loads(err), err.count("\n")) == ({"note": sentence}, 1)
    else:
        assert err == f"Note: {sentence}\n"
    assert said(capsys, *command)[1] == ""


def test_budget_open_makes_a_ledger_without_a_note_and_leaves_one_that_is_there(capsys: Captured) -> None:
    out, err = said(capsys, "budget", "open", "patients.toml")
    assert err == ""
    assert "the dataset 0 epsilon 0 epsilon 2 epsilon 2" in words(out)
    assert said(capsys, *COUNT)[1] == ""
    assert run_json(capsys, "budget", "open", "patients.toml")["budgets"][0]["spent"]["epsilon"] == 0.5


@pytest.mark.parametrize("command", [["history"], ["history", "--verify"], ["ledger", "backup"]])
def test_whoever_only_looks_makes_no_ledger(capsys: Captured, patients: Path, command: list[str]) -> None:
    first, *options = command
    typed = (
        [first, *options[:1], "patients.toml", "copy.db"] if first == "ledger" else [first, "patients.toml", *options]
    )
    assert "patients.db is not there, and a new one would have all of its budget, so none was made." in refused(
        capsys, *typed
    )
    assert not list(patients.glob("*.db*"))


def test_lost_ledger_is_refused_by_every_command_that_spends(capsys: Captured, patients: Path) -> None:
    said(capsys, *COUNT)
    for file in patients.glob("patients.db*"):
        file.unlink()
    for command in (COUNT, ["budget", "patients.toml"], ["budget", "open", "patients.toml"]):
        sentence = refused(capsys, *command)
        assert "patients.db is not there, but its witness" in sentence
        assert "knows of 2 events, and epsilon 0.5 spent; nothing was charged." in sentence
    assert not list(patients.glob("*.db*"))


def test_backup_is_whole_for_its_owner_alone_and_takes_nobodys_place(capsys: Captured, patients: Path) -> None:
    said(capsys, *COUNT)
    head = run_json(capsys, "history", "patients.toml", "--verify")["hash"]
    copied = run_json(capsys, "ledger", "backup", "patients.toml", "copy.db")
    assert copied == {"file": "copy.db", "events": 3, "hash": head}
    assert (patients / "copy.db").stat().st_mode & 0o777 == 0o600
    assert not list(patients.glob("copy.db-*"))
    before = (patients / "copy.db").read_bytes()
    said(capsys, *COUNT)
    assert "copy.db exists, and a copy never overwrites a file" in refused(
        capsys, "ledger", "backup", "patients.toml", "copy.db"
    )
    assert (patients / "copy.db").read_bytes() == before
    assert charges("copy.db") == 1
    assert "Cannot write no/copy.db: No such file" in refused(capsys, "ledger", "backup", "patients.toml", "no/copy.db")
    out, err = said(capsys, "ledger", "backup", "patients.toml", "later.db")
    assert err == ""
    assert out.startswith("Wrote later.db: 5 events, every sum right. It ends with ")


def test_backup_has_what_is_only_in_the_log(capsys: Captured) -> None:
    said(capsys, *COUNT)
    with closing(sqlite3.connect("patients.db")) as holding:  # whoever holds it open keeps the log from going away
        holding.execute("SELECT * FROM eremite_head").fetchall()
        said(capsys, *COUNT)
        run_json(capsys, "ledger", "backup", "patients.toml", "copy.db")
    assert charges("copy.db") == 2


def test_backup_of_a_ledger_that_does_not_hold_together_says_so(capsys: Captured) -> None:
    said(capsys, *COUNT)
    with closing(sqlite3.connect("patients.db", isolation_level=None)) as ledger:
        ledger.execute("UPDATE eremite_standings SET epsilon = '1/10'")
    assert "copy.db was written, but does not hold together" in refused(
        capsys, "ledger", "backup", "patients.toml", "copy.db"
    )


def test_copy_that_is_put_back_is_refused_until_it_is_accepted(capsys: Captured, patients: Path) -> None:
    said(capsys, *COUNT)
    run_json(capsys, "ledger", "backup", "patients.toml", "copy.db")
    said(capsys, *COUNT)
    for file in patients.glob("patients.db*"):
        file.unlink()
    shutil.move("copy.db", "patients.db")
    assert "is behind its witness" in refused(capsys, *COUNT)
    assert charges("patients.db") == 1
    code, out, err = run(capsys, "history", "patients.toml")
    assert (code, len([line for line in out.splitlines() if line[:1].isdigit()])) == (0, 3)
    assert err.startswith("Note: The ledger ")
    code, out, _ = run(capsys, "history", "patients.toml", "--verify")
    assert (code, "is behind its witness" in out) == (2, True)
    accept = ["ledger", "accept", "patients.toml", "--reason", "the disk broke"]
    out, err = said(capsys, *accept)
    assert err == ""
    assert "epsilon 0.5 spent. Its witness knew of 4 events, and epsilon 1 spent. What was spent and is not in" in out
    assert "agree; there is nothing to accept" in refused(capsys, *accept)
    events = run_json(capsys, "history", "patients.toml")
    assert (events[-1]["event"], events[-1]["what"]) == ("ledger accepted", "the disk broke")
    assert said(capsys, *COUNT)[1] == ""


def test_accepting_a_new_ledger_tells_as_json_what_was_known(capsys: Captured) -> None:
    said(capsys, *COUNT)
    accept = ["ledger", "accept", "patients.toml", "--ledger", "new.db", "--reason", "a new year"]
    found = run_json(capsys, *accept)
    assert (found["dataset"], found["spent"]["epsilon"], found["witness"]["spent"]["epsilon"]) == ("patients", 0, 0.5)
    assert found["witness"]["events"] == 2  # up to the charge; the release after it spends nothing
    assert "patients.db does not match its witness" in refused(capsys, *COUNT)


def test_file_alone_has_every_charge_after_a_command(patients: Path) -> None:
    """Also while another process has the ledger open."""
    subprocess.run([*COMMAND, "budget", "open", "patients.toml"], check=True, stdout=subprocess.DEVNULL)
    with closing(sqlite3.connect("patients.db")) as holding:
        holding.execute("SELECT * FROM eremite_head").fetchall()
        subprocess.run([*COMMAND, *COUNT], check=True, stdout=subprocess.DEVNULL)
        (patients / "elsewhere").mkdir()
        shutil.copy("patients.db", patients / "elsewhere" / "patients.db")
    assert charges(str(patients / "elsewhere" / "patients.db")) == 1


def test_other_warnings_are_left_to_python(capsys: Captured, patients: Path) -> None:
    program = (
        "import warnings, eremite.table as module\n"
        "real = module.open_table\n"
        "def open_table(*given):\n"
        "    warnings.warn('of another kind', UserWarning)\n"
        "    return real(*given)\n"
        "module.open_table = open_table\n"
        "from eremite.cli import main; main(['check', 'patients.toml'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "UserWarning: of another kind" in done.stderr
    assert "Note:" not in done.stderr
