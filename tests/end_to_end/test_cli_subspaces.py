"""`eremite subspaces`, `report` and `detect` as a person meets them: the panels, the JSON, the refusals."""

import json
import os
import pty
import re
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from eremite import Release
from eremite.mechanisms import entropy
from tests.end_to_end.command_line import COMMAND, NEW_LEDGER, Captured, error_in, run, words
from tests.end_to_end.patients import description, write_csv

BOUNDS = {"bmi": (10, 60), "blood, sugar": (40, 400), "pulse": (30, 200)}
BUDGET = "epsilon = 6.0\ndelta = 1e-5"
POINTS = 'who,pulse,bmi,"blood, sugar"\nann,75,25,100\nbob,190,58,390\ncyd,70.5,25,110\n'

WARNING = (
    r"(?:At this epsilon the [a-z ]+ named (?:is|are) more likely wrong than right: the chance that "
    r"(?:it is|all of them are) right is (?:about|less than) \d+ %\. )?"
)
CHANCE = (
    r"chance the [a-z ]+ named (?:is|are all) right with a chance of (?:about|more than|less than) \d+ %, if the table "
    r"is like what this is judged by judged by .+?"
)
OUTLIER = "distances run from 0 to 1, as the public bounds scale every column"
LEFT = r"left epsilon {}, delta 5e-06 for all later questions; see eremite budget"
PROTECTS = r"protects every row: with any one row replaced, any outcome would be at most {} times as likely"
pytestmark = pytest.mark.usefixtures("wide")


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """Crowded rows, but for 30 that are scattered in bmi and blood sugar."""
    generator = np.random.default_rng(1)
    rows = generator.normal([25, 100, 75], [2, 10, 4], (400, 3))
    rows[:30, :2] = generator.uniform([10, 40], [60, 400], (30, 2))
    rows[7] = 31337.4242, 90, 75
    write_csv(tmp_path / "patients.csv", ["name", *BOUNDS], (("SECRETCELL", *row) for row in rows))
    (tmp_path / "patients.toml").write_text(description(BOUNDS, budget=BUDGET))
    (tmp_path / "points.csv").write_text(POINTS)
    return tmp_path


