"""`eremite budget` and `eremite history` as a custodian meets them."""

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.command_line import Captured, refused, run, run_json, words
from tests.end_to_end.patients import description

pytestmark = pytest.mark.usefixtures("patients")


def count(capsys: Captured, epsilon: str, *more: str) -> int:
    request = ["count", "patients.toml", "-k", "3", "-r", "0.05", "--epsilon", epsilon, "--json", *more]
    return run(capsys, *request)[0]


def test_budget_adds_up_over_commands_and_accounts(capsys: Captured) -> None:
    assert (count(capsys, "0.5"), count(capsys, "1/3", "--account", "alice"), count(capsys, "1.5")) == (0, 0, 3)
    code, out, err = run(capsys, "budget", "patients.toml")
    assert (code, err) == (0, "")
    assert words(out) == (
        "budget of patients budget of charges spent cap left the dataset 2 epsilon 5/6 epsilon 2 epsilon 7/6 "
        "account alice 1 epsilon 1/3 no cap as the dataset account analyst 1 epsilon 0.5 no cap as the dataset"
    )
    found = run_json(capsys, "budget", "patients.toml")
    assert found["dataset"] == "patients"
    assert [budget["account"] for budget in found["budgets"]] == [None, "alice", "analyst"]
    assert found["budgets"][0] == {
        "account": None,
        "cap": {"epsilon": 2, "delta": 0},
        "spent": {"epsilon": "5/6", "delta": 0},
        "rho": "13/72",
        "remaining": {"epsilon": "7/6", "delta": 0},
        "charges": 2,
        "sums_only": False,
    }


def test_custodian_sets_caps_with_a_reason(capsys: Captured) -> None:
    assert count(capsys, "2") == 0
    assert count(capsys, "0.5") == 3
    code, out, _ = run(
        capsys, "budget", "set", "patients.toml", "--epsilon", "3", "--delta", "1e-6", "--reason", "more"
    )
    assert code == 0
    assert "epsilon 3, delta 1e-06" in words(out)
    assert "Charges are added up, or composed by zCDP (rho 2) where that leaves more." in words(out)
    assert "The description says epsilon 2, which was the cap at the start; the ledger's cap holds." in words(out)
    set_alice = ["budget", "set", "patients.toml", "--epsilon", "1/4", "--account", "alice", "--reason", "a student"]
    assert run_json(capsys, *set_alice)["budgets"][1]["cap"] == {"epsilon": 0.25, "delta": 0}
    assert count(capsys, "0.5", "--account", "alice") == 3
    assert count(capsys, "0.5") == 0
    caps = [event for event in run_json(capsys, "history", "patients.toml") if event["event"] == "cap set"]
    assert [(cap["account"], cap["epsilon"], cap["what"]) for cap in caps] == [
        (None, 3, "more"),
        ("alice", 0.25, "a student"),
    ]


def test_history_tells_what_happened_in_order(capsys: Captured) -> None:
    count(capsys, "0.5", "--request-id", "first")
    count(capsys, "9")
    events = run_json(capsys, "history", "patients.toml")
    assert [event["event"] for event in events] == ["opened", "charged", "released", "refused"]
    assert [event["seq"] for event in events] == [1, 2, 3, 4]
    assert events[1]["request_id"] == events[2]["request_id"] == "first"
    assert events[2]["release"]["request_id"] == "first"
    assert events[2]["what"] == str(events[2]["release"]["value"])
    assert (
        "count_outliers in bmi and pulse; min_neighbors=3; radius=0.05; mechanism=reach-pair; reach=1"
        in events[1]["what"]
    )
    assert events[3]["what"].startswith("Dataset 'patients' has epsilon 1.5 left; this release needs 9.")
    code, out, err = run(capsys, "history", "patients.toml")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines() if line[:1].isdigit()] == ["1", "2", "3", "4"]


