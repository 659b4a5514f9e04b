"""Rows that do not fit: the custodian is told what is wrong, and whoever asks one sentence that is always the same."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from inspect import signature
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import eremite
from eremite import InputError, TableError
from eremite.cli.app import app
from eremite.cli.question import Asker, Counting, open_session
from tests.end_to_end.command_line import Captured, refused, run, run_json
from tests.end_to_end.patients import BOUNDS, description, people, write_csv

K_AND_R = ["-k", "3", "-r", "0.1", "--epsilon", "0.1"]
ASKING = {
    "count": ["count", *K_AND_R],
    "count one column": ["count", *K_AND_R, "--columns", "pulse"],
    "subspaces": ["subspaces", *K_AND_R, "--size", "1", "--top", "1"],
    "report": ["report", *K_AND_R, "--size", "1", "--top", "1"],
    "detect rows": ["detect", "--rows", *K_AND_R, "--top", "1"],
    "detect": ["detect", "candidates.csv", *K_AND_R, "--top", "1"],
    "explain": ["explain", "candidates.csv", *K_AND_R, "--top", "1", "--max-size", "1"],
    "rows": ["rows", "--epsilon", "0.1"],
    "choose-radius": ["choose-radius", "-k", "3", "--share", "0.1", "--epsilon", "0.1"],
}
ROWS = [f"{bmi},{pulse}" for bmi, pulse in people(30)]


def csv_with(*lines: str) -> Callable[[Path], str]:
    """Some lines in place of as many others."""

    def write(folder: Path) -> str:
        (folder / "patients.csv").write_text("\n".join(["bmi,pulse", *lines, *ROWS[len(lines) :], ""]))
        return description()

    return write


def parquet(folder: Path) -> str:
    pyarrow.parquet.write_table(
        pa.table({"bmi": ["SECRETCELL"] * 30, "pulse": [None, *range(29)]}), folder / "patients.parquet"
    )
    return description(source="patients.parquet")


def damaged_parquet(folder: Path) -> str:
    path = folder / "patients.parquet"
    pyarrow.parquet.write_table(pa.table({"bmi": range(30), "pulse": range(30)}), path)
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56  # the rows; names and types stand at the end
    path.write_bytes(content)
    return description(source="patients.parquet")


def sqlite(query: str) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        with closing(sqlite3.connect(folder / "rows.db")) as database:
            database.execute("CREATE TABLE t (bmi, pulse)")
            database.execute("INSERT INTO t VALUES (20, 'SECRETCELL')")
            database.commit()
        return description(source="sqlite:///rows.db", more=f'query = "{query}"')

    return write


FLAWS: dict[str, tuple[Callable[[Path], str], str]] = {
    "a missing cell": (csv_with("20,"), "column 'pulse' has cells that"),
    "two missing cells": (csv_with("20,", ",70"), "column 'bmi' has cells that"),
    "a text": (csv_with("SECRETCELL,70"), "column 'bmi' has cells that"),
    "an uneven line": (csv_with("20,70,31337.4242"), "some row does not have the 2 fields"),
    "an empty line": (csv_with(""), "has cells that"),
    "an open quote": (csv_with("20,70", '"20,70'), "some row has more than one line: a quote is left open"),
    "a type": (parquet, "column 'bmi' is of type string"),
    "damage": (damaged_parquet, "cannot be read as Parquet"),
    "a text in SQLite": (sqlite("SELECT * FROM t"), "column 'pulse' has cells that"),
    "a value that a query chokes on": (sqlite("SELECT bmi, json(pulse) AS pulse FROM t"), "SQLite cannot answer"),
}


@pytest.fixture
def patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with candidates."""
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "candidates.csv", BOUNDS, [(20, 70), (30, 80)])
    return tmp_path


def flawed(folder: Path, flaw: str) -> None:
    (folder / "patients.toml").write_text(FLAWS[flaw][0](folder))


def ask(capsys: Captured, asking: str) -> tuple[int, str, str]:
    command, *arguments = ASKING[asking]
    return run(capsys, command, "patients.toml", *arguments)


SENTENCE = "Error: The table does not fit its description; the custodian can run: eremite check patients.toml\n"


@pytest.mark.parametrize("flaw", FLAWS)
@pytest.mark.parametrize("asking", ["count", "count one column"])
def test_whoever_asks_hears_one_sentence_whatever_is_wrong(
    capsys: Captured, patients: Path, asking: str, flaw: str
) -> None:
    flawed(patients, flaw)
    assert ask(capsys, asking) == (2, "", SENTENCE)
    assert not (patients / "patients.db").exists()