@pytest.fixture
def middle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The middle of the noise; of candidates that are kept, one in the middle."""
    monkeypatch.setattr(entropy, "system_bits", lambda n: 1 << n - 1)


def asked(changes: dict[str, object]) -> list[str]:
    """Options that fit, but for the changes; one changed to None is left out, one that is True takes no value."""
    options = {"-k": 5, "-r": 0.05, "--top": 2, "--epsilon": 4} | changes
    parts = [(option,) if value is True else (option, value) for option, value in options.items() if value is not None]
    return [str(part) for pair in parts for part in pair]


def forget(folder: Path) -> None:
    """Every request here finds the budget whole."""
    for file in [*folder.glob("patients.db*"), *folder.glob("patients.ledger-witness.json")]:
        file.unlink()


def subspaces(capsys: Captured, folder: Path, command: str = "subspaces", **changes: object) -> tuple[int, str, str]:
    options = {"--size": 2} | {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
    forget(folder)
    return run(capsys, command, folder / "patients.toml", *asked(options))


def detect(capsys: Captured, folder: Path, *candidates: object, **changes: object) -> tuple[int, str, str]:
    options = {f"--{name}": value for name, value in changes.items()}
    forget(folder)
    return run(capsys, "detect", folder / "patients.toml", *candidates, *asked(options))


def assert_words(panel: str, pattern: str) -> re.Match[str]:
    found = re.fullmatch(pattern, words(panel))
    assert found is not None, words(panel)
    return found


@pytest.mark.usefixtures("middle")
def test_panel_lists_subspaces_in_the_order_drawn(capsys: Captured, patients: Path) -> None:
    code, out, err = subspaces(capsys, patients)
    assert (code, err) == (0, "")
    assert_words(
        out,
        r"subspaces drawn as the 2 sets of columns with the most outliers, in the order drawn "
        rf"{WARNING}1\. bmi and blood, sugar 2\. (bmi|blood, sugar) and pulse "
        r"searched all 3 sets of 2 columns "
        rf"outlier a row with fewer than 5 other rows within distance 0\.05; {OUTLIER} {CHANCE} "
        r"spent epsilon 4, pure; draws: compared, permute-and-flip "
        + LEFT.format(2) + " " + PROTECTS.format(r"54\.60"),
    )  # fmt: skip


@pytest.mark.usefixtures("middle")
def test_panel_of_a_report_has_the_noisy_counts(capsys: Captured, patients: Path) -> None:
    code, out, err = subspaces(capsys, patients, "report")
    assert (code, err) == (0, "")
    found = assert_words(
        out,
        r"report drawn as the 2 sets of columns with the most outliers, in the order drawn, each with its noisy "
        rf"count among 400 rows {WARNING}1\. about (\d+) bmi and blood, sugar "
        r"\d+ \d+ 2\. about \d+ (?:bmi|blood, sugar) and pulse \d+ \d+ "
        r"searched all 3 sets of 2 columns "
        rf"outlier a row with fewer than 5 other rows within distance 0\.05; {OUTLIER} "
        r"true counts each between the numbers beside it, .+? noise one draw each for a count from below, "
        rf".+? {CHANCE} "
        r"spent epsilon 4, pure; draws: compared, permute-and-flip; counts: auto "
        + LEFT.format(2) + " " + PROTECTS.format(r"54\.60"),
    )  # fmt: skip
    assert 20 <= int(found[1]) <= 40


def test_panel_of_one_subspace_among_listed_ones(capsys: Captured, patients: Path) -> None:
    (patients / "patients.toml").write_text(description(BOUNDS, more="rows_per_person = 2", budget=BUDGET))
    options = asked({"--top": 1, "--utility": "paper", "--selection": "exponential", "-k": 1, "--epsilon": "1/3"})
    listed = ["--subspace", "pulse", "--subspace", 'pulse, "blood, sugar"']
    code, out, err = run(capsys, "subspaces", patients / "patients.toml", *options, *listed)
    assert (code, err) == (0, "")
    assert_words(
        out,
        rf"subspaces drawn as the set of columns with the most outliers {WARNING}1\. (blood, sugar and )?pulse "
        r"searched 2 listed sets of columns "
        rf"outlier a row with fewer than 1 other row within distance 0\.05; {OUTLIER} {CHANCE} "
        r"spent epsilon 1/3, pure; draws: paper, exponential "
        + LEFT.format("17/3")
        + r" protects every person, with up to 2 rows: .*",
    )


def test_delta_buys_exponential_draws_where_it_helps(capsys: Captured, patients: Path) -> None:
    code, out, _ = subspaces(capsys, patients, size=None, max_size=3, top=7, epsilon="0.5", delta="1e-5", json=True)
    assert code == 0
    release = Release.from_json(out)
    assert (release.mechanism, release.delta) == ("exponential", Fraction(1, 10**5))
    assert dict(release.parameters)["utility"] == "compared"
    assert len({*release.value}) == 7  # type: ignore[misc]


@pytest.mark.parametrize("command", ["subspaces", "report"])
def test_json_of_subspaces_is_the_release(capsys: Captured, patients: Path, command: str) -> None:
    code, out, err = subspaces(capsys, patients, command, json=True, epsilon="0.1")
    assert (code, err, out.count("\n")) == (0, "", 1)
    release = Release.from_json(out)
    assert release.to_json() + "\n" == out
    assert release.query == {"report": "outlier_report", "subspaces": "top_subspaces"}[command]
    assert (release.epsilon, release.columns) == (Fraction(1, 10), ("bmi", "blood, sugar", "pulse"))
    assert dict(release.parameters) == {"h": 2, "size": 2, "utility": "compared"}


@pytest.mark.usefixtures("middle")
def test_panel_lists_candidates_by_row_with_their_values(capsys: Captured, patients: Path) -> None:
    code, out, err = detect(capsys, patients, patients / "points.csv")
    assert (code, err) == (0, "")
    assert_words(
        out,
        r"detect drawn as the 2 candidates with the fewest rows near them in bmi, blood, sugar and pulse, "
        rf"in the order drawn {WARNING}1\. candidate 2 bmi = 58, blood, sugar = 390 and pulse = 190 "
        r"2\. candidate (1|3) bmi = 25, .* and pulse = (75|70\.5) "
        r"candidates 3 public points "
        rf"outlier a candidate with fewer than 5 rows within distance 0\.05; {OUTLIER} {CHANCE} "
        r"spent epsilon 4, pure; draws: permute-and-flip "
        + LEFT.format(2) + " " + PROTECTS.format(r"54\.60"),
    )  # fmt: skip


def test_panel_of_rows_says_how_close_to_random_it_is(capsys: Captured, patients: Path) -> None:
    code, out, err = detect(capsys, patients, rows=True, top=3, epsilon="0.2", columns='bmi,"blood, sugar"')
    assert (code, err) == (0, "")
    found = assert_words(
        out,
        r"detect drawn as the 3 rows with the fewest rows near them in bmi and blood, sugar, in the order drawn "
        r"At this epsilon the rows named are more likely wrong than right: the chance that all of them are right is "
        r"less than 1 %\. 1\. row (\d+) 2\. row (\d+) 3\. row (\d+) "
        r"candidates the rows of the table, by number: in each draw the loneliest is at most 1\.0\d times as likely as "
        r"any other, so this is close to a random pick unless that factor is large "
        rf"outlier a row with fewer than 5 other rows within distance 0\.05; {OUTLIER} {CHANCE} "
        r"spent epsilon 0\.2, pure; draws: exponential " + LEFT.format(r"5\.8") + " " + PROTECTS.format(r"1\.23"),
    )
    numbers = {int(number) for number in found.groups()}
    assert len(numbers) == 3
    assert numbers <= set(range(1, 401))


def test_panel_of_one_candidate(capsys: Captured, patients: Path) -> None:
    out = detect(capsys, patients, patients / "points.csv", top=1, columns="pulse")[1]
    assert "the candidate with the fewest rows near it in pulse 1. candidate 2 pulse = 190 candidates" in words(out)
    out = detect(capsys, patients, rows=True, top=1, columns="pulse")[1]
    assert "the row with the fewest rows near it in pulse At this epsilon the row named is more likely wrong" in words(
        out
    )


def test_panel_prints_names_on_one_line_and_not_as_markup(capsys: Captured, patients: Path) -> None:
    names = ["a\nleft epsilon 9", "[bold]b[/bold]"]
    rows = {name: np.linspace(0, 1, 30) for name in names}
    pyarrow.feather.write_feather(pa.table(rows), str(patients / "p.arrow"))
    bounds = dict.fromkeys(names, (0, 1))
    (patients / "patients.toml").write_text(description(bounds, source="p.arrow", budget=BUDGET))
    out = subspaces(capsys, patients, top=1)[1]
    assert "1. 'a\\nleft epsilon 9' and [bold]b[/bold] searched" in words(out)
    out = detect(capsys, patients, patients / "p.arrow", top=1)[1]
    numbers = r"candidate \d+ 'a\\nleft epsilon 9' = [\d.]+ and \[bold]b\[/bold] = [\d.]+ candidates"
    assert re.search(numbers, words(out))


def test_panels_fit_a_narrow_terminal(capsys: Captured, patients: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    for _, out, _ in (subspaces(capsys, patients, "report"), detect(capsys, patients, patients / "points.csv")):
        assert {len(line) for line in out.splitlines()} == {50}


@pytest.mark.usefixtures("middle")
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arrow"])
def test_json_of_detect_is_the_release_with_places_from_0(capsys: Captured, patients: Path, ending: str) -> None:
    path = patients / f"candidates.{ending}"
    numbers = pa.table({"pulse": [75, 190], "who": ["a", "b"], "blood, sugar": [100.5, 390.5], "bmi": [True, True]})
    if ending == "parquet":
        pyarrow.parquet.write_table(numbers, path)
    elif ending == "arrow":
        pyarrow.feather.write_feather(numbers, str(path))
    else:
        with pa.output_stream(str(path)) as file:  # compressed where the name says so
            file.write(POINTS.encode())
    code, out, err = detect(capsys, patients, path, json=True, top=1, columns='"blood, sugar",pulse')
    assert (code, err, out.count("\n")) == (0, "", 1)
    release = Release.from_json(out)
    assert release.to_json() + "\n" == out
    assert (release.value, release.query, release.columns) == ((1,), "detect_outliers", ("blood, sugar", "pulse"))


def test_json_of_rows_is_the_release(capsys: Captured, patients: Path) -> None:
    release = Release.from_json(detect(capsys, patients, rows=True, json=True)[1])
    assert all(0 <= row < 400 for row in release.value)  # type: ignore[union-attr, operator]
    assert dict(release.parameters)["candidates"] is None


ONE_OF = "Give one of --size, --max-size and --subspace: which sets of columns to search."
BAD_SUBSPACES = [
    ({"size": None}, ONE_OF),
    ({"max_size": 2}, ONE_OF),
    ({"subspace": "bmi"}, ONE_OF),
    ({"size": 0}, "The size of a subspace must be a whole number from 1 to 3."),
    ({"size": 4}, "The size of a subspace must be a whole number from 1 to 3."),
    ({"size": None, "max_size": 4}, "The size of a subspace must be a whole number from 1 to 3."),
    ({"size": "two"}, "--size must be a whole number, written like 5."),
    ({"size": None, "subspace": "weight"}, "Subspace column 'weight' is not in the table"),
    ({"size": None, "subspace": "bmi,bmi"}, "Column 'bmi' occurs twice in one subspace."),
    ({"size": None, "subspace": ""}, "Each subspace must be a list of one or more column names."),
    ({"size": None, "subspace": '"bmi'}, "--subspace must be column names separated by commas"),
    ({"top": 0}, "How many to name (h) must be a whole number from 1 to 3, the number of candidates."),
    ({"top": 4}, "How many to name (h) must be a whole number from 1 to 3, the number of candidates."),
    ({"top": None}, "Missing option '--top'"),
    ({"epsilon": "0"}, "epsilon must be above 0."),
    ({"epsilon": None}, "Missing option '--epsilon'"),
    ({"delta": "1"}, "delta must be at least 0 and below 1."),
    ({"utility": "best"}, "utility must be one of auto, compared, centered, dampened, paper."),
    ({"selection": "first"}, "selection must be one of permute-and-flip, exponential."),
    ({"command": "report", "utility": "centered"}, "No such option: --utility"),
    ({"command": "report", "size": 4}, "The size of a subspace must be a whole number from 1 to 3."),
    ({"command": "report", "epsilon": "0.000003"}, "epsilon must be at least 0.000001"),
]


@pytest.mark.parametrize("as_json", [None, True], ids=["text", "json"])
@pytest.mark.parametrize(("changes", "sentence"), BAD_SUBSPACES, ids=[str(changes) for changes, _ in BAD_SUBSPACES])
def test_bad_search_exits_2_in_one_sentence(
    capsys: Captured, patients: Path, changes: dict[str, Any], sentence: str, as_json: bool | None
) -> None:
    code, out, err = subspaces(capsys, patients, **changes, json=as_json)
    assert (code, out, err.count("\n")) == (2, "", 1)
    line = error_in(err, 2) if as_json else err
    assert line.startswith("Error: ")
    assert sentence in line


BAD_DETECT = [
    ({"rows": True}, "Give a file of candidates, or --rows for the rows of the table itself, and not both."),
    ({"top": 0}, "How many to name (h) must be a whole number from 1 to 3, the number of candidates."),
    ({"top": 4}, "How many to name (h) must be a whole number from 1 to 3, the number of candidates."),
    ({"columns": "weight"}, "Column 'weight' is not in the table, which has: 'bmi', 'blood, sugar' and 'pulse'"),
    ({"columns": "who"}, "Column 'who' is not in the table"),
    ({"columns": ""}, "Give a list of one or more columns; the table has: 'bmi'"),
    ({"columns": "bmi,bmi"}, "A column is chosen more than once"),
    ({"columns": '"bmi'}, "--columns must be column names separated by commas"),
    ({"epsilon": "-1"}, "epsilon must be above 0."),
    ({"epsilon": "much"}, "epsilon must be a number, written like 0.5."),
]


@pytest.mark.parametrize(("changes", "sentence"), BAD_DETECT, ids=[str(changes) for changes, _ in BAD_DETECT])
def test_bad_ranking_exits_2_in_one_sentence(
    capsys: Captured, patients: Path, changes: dict[str, object], sentence: str
) -> None:
    code, out, err = detect(capsys, patients, patients / "points.csv", **changes)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_ranking_needs_candidates(capsys: Captured, patients: Path) -> None:
    code, out, err = detect(capsys, patients)
    assert (code, out) == (2, "")
    assert err.startswith("Error: Give a file of candidates, or --rows")


BAD_POINTS = [
    ("points.csv", "bmi,pulse\n1,2\n", "Column 'blood, sugar' is not in {path}, which has: 'bmi' and 'pulse'"),
    ("points.csv", POINTS + "dan,80,,90\n", "In {path}, row 4 has no finite number in column 'bmi'"),
    ("points.csv", POINTS + "dan,80,20,many\n", "In {path}, row 4 has no finite number in column 'blood, sugar'"),
    ("points.csv", POINTS + "dan,nan,20,90\n", "In {path}, row 4 has no finite number in column 'pulse'"),
    ("points.csv", POINTS + "dan,80\n", "In {path}, some row does not have the 4 fields of the first line"),
    ("points.csv", POINTS.splitlines()[0] + "\n", "{path} has no rows; give at least one candidate."),
    ("points.csv", "", "{path} cannot be read as CSV"),
    ("points.parquet", POINTS, "{path} cannot be read as Parquet"),
    ("points.doc", POINTS, "{path} has an unknown ending; eremite reads .csv, .tsv"),
    ("absent/points.csv", None, "{path} does not exist"),
]


@pytest.mark.parametrize(("name", "text", "sentence"), BAD_POINTS)
def test_bad_candidates_exit_2_in_one_sentence(
    capsys: Captured, patients: Path, name: str, text: str | None, sentence: str
) -> None:
    path = patients / name
    if text is not None:
        path.write_text(text)
    code, out, err = detect(capsys, patients, path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"Error: {sentence.format(path=path)}")


def test_candidates_of_other_types_exit_2(capsys: Captured, patients: Path) -> None:
    path = patients / "points.parquet"
    nothing = pa.nulls(2)
    pyarrow.parquet.write_table(pa.table({"bmi": ["20", "21"], "pulse": [1.0, None], "blood, sugar": nothing}), path)
    err = detect(capsys, patients, path, columns="bmi")[2]
    assert f"In {path}, column 'bmi' is of type string" in err
    err = detect(capsys, patients, path, columns="pulse")[2]
    assert f"In {path}, row 2 has no finite number in column 'pulse'" in err
    err = detect(capsys, patients, path, columns='"blood, sugar"')[2]
    assert f"In {path}, row 1 has no finite number in column 'blood, sugar'" in err


def test_description_without_a_budget_exits_2(capsys: Captured, patients: Path) -> None:
    (patients / "patients.toml").write_text(description(BOUNDS, budget=""))
    for code, out, err in (subspaces(capsys, patients), detect(capsys, patients, patients / "points.csv")):
        assert (code, out) == (2, "")
        assert err == f"Error: {patients / 'patients.toml'} sets no budget; add [budget] with epsilon before asking.\n"


def test_more_than_the_budget_exits_3(capsys: Captured, patients: Path) -> None:
    more: dict[str, Any] = {"epsilon": "6.5", "json": True}
    for code, out, err in (
        subspaces(capsys, patients, **more),
        subspaces(capsys, patients, "report", **more),
        detect(capsys, patients, patients / "points.csv", **more),
        detect(capsys, patients, rows=True, **more),
    ):
        assert (code, out) == (3, "")
        said = "Error: Dataset 'patients' has epsilon 6 left; this release needs 6.5. Ask for less"
        assert error_in(err, 3).startswith(said)
        assert json.loads(err)["needed"] == {"epsilon": 6.5, "delta": 0}


def test_help_names_every_option_and_where_places_begin(capsys: Captured) -> None:
    shared = ["-k", "-r", "--top", "--epsilon", "--json"]
    own = {
        "subspaces": ["--size", "--max-size", "--subspace", "--delta", "--progress", "--utility", "--selection"],
        "report": ["--size", "--max-size", "--subspace", "--delta", "--progress"],
        "detect": ["candidates", "--rows", "--columns", "candidates from 1", "positions, from 0"],
    }
    for command, options in own.items():
        code, out, err = run(capsys, command, "--help")
        assert (code, err) == (0, "")
        assert not [option for option in shared + options if option not in " ".join(out.split())]


@pytest.mark.parametrize(
    ("typed", "sign"),
    [
        pytest.param(["detect", "patients.toml", "points.csv"], b"Searching", marks=pytest.mark.slow),
        (["subspaces", "patients.toml", "--size", "2"], b"Searching"),
        (["report", "patients.toml", "--size", "2", "--progress"], b"3 sets of columns counted"),
    ],
)
def test_sign_of_life_goes_to_a_terminal_only(patients: Path, typed: list[str], sign: bytes) -> None:
    """Without --progress nothing says how far it is."""
    command = [*COMMAND, *typed, *asked({}), "--json"]
    environment = os.environ | {"FORCE_COLOR": "1", "TERM": "xterm"}
    done = subprocess.run(command, cwd=patients, capture_output=True, text=True, env=environment, check=True)
    assert NEW_LEDGER.sub("", done.stderr) == ""
    forget(patients)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=patients, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    out, _ = process.communicate(timeout=600)
    seen = os.read(ours, 1 << 16)
    os.close(ours)
    assert process.returncode == 0
    assert sign in seen
    assert (b"counted" in seen) == ("--progress" in typed)
    assert Release.from_json(out.decode()).request_id