def test_history_of_a_narrow_terminal_cuts_no_word(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run(capsys, "subspaces", "patients.toml", "-k", 3, "-r", 0.05, "--size", 1, "--top", 1, "--epsilon", 1)
    out = run(capsys, "history", "patients.toml")[1]
    assert max(map(len, out.splitlines())) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in out
    opened, charged, *about = out.splitlines()
    assert [opened.split()[0], *opened.split()[3:]] == ["1", "opened", "epsilon", "2"]
    assert [charged.split()[0], *charged.split()[3:]] == ["2", "charged", "analyst", "epsilon", "1"]
    assert " ".join("".join(about).split("3  2")[0].split()) == (
        "top_subspaces in bmi and pulse; min_neighbors=3; radius=0.05; h=1; size=1; utility=paper; "
        "mechanism=permute-and-flip"
    )


def test_noted_hash_is_looked_for(capsys: Captured) -> None:
    count(capsys, "0.5")
    noted = run_json(capsys, "history", "patients.toml", "--verify")["hash"]
    assert noted == run_json(capsys, "history", "patients.toml")[-1]["hash"]
    assert run(capsys, "history", "patients.toml", "--verify", "--noted", noted)[0] == 0
    code, out, _ = run(capsys, "history", "patients.toml", "--verify", "--noted", "0" * 64)
    assert (code, "No event has the hash that was noted" in out) == (2, True)


def test_mistyped_hash_is_no_finding(capsys: Captured) -> None:
    count(capsys, "0.5")
    code, out, err = run(capsys, "history", "patients.toml", "--verify", "--noted", "b77a47")
    assert (code, out) == (2, "")
    assert err.startswith("Error: --noted takes a hash of 64 digits")
    assert run(capsys, "history", "patients.toml", "--noted", "0" * 64) == (
        2, "", "Error: Give --noted together with --verify.\n",
    )  # fmt: skip


def test_time_of_a_release_is_that_of_its_charge(capsys: Captured) -> None:
    """How long it took to compute depends on the rows."""
    count(capsys, "0.5")
    with closing(sqlite3.connect("patients.db")) as ledger:
        times = dict(ledger.execute("SELECT kind, time FROM eremite_events").fetchall())
    assert times["released"] == times["charged"]


def test_history_of_one_account(capsys: Captured) -> None:
    count(capsys, "0.5")
    count(capsys, "0.2", "--account", "alice")
    events = run_json(capsys, "history", "patients.toml", "--account", "alice")
    assert [event["event"] for event in events] == ["charged", "released"]
    assert {event["account"] for event in events} == {"alice"}


def test_history_as_csv(capsys: Captured) -> None:
    count(capsys, "0.5")
    count(capsys, "9", "--request-id", "=HYPERLINK(1)")
    assert run(capsys, "history", "patients.toml", "--csv", "trail.csv")[1] == "Wrote 4 events to trail.csv.\n"
    with Path("trail.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["event"], row["epsilon"]) for row in rows[:3]] == [
        ("opened", "2"),
        ("charged", "0.5"),
        ("released", ""),
    ]
    assert rows[3]["request_id"] == "'=HYPERLINK(1)"  # no formula
    code, _, err = run(capsys, "history", "patients.toml", "--csv", "no/trail.csv")
    assert (code, err) == (
        2,
        "Error: Cannot write no/trail.csv: No such file or directory; choose another file for --csv.\n",
    )


def test_last_events_are_printed_alone(capsys: Captured) -> None:
    for _ in range(3):
        count(capsys, "0.1")
    every = run_json(capsys, "history", "patients.toml")
    assert len(every) == 7
    assert run_json(capsys, "history", "patients.toml", "--last", "2") == every[-2:]
    assert run_json(capsys, "history", "patients.toml", "--last", "99") == every
    assert run(capsys, "history", "patients.toml", "--last", "2", "--csv", "trail.csv")[1].startswith("Wrote 2 events")
    assert "--last or --verify" in refused(capsys, "history", "patients.toml", "--last", "2", "--verify")


def test_long_history_is_printed_part_by_part(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        count(capsys, "0.1")
    every, table = run_json(capsys, "history", "patients.toml"), run(capsys, "history", "patients.toml")[1]
    monkeypatch.setattr("eremite.cli.history._AT_ONCE", 2)
    assert run_json(capsys, "history", "patients.toml") == every
    assert words(run(capsys, "history", "patients.toml")[1]) == words(table)
    assert run(capsys, "history", "patients.toml", "--account", "nobody", "--json")[1] == "[]\n"
    assert run(capsys, "history", "patients.toml", "--account", "nobody")[1] == "\n"


def test_history_as_csv_holds_letters_of_no_encoding(capsys: Captured) -> None:
    reason = "board, \udcff"  # how a byte that is no UTF-8 arrives from a shell
    assert run(capsys, "budget", "set", "patients.toml", "--epsilon", "3", "--reason", reason)[0] == 0
    assert run(capsys, "history", "patients.toml", "--csv", "trail.csv")[0] == 0
    assert "board, \\udcff" in Path("trail.csv").read_text(encoding="utf-8")


DAMAGE = {
    "changed": "UPDATE eremite_events SET payload = replace(payload, '1/2', '1/5') WHERE seq = 2",
    "removed": "DELETE FROM eremite_events WHERE seq = 2",
    "last removed": "DELETE FROM eremite_events WHERE seq = 5",
    "sums": "UPDATE eremite_standings SET epsilon = '1/10'",
}


@pytest.mark.parametrize("damage", [*DAMAGE, "reordered"])
def test_verify_finds_what_was_changed(capsys: Captured, damage: str) -> None:
    count(capsys, "0.5")
    count(capsys, "0.4")
    code, out, _ = run(capsys, "history", "patients.toml", "--verify")
    assert code == 0
    assert out.startswith("The ledger holds together: 5 events")
    with closing(sqlite3.connect("patients.db")) as ledger:
        if damage == "reordered":
            for here, there in ((2, 90), (4, 2), (90, 4)):
                ledger.execute("UPDATE eremite_events SET seq = ? WHERE seq = ?", (there, here))
        else:
            ledger.execute(DAMAGE[damage])
        ledger.commit()
    code, out, _ = run(capsys, "history", "patients.toml", "--verify")
    assert code == 2
    assert out.startswith("The ledger does not hold together; restore it from a backup.\n")
    code, out, _ = run(capsys, "history", "patients.toml", "--verify", "--json")
    assert code == 2
    assert json.loads(out)["sound"] is False
    assert json.loads(out)["findings"]


BAD = [
    (["budget"], "Missing argument 'description'"),
    (["budget", "nothing.toml"], "nothing.toml does not exist"),
    (["budget", "set", "patients.toml", "--epsilon", "1"], "Missing option '--reason'"),
    (["budget", "set", "patients.toml", "--epsilon", "1", "--reason", " "], "needs a reason"),
    (["budget", "set", "patients.toml", "--epsilon", "0", "--reason", "x"], "epsilon must be above 0."),
    (["budget", "set", "patients.toml", "--epsilon", "1", "--delta", "2", "--reason", "x"], "delta must be at least 0"),
    (["budget", "set", "patients.toml", "--epsilon", "1", "--account", "", "--reason", "x"], "account must be a text"),
    (["budget", "patients.toml", "--ledger", "no/such.db"], "no/such.db"),
    (["history", "patients.toml", "--ledger", "patients.csv"], "patients.csv"),
    (["history", "patients.toml", "--ledger", "postgresql://nobody@127.0.0.1:1/x"], "ostgre"),
]


@pytest.mark.parametrize(("typed", "sentence"), BAD)
def test_bad_input_exits_2_in_one_sentence(capsys: Captured, typed: list[str], sentence: str) -> None:
    assert sentence in refused(capsys, *typed)


def test_description_without_a_budget_has_no_ledger(capsys: Captured, patients: Path) -> None:
    (patients / "patients.toml").write_text(description(budget=""))
    for command in ("budget", "history"):
        code, _, err = run(capsys, command, "patients.toml")
        assert (code, "sets no budget" in err) == (2, True)
    assert not (patients / "patients.db").exists()


def test_budget_and_history_look_at_no_row(capsys: Captured, patients: Path) -> None:
    (patients / "patients.csv").unlink()
    assert run(capsys, "budget", "patients.toml")[0] == run(capsys, "history", "patients.toml")[0] == 0


def test_help_names_every_option(capsys: Captured) -> None:
    own = {
        ("budget", "show"): ["--ledger", "--json"],
        ("budget", "set"): ["--epsilon", "--delta", "--account", "--reason", "--ledger", "--json"],
        ("history",): ["--account", "--csv", "--verify", "--ledger", "--json"],
    }
    for command, options in own.items():
        code, out, err = run(capsys, *command, "--help")
        assert (code, err) == (0, "")
        assert not [option for option in options if option not in out]
