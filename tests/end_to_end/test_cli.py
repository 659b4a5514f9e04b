"""The command line as a person meets it: what it prints, what it writes, how it exits."""

import json
import os
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.feather
import pytest

from eremite.cli import main
from eremite.version import __version__
from tests.end_to_end.command_line import COMMAND, Captured, refused, run
from tests.end_to_end.patients import description, write_csv

BOUNDS = {"bmi": (10, 60), "blood sugar": (40, 400)}
BUDGET = "epsilon = 0.1\ndelta = 1e-6"


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    write_csv(tmp_path / "patients.csv", ["name", *BOUNDS], [("SECRETCELL", 31337.4242, 90), ("b", 20, 100)])
    (tmp_path / "patients.toml").write_text(description(BOUNDS, more="rows_per_person = 2", budget=BUDGET))
    return tmp_path


def test_check_prints_public_facts(capsys: Captured, patients: Path) -> None:
    code, out, err = run(capsys, "check", patients / "patients.toml")
    assert (code, err) == (0, "")
    assert out == (
        "patients: 2 rows, at most 2 per person\n"
        "budget: epsilon 0.1, delta 1e-06\n"
        "columns, with their public bounds:\n"
        "  bmi          10 to 60\n"
        "  blood sugar  40 to 400\n"
    )


def test_check_prints_bounds_exactly(capsys: Captured, patients: Path) -> None:
    bounds = {"bmi": (1000000, 1000001), "blood sugar": (-0.1234567890123, 1e300)}
    (patients / "patients.toml").write_text(description(bounds))
    out = run(capsys, "check", patients / "patients.toml")[1]
    assert "  bmi          1000000 to 1000001\n" in out
    assert "  blood sugar  -0.1234567890123 to 1e+300\n" in out


def test_check_prints_names_on_one_line(capsys: Captured, patients: Path) -> None:
    (patients / "patients.csv").write_text("bmi\n20\n")
    (patients / "patients.toml").write_text(description({"bmi": (0, 1)}, name="p\\nbudget: epsilon 9", budget=""))
    out = run(capsys, "check", patients / "patients.toml")[1]
    assert out.startswith("'p\\nbudget: epsilon 9': 1 row, at most 1 per person\nbudget: none set")


def test_check_prints_column_names_on_one_line(capsys: Captured, patients: Path) -> None:
    pyarrow.feather.write_feather(pa.table({"a\nb": [1.0], "c": [2.0]}), str(patients / "p.arrow"))
    (patients / "patients.toml").write_text(description({"a\nb": (0, 1), "c": (0, 1)}, source="p.arrow"))
    out = run(capsys, "check", patients / "patients.toml")[1]
    assert out.endswith("  'a\\nb'  0 to 1\n  c       0 to 1\n")


def test_check_of_a_data_file_asks_for_its_description(capsys: Captured, patients: Path) -> None:
    assert "is a data file; give its description" in refused(capsys, "check", patients / "patients.csv")


def test_check_refuses_a_quote_left_open(capsys: Captured, patients: Path) -> None:
    (patients / "patients.csv").write_text('bmi,blood sugar\n20,90\n20,"90\n31337.4242,90\n')
    assert "some row has more than one line: a quote" in refused(capsys, "check", patients / "patients.toml")


def test_check_prints_json(capsys: Captured, patients: Path) -> None:
    code, out, _ = run(capsys, "check", patients / "patients.toml", "--json")
    assert code == 0
    assert json.loads(out) == {
        "name": "patients",
        "neighbors": "replace",
        "n_rows": 2,
        "rows_per_person": 2,
        "columns": {
            "bmi": {"min": 10, "max": 60, "missing": "refuse"},
            "blood sugar": {"min": 40, "max": 400, "missing": "refuse"},
        },
        "categories": {},
        "budget": {"epsilon": 0.1, "delta": 1e-6},
    }