@pytest.mark.parametrize("asking", ASKING)
def test_every_command_that_asks_says_that_sentence(capsys: Captured, patients: Path, asking: str) -> None:
    flawed(patients, "a missing cell")
    assert ask(capsys, asking) == (2, "", SENTENCE)
    assert refused(capsys, *ASKING[asking][:1], "patients.toml", *ASKING[asking][1:], "--json") == SENTENCE


def test_no_command_that_asks_is_forgotten() -> None:
    spending = {
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback is not None and "epsilon" in signature(command.callback).parameters
    }
    assert spending == {arguments[0] for arguments in ASKING.values()}


def test_path_in_the_sentence_can_be_pasted(capsys: Captured, patients: Path) -> None:
    flawed(patients, "a text")
    (patients / "patients.toml").rename(patients / "my patients.toml")
    assert refused(capsys, "count", "my patients.toml", *K_AND_R).endswith("eremite check 'my patients.toml'\n")


@pytest.mark.parametrize("flaw", FLAWS)
def test_custodian_is_told_what_is_wrong(capsys: Captured, patients: Path, flaw: str) -> None:
    flawed(patients, flaw)
    assert FLAWS[flaw][1] in refused(capsys, "check", "patients.toml")
    with pytest.raises(TableError) as caught:
        eremite.open("patients.toml")
    assert FLAWS[flaw][1] in str(caught.value)


def test_start_of_the_service_tells_the_custodian(capsys: Captured, patients: Path) -> None:
    flawed(patients, "an uneven line")
    run(capsys, "budget", "open", "patients.toml")
    run(capsys, "token", "add", "ann", "--account", "ann", "--dataset", "patients", "--tokens", "tokens.json")
    said = refused(capsys, "serve", "patients.toml", "--tokens", "tokens.json", "--port", 0)
    assert FLAWS["an uneven line"][1] in said


def test_details_do_not_travel_along(patients: Path) -> None:
    flawed(patients, "a missing cell")
    with pytest.raises(InputError) as caught:
        open_session(Asker(Path("patients.toml"), None, "analyst", None, Counting(None, None, None)))
    assert not isinstance(caught.value, TableError)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_what_is_public_is_told_to_everybody(capsys: Captured, patients: Path) -> None:
    csv_with()(patients)
    (patients / "patients.toml").write_text(description(BOUNDS | {"weight": (0, 1)}))
    assert "Column 'weight' is not in patients.csv" in ask(capsys, "count")[2]
    (patients / "patients.csv").unlink()
    assert "patients.csv does not exist" in ask(capsys, "count")[2]
    (patients / "patients.toml").write_text(sqlite("SELECT bmi FROM nowhere")(patients))
    assert "no such table: nowhere" in ask(capsys, "count")[2]


def test_stand_in_is_public_and_told_to_everybody(capsys: Captured, patients: Path) -> None:
    csv_with()(patients)
    (patients / "public.csv").write_text("bmi,pulse\n20,\n")
    (patients / "patients.toml").write_text(description(more='stand_in = "public.csv"'))
    assert "In public.csv, column 'pulse' has cells that" in ask(capsys, "count")[2]
    assert "In public.csv, column 'pulse' has cells that" in refused(
        capsys, "forecast", "patients.toml", "-k", 3, "-r", 0.1
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("bmi,pulse\n20,70\n30,\n", "row 2 has no finite number in column 'pulse'"),
        ("bmi,pulse\n20,70,1\n", "some row does not have the 2 fields"),
        ('bmi,pulse\n20,"70\n30,80\n', "some row has more than one line: a quote is left open"),
    ],
)
def test_candidates_belong_to_whoever_asks(capsys: Captured, patients: Path, content: str, words: str) -> None:
    (patients / "patients.toml").write_text(csv_with()(patients))
    (patients / "candidates.csv").write_text(content)
    code, _, said = ask(capsys, "detect")
    assert code == 2
    assert "candidates.csv" in said
    assert words in said


def test_emptied_line_is_refused_and_not_left_out(capsys: Captured, patients: Path) -> None:
    (patients / "patients.toml").write_text(csv_with()(patients))
    assert run_json(capsys, "check", "patients.toml")["n_rows"] == 30
    csv_with("")(patients)
    assert "column 'bmi' has cells that are missing" in refused(capsys, "check", "patients.toml")
