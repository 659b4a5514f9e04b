"""`eremite count` as a person meets it: the panel, the JSON, the refusals."""

import os
import pty
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

from eremite import Release
from eremite.mechanisms import entropy
from tests.end_to_end.command_line import COMMAND, NEW_LEDGER, Captured, error_in, refused, run, words
from tests.end_to_end.patients import description, write_csv

BOUNDS = {"bmi": (10, 60), "blood, sugar": (40, 400)}
BUDGET = "epsilon = 2.0\ndelta = 1e-5"
pytestmark = pytest.mark.usefixtures("wide")


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    rows = np.random.default_rng(1).normal([25, 100], [4, 20], (1200, 2))
    rows[7] = 31337.4242, 90
    write_csv(tmp_path / "patients.csv", ["name", *BOUNDS], (("SECRETCELL", *row) for row in rows))
    (tmp_path / "patients.toml").write_text(description(BOUNDS, budget=BUDGET))
    return tmp_path


def count(capsys: Captured, folder: Path, *arguments: object) -> tuple[int, str, str]:
    return run(capsys, "count", folder / "patients.toml", *arguments)


def asked(**changes: object) -> list[str]:
    """A request that fits, but for the changes; an option changed to None is left out."""
    options = {"-k": 5, "-r": 0.05, "--epsilon": 0.2} | {f"--{name}": value for name, value in changes.items()}
    for short, name in (("-k", "--k"), ("-r", "--r")):
        options[short] = options.pop(name, options[short])
    return [str(part) for option, value in options.items() if value is not None for part in (option, value)]


def test_panel_says_what_was_asked_spent_left_and_protected(
    capsys: Captured, patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entropy, "system_bits", lambda n: 1 << n - 1)  # the middle of the noise
    code, out, err = count(capsys, patients, *asked(columns='bmi,"blood, sugar"'))
    assert (code, err) == (0, "")
    found = re.fullmatch(
        r"count about (\d+) of 1,200 rows are outliers in bmi and blood, sugar "
        r"outlier a row with fewer than 5 other rows within distance 0\.05; distances run from 0 to 1, "
        r"as the public bounds scale every column "
        r"true count between 0 and (\d+), 95 times in 100, whatever the rows are "
        r"noise one draw for a count from below, which one place changes by at most 1, and for one from above, which "
        r"it changes by at most 3 "
        r"spent epsilon 0\.2, pure; noise: reach-pair "
        r"left epsilon 1\.8, delta 5e-06 for all later questions; see eremite budget "
        r"protects every row: with any one row replaced, any outcome would be at most 1\.23 times as likely",
        words(out),
    )
    assert found is not None, words(out)
    assert 0 < int(found[1]) < int(found[2]) < 1200


def test_panel_of_a_count_from_below_says_how_far_off_it_may_be(capsys: Captured, patients: Path) -> None:
    code, out, err = count(capsys, patients, *asked(columns='bmi,"blood, sugar"', mechanism="reach"))
    assert (code, err) == (0, "")
    assert re.search(
        r"true count at least \d+, 95 times in 100, whatever the rows are "
        r"noise 95 % of all such answers are within 31 of the capped count, which one place changes by at most 1; how "
        r"many crowded rows were not counted is private: the forecast says what to expect "
        r"error 95 % of such counts are off by \d+ at most: between \d+ and \d+(, so there may be none or that many)? "
        r"from a crowded table of 1,200 rows "
        r"spent epsilon 0\.2, pure; noise: reach ",
        words(out),
    ), words(out)


def test_count_from_both_sides_says_between_which_numbers_the_truth_lies(capsys: Captured, patients: Path) -> None:
    request = asked(columns='bmi,"blood, sugar"', confidence="0.9")
    code, out, err = count(capsys, patients, *request)
    assert (code, err) == (0, "")
    found = re.search(r"true count between (\d+) and ([\d,]+), 90 times in 100, whatever the rows are", words(out))
    assert found is not None, words(out)
    assert 0 <= int(found[1]) <= int(found[2].replace(",", "")) <= 1200
    code, out, err = count(capsys, patients, *asked(confidence="0.3"))
    assert (code, out) == (2, "")
    assert "confidence must be from 0.5 to 0.999" in " ".join(err.split())