def test_check_prints_rules_and_no_private_number_of_rows(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,c,ward\n1,yes,2020-01-02,A\n,no,,B\n")
    (tmp_path / "t.toml").write_text(
        '[dataset]\nname = "t"\nsource = "t.csv"\nneighbors = "add-remove"\nrows_about = 20000\n[columns]\n'
        "a = { min = 0, max = 4, missing = 1 }\nb = { min = false, max = true }\n"
        'c = { min = 2020-01-01, max = 2020-12-31, missing = "leave-out" }\nward = { categories = ["A", "B"] }\n'
    )
    assert run(capsys, "check", tmp_path / "t.toml")[1] == (
        "t: about 20,000 rows, at most 1 per person\n"
        "budget: none set; add [budget] to the description before analysts can ask\n"
        "columns, with their public bounds:\n"
        "  a     0 to 4; 1 if missing\n"
        "  b     false to true\n"
        "  c     2020-01-01 to 2020-12-31; rows without a value are left out\n"
        "columns for strata and groups, with their public categories:\n"
        "  ward  A and B\n"
    )
    facts = json.loads(run(capsys, "check", tmp_path / "t.toml", "--json")[1])
    assert (facts["neighbors"], facts["rows_about"], "n_rows" in facts) == ("add-remove", 20000, False)
    assert facts["columns"] == {
        "a": {"min": 0, "max": 4, "missing": 1},
        "b": {"min": False, "max": True, "missing": "refuse"},
        "c": {"min": "2020-01-01", "max": "2020-12-31", "missing": "leave-out"},
    }
    assert facts["categories"] == {"ward": {"categories": ["A", "B"], "other": "refuse", "missing": "refuse"}}


def test_check_says_when_no_budget_is_set(capsys: Captured, patients: Path) -> None:
    (patients / "patients.toml").write_text(description(BOUNDS, budget=""))
    assert "budget: none set" in run(capsys, "check", patients / "patients.toml")[1]
    assert json.loads(run(capsys, "check", patients / "patients.toml", "--json")[1])["budget"] is None


def test_check_refuses_in_one_sentence(capsys: Captured, patients: Path) -> None:
    (patients / "patients.csv").write_text("bmi,blood sugar\n31337.4242,1\nSECRETCELL,2\n")
    err = refused(capsys, "check", patients / "patients.toml", "--json")
    assert f"In {patients / 'patients.csv'}, column 'bmi' has cells" in err
    assert "does not exist" in refused(capsys, "check", patients / "absent.toml")


def test_check_refuses_a_database_without_its_password(capsys: Captured, patients: Path) -> None:
    source, query = "postgresql://alice:SECRETWORD@localhost:1/x", 'query = "SELECT 1 AS bmi"'
    (patients / "patients.toml").write_text(description(BOUNDS, source=source, more=query))
    assert "PostgreSQL" in refused(capsys, "check", patients / "patients.toml")


def test_init_then_check_asks_for_bounds(capsys: Captured, patients: Path) -> None:
    (patients / "patients.toml").unlink()
    code, out, err = run(capsys, "init", patients / "patients.csv")
    assert (code, err) == (0, "")
    assert f"Wrote {patients / 'patients.toml'} with 2 numeric columns and 1 text column.\nNext: " in out
    asked = refused(capsys, "check", patients / "patients.toml")
    assert 'still needs bounds for bmi and "blood sugar";' in asked
    assert "exists already" in refused(capsys, "init", patients / "patients.csv")


def test_init_gives_a_command_to_paste(capsys: Captured, patients: Path) -> None:
    output = patients / "my $(people).toml"
    out = run(capsys, "init", patients / "patients.csv", "--output", output)[1]
    assert out.endswith(f"then run: eremite check '{output}'\n")


def test_init_prints_json(capsys: Captured, patients: Path) -> None:
    output = patients / "other.toml"
    code, out, _ = run(capsys, "init", patients / "patients.csv", "--output", output, "--json")
    assert code == 0
    assert json.loads(out) == {
        "description": str(output),
        "numeric": ["bmi", "blood sugar"],
        "dates": [],
        "booleans": [],
        "texts": ["name"],
        "other": [],
    }


def test_init_writes_how_the_file_is_written_as_it_was_told(capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "leute.csv"
    file.write_bytes("Größe\tGewicht\n1,5\t70\n".encode("cp1252"))
    assert "--encoding cp1252" in refused(capsys, "init", file)
    assert '--separator "\\t"' in refused(capsys, "init", file, "--encoding", "cp1252")
    assert run(capsys, "init", file, "--encoding", "cp1252", "--separator", "\\t", "--decimal", ",")[0] == 0
    written = tomllib.loads((tmp_path / "leute.toml").read_text(encoding="utf-8"))
    assert written["dataset"].items() >= {("separator", "\t"), ("decimal", ","), ("encoding", "cp1252")}
    assert list(written["columns"]) == ["Größe", "Gewicht"]
    assert "Error: --separator must be one character" in refused(capsys, "init", file, "--separator", ";;")


def test_version_and_help_exit_0(capsys: Captured) -> None:
    assert run(capsys, "--version") == (0, f"eremite {__version__}\n", "")
    with_json = ("init", "check", "count", "subspaces", "detect", "explain")
    for command in ("", "demo", *with_json):
        code, out, err = run(capsys, *command.split(), "--help")
        assert (code, err) == (0, "")
        assert "Usage:" in out
        assert ("--json" in out) == (command in with_json)


@pytest.mark.parametrize("group", ["", "forecast", "budget", "ledger", "token"])
def test_help_of_80_columns_cuts_no_sentence(capsys: Captured, monkeypatch: pytest.MonkeyPatch, group: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    listed = run(capsys, *group.split(), "--help")[1].partition("Commands:")[2].splitlines()[1:]
    assert listed
    assert not [line for line in listed if len(line) > 80 or not line.endswith(".") or line.endswith("...")]


def test_no_command_shows_the_help_and_exits_2(capsys: Captured) -> None:
    code, out, err = run(capsys)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: eremite [OPTIONS] COMMAND [ARGS]...\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chekc"], "No such command 'chekc'"),
        (["check"], "Missing argument 'description'"),
        (["check", "a", "b"], "unexpected extra argument"),
        (["init", "a.csv", "--color"], "No such option: --color"),
    ],
)
def test_usage_errors_exit_2_in_one_sentence(capsys: Captured, arguments: list[str], words: str) -> None:
    assert words in refused(capsys, *arguments)


def test_token_of_very_many_datasets_lists_the_first(capsys: Captured, tmp_path: Path, wide: None) -> None:
    tokens = ["--tokens", tmp_path / "tokens.json"]
    datasets = [part for i in range(15) for part in ("--dataset", f"d{i}")]
    assert run(capsys, "token", "add", "ann", "--account", "a", *datasets, *tokens)[0] == 0
    first, second = run(capsys, "token", "list", *tokens)[1].splitlines()[1:]
    assert first.split()[-1] == "never"
    assert " d9, d10 and 4 more" in " ".join(first.split())
    assert second.strip() == "datasets"


def test_token_that_has_expired_is_not_made(capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eremite.service.tokens.utc_today", lambda: date(2026, 5, 2))
    add = ("token", "add", "ann", "--account", "a", "--dataset", "d", "--tokens", tmp_path / "tokens.json", "--expires")
    sentence = "--expires 2026-05-01 is in the past (today is 2026-05-02 in UTC); give today or a later day."
    assert refused(capsys, *add, "2026-05-01") == f"Error: {sentence}\n"
    assert not list(tmp_path.iterdir())
    assert run(capsys, *add, "2026-05-02")[0] == 0


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("eremite.demo")
    monkeypatch.setitem(sys.modules, "eremite.demo", module)
    return module


def test_demo_runs_in_its_folder(capsys: Captured, demo: ModuleType) -> None:
    demo.run = lambda folder: print(folder)  # type: ignore[attr-defined]  # noqa: T201
    assert run(capsys, "demo") == (0, "demo\n", "")
    assert run(capsys, "demo", "--folder", "tour") == (0, "tour\n", "")


def fail(folder: Path) -> None:
    cells = "".join(["SECRET", "CELL"])  # not on a source line that a traceback would show
    raise RuntimeError(cells)


def test_internal_errors_show_their_type_only(
    capsys: Captured, demo: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo.run = fail  # type: ignore[attr-defined]
    monkeypatch.delenv("EREMITE_DEBUG", raising=False)
    code, out, err = run(capsys, "demo")
    assert (code, out) == (1, "")
    assert err == (
        "Error: eremite hit an internal error (RuntimeError); what was charged stays charged. "
        "Run with EREMITE_DEBUG=1 to see where.\n"
    )
    monkeypatch.setenv("EREMITE_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["demo"])


def test_help_loads_nothing_heavy() -> None:
    script = "import sys; from eremite.cli import main\ntry: main(['--help'])\nexcept SystemExit: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"numpy", "pyarrow", "pydantic", "numba", "rich"} & set(done.stdout.split())


def test_output_may_be_closed_early(patients: Path) -> None:
    command = [*COMMAND, "check", str(patients / "patients.toml")]
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (1, "")