def test_panel_of_a_gaussian_and_a_person_with_more_rows(capsys: Captured, patients: Path) -> None:
    (patients / "patients.toml").write_text(description(BOUNDS, more="rows_per_person = 3", budget=BUDGET))
    request = asked(columns="bmi", epsilon="1/3", delta="1e-6", mechanism="gaussian", k=1)
    code, out, err = count(capsys, patients, *request)
    assert (code, err) == (0, "")
    assert "fewer than 1 other row within" in words(out)
    assert "spent epsilon 1/3, delta 1e-06; noise: gaussian left epsilon 5/3, delta 4e-06 for all later" in words(out)
    assert words(out).endswith(
        "protects every person, with up to 3 rows: with any one person replaced, any outcome would be at most 1.40 "
        "times as likely, plus 1e-06"
    )


def test_panel_fits_a_narrow_terminal(capsys: Captured, patients: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    out = count(capsys, patients, *asked())[1]
    assert {len(line) for line in out.splitlines()} == {50}


def test_panel_prints_names_on_one_line_and_not_as_markup(capsys: Captured, patients: Path) -> None:
    names = ["a\nleft epsilon 9", "[bold]b[/bold]", ":smile:", "\x1b[31mred", "\u202eback", "x[/]"]
    rows = {name: np.linspace(0, 1, 30) for name in names}
    pyarrow.feather.write_feather(pa.table(rows), str(patients / "p.arrow"))
    (patients / "patients.toml").write_text(description(dict.fromkeys(names, (0, 1)), source="p.arrow"))
    code, out, _ = count(capsys, patients, *asked())
    assert code == 0
    shown = "'a\\nleft epsilon 9', [bold]b[/bold], :smile:, '\\x1b[31mred', '\\u202eback' and x[/]"
    assert f"rows are outliers in {shown} outlier a row" in words(out)
    assert "\x1b" not in out


def test_panel_cuts_a_long_list_of_columns(capsys: Captured, patients: Path) -> None:
    names = [f"c{i}" for i in range(15)]
    write_csv(patients / "patients.csv", names, [[1] * 15] * 10)
    (patients / "patients.toml").write_text(description(dict.fromkeys(names, (0, 2))))
    assert "in c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10 and 4 more columns" in words(
        count(capsys, patients, *asked())[1]
    )


def test_panel_is_printed_whatever_letters_the_terminal_has(patients: Path) -> None:
    (patients / "patients.csv").write_text("身長\n" + "20\n" * 30)
    (patients / "patients.toml").write_text(description({"身長": (0, 40)}))
    command = [*COMMAND, "count", str(patients / "patients.toml"), *asked()]
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert b"of 30 rows are outliers in \\u8eab\\u9577" in done.stdout
    assert NEW_LEDGER.sub("", done.stderr.decode()) == ""


def test_json_is_the_release(capsys: Captured, patients: Path) -> None:
    request = asked(columns='"blood, sugar"', epsilon="0.1", delta="1e-6", mechanism="global-gaussian")
    code, out, err = count(capsys, patients, *request, "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    release = Release.from_json(out)
    assert release.to_json() + "\n" == out
    assert (release.epsilon, release.delta) == (Fraction(1, 10), Fraction(1, 10**6))
    assert (release.columns, release.mechanism) == (("blood, sugar",), "global-gaussian")


@pytest.mark.parametrize(
    ("columns", "meant"),
    [
        (None, ("bmi", "blood, sugar")),
        ('"blood, sugar",bmi', ("blood, sugar", "bmi")),
        ('bmi, "blood, sugar"', ("bmi", "blood, sugar")),
        ('"bmi"', ("bmi",)),
    ],
)
def test_columns_are_a_line_of_csv(capsys: Captured, patients: Path, columns: str | None, meant: tuple[str]) -> None:
    out = count(capsys, patients, *asked(columns=columns), "--json")[1]
    assert Release.from_json(out).columns == meant


BAD = [
    ({"epsilon": "0"}, "epsilon must be above 0."),
    ({"epsilon": "-0.5"}, "epsilon must be above 0."),
    ({"epsilon": "nan"}, "epsilon must be a finite number."),
    ({"epsilon": "inf"}, "epsilon must be a finite number."),
    ({"epsilon": "21"}, "epsilon must be at most 20"),
    ({"epsilon": "1e-9"}, "epsilon must be at least 0.000001"),
    ({"epsilon": "much"}, "epsilon must be a number, written like 0.5."),
    ({"epsilon": ""}, "epsilon must be a number, written like 0.5."),
    ({"epsilon": "9" * 5000}, "epsilon must have at most 300 digits"),
    ({"epsilon": None}, "Missing option '--epsilon'"),
    ({"delta": "-1"}, "delta must be at least 0 and below 1."),
    ({"delta": "1"}, "delta must be at least 0 and below 1."),
    ({"delta": "nan"}, "delta must be a finite number."),
    ({"delta": "few"}, "delta must be a number, written like 0.5."),
    ({"columns": "weight"}, "Column 'weight' is not in the table, which has: 'bmi' and 'blood, sugar'"),
    ({"columns": "blood, sugar"}, "Columns 'blood' and 'sugar' are not in the table"),
    ({"columns": "bmi,bmi"}, "A column is chosen more than once"),
    ({"columns": "bmi,"}, "Column '' is not in the table"),
    ({"columns": ""}, "Give a list of one or more columns"),
    ({"columns": '"bmi'}, "--columns must be column names separated by commas"),
    ({"columns": "bmi\nbmi"}, "--columns must be column names separated by commas"),
    ({"mechanism": "laplace"}, "mechanism must be one of auto, reach, reach-pair, smooth-laplace"),
    ({"mechanism": "gaussian"}, "gaussian needs a delta above 0"),
    ({"mechanism": "gaussian-paper", "epsilon": "1", "delta": "1e-6"}, "proved for epsilon below 1 only"),
    ({"k": "0"}, "min_neighbors must be a whole number, 1 or more."),
    ({"k": "-3"}, "min_neighbors must be a whole number, 1 or more."),
    ({"k": "1200"}, "min_neighbors 1200 does not fit a table of 1,200 rows"),
    ({"k": "2.5"}, "-k (--min-neighbors) must be a whole number, written like 5."),
    ({"k": None}, "Missing option '-k'"),
    ({"r": "0"}, "radius must be a number above 0"),
    ({"r": "nan"}, "radius must be a number above 0"),
    ({"r": "1"}, "radius 1.0 does not fit"),
    ({"r": "7"}, "radius 7.0 does not fit"),
    ({"r": "near"}, "-r (--radius) must be a number, written like 0.5."),
]


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(("changes", "sentence"), BAD, ids=[str(changes)[:40] for changes, _ in BAD])
def test_bad_input_exits_2_in_one_sentence(
    capsys: Captured, patients: Path, changes: dict[str, str], sentence: str, as_json: list[str]
) -> None:
    assert sentence in refused(capsys, "count", patients / "patients.toml", *asked(**changes), *as_json)


def test_description_without_a_budget_exits_2(capsys: Captured, patients: Path) -> None:
    (patients / "patients.toml").write_text(description(BOUNDS, budget=""))
    err = refused(capsys, "count", patients / "patients.toml", *asked())
    assert err == f"Error: {patients / 'patients.toml'} sets no budget; add [budget] with epsilon before asking.\n"


@pytest.mark.parametrize("missing", ["patients.toml", "patients.csv"])
def test_missing_file_exits_2(capsys: Captured, patients: Path, missing: str) -> None:
    (patients / missing).unlink()
    assert missing in refused(capsys, "count", patients / "patients.toml", *asked())


@pytest.mark.parametrize(
    ("changes", "needs"),
    [
        ({"epsilon": "2.000001"}, "epsilon 2 left; this release needs 2.000001"),
        ({"delta": "1e-4", "mechanism": "gaussian"}, "delta 1e-05 left; this release needs delta 0.0001"),
    ],
)
def test_more_than_the_budget_exits_3(capsys: Captured, patients: Path, changes: dict[str, str], needs: str) -> None:
    code, out, err = count(capsys, patients, *asked(**changes), "--json")
    assert (code, out) == (3, "")
    said = f"Error: Dataset 'patients' has {needs}. Ask for less, or have the custodian raise the cap.\n"
    assert error_in(err, 3) == said
    assert count(capsys, patients, *asked(**changes)) == (3, "", said)


def test_whole_budget_may_be_spent_once(capsys: Captured, patients: Path) -> None:
    for left in ("1.2", "0.4"):
        code, out, _ = count(capsys, patients, *asked(epsilon="0.8"))
        assert code == 0
        assert f"left epsilon {left}, delta 5e-06 for all later" in words(out)
    assert count(capsys, patients, *asked(epsilon="0.4"))[0] == 0
    code, _, err = count(capsys, patients, *asked(epsilon="0.4"))
    assert code == 3
    assert "Dataset 'patients' has epsilon 0 left; this release needs 0.4" in err


def test_request_asked_again_gives_the_same_answer_for_free(capsys: Captured, patients: Path) -> None:
    answers = [count(capsys, patients, *asked(epsilon="1.5"), "--request-id", "march", "--json")[1] for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert Release.from_json(answers[0]).request_id == "march"
    code, out, err = count(capsys, patients, *asked(epsilon="0.5"), "--request-id", "march")
    assert (code, out) == (2, "")
    assert "Request id 'march' was used for another request" in err
    assert count(capsys, patients, *asked(epsilon="0.5"))[0] == 0


def test_ledger_may_be_kept_elsewhere(capsys: Captured, patients: Path) -> None:
    elsewhere = ["--ledger", patients / "budgets" / "all.db"]
    code, _, err = count(capsys, patients, *asked(epsilon="2"), *elsewhere)
    assert code == 2
    assert "budgets" in err
    (patients / "budgets").mkdir()
    assert count(capsys, patients, *asked(epsilon="2"), *elsewhere)[0] == 0
    assert count(capsys, patients, *asked(epsilon="1"), *elsewhere)[0] == 3
    assert not (patients / "patients.db").exists()


def test_internal_error_does_not_say_that_nothing_was_charged(
    capsys: Captured, patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(plan: object, table: object, progress: object) -> int:
        raise RuntimeError("31337." + "4242")

    monkeypatch.setattr("eremite.queries.count.CountPlan.compute", fail)
    monkeypatch.delenv("EREMITE_DEBUG", raising=False)
    assert count(capsys, patients, *asked()) == (
        1,
        "",
        "Error: eremite hit an internal error (RuntimeError); what was charged stays charged. "
        "Run with EREMITE_DEBUG=1 to see where.\n",
    )


def test_help_names_every_option(capsys: Captured) -> None:
    code, out, _ = run(capsys, "count", "--help")
    assert code == 0
    assert not [o for o in ("-k", "-r", "--columns", "--epsilon", "--delta", "--mechanism", "--json") if o not in out]


def test_sign_of_life_goes_to_a_terminal_only(patients: Path) -> None:
    """With FORCE_COLOR rich takes any file for a terminal; stderr stays clean all the same."""
    command = [*COMMAND, "count", str(patients / "patients.toml"), *asked(), "--json"]
    environment = os.environ | {"FORCE_COLOR": "1", "TERM": "xterm"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert NEW_LEDGER.sub("", done.stderr) == ""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    out, _ = process.communicate(timeout=600)
    seen = os.read(ours, 1 << 16)
    os.close(ours)
    assert process.returncode == 0
    assert b"Counting" in seen
    assert Release.from_json(out.decode()).query == "count_outliers"
