"""Strata on the command line: `--within`, its forecasts, and files of points that are read as the table is."""

from pathlib import Path

import numpy as np
import pytest

from eremite import Release
from tests.end_to_end.command_line import Captured, refused, run, run_json, words

DESCRIPTION = """\
[dataset]
name = "patients"
source = "patients.csv"
separator = ";"
decimal = ","
encoding = "latin-1"
missing_values = ["NA"]

[columns]
bmi      = { min = 10, max = 60 }
admitted = { min = 2020-01-01, max = 2021-01-01 }
smokes   = { min = false, max = true }
pulse    = { min = 30, max = 200, missing = "leave-out" }
weight   = { min = 30, max = 200, missing = 70 }
ward     = { categories = ["Süd", "Nord"] }
sex      = { categories = ["f", "m"], missing = "leave-out" }

[budget]
epsilon = 12
"""
HEAD = "bmi;admitted;smokes;pulse;weight;ward;sex"
POINTS = f"{HEAD};who\n25,5;2020-07-01;no;75;;Süd;f;ann\n25,5;2020-07-01;no;75;70;Nord;f;bob\n"
ASKED = ("-k", 5, "-r", 0.05)
LONELY = "--columns", "bmi,admitted,smokes"
pytestmark = pytest.mark.usefixtures("wide")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Everybody is in the ward Süd, but for three: whoever is in Nord stands alone there."""
    rng = np.random.default_rng(3)
    lines = [
        f"{bmi:.1f};2020-0{month}-01;{'yes' if month == 6 else 'no'};;NA;{'Nord' if i < 3 else 'Süd'};{'fm'[i % 2]}"
        for i, (bmi, month) in enumerate(zip(rng.normal(25.5, 1, 400), rng.integers(6, 9, 400), strict=True))
    ]
    write(tmp_path / "patients.csv", "\n".join([HEAD, *(line.replace(".", ",") for line in lines), ""]))
    write(tmp_path / "points.csv", POINTS)
    (tmp_path / "patients.toml").write_text(DESCRIPTION, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("latin-1"))


SETS = ("--size", 2, "--top", 1)
COMMANDS = {
    "count": ("--columns", "bmi"),
    "subspaces": SETS,
    "report": SETS,
    "detect": ("points.csv", "--top", 1, *LONELY),
    "explain": ("points.csv", "--top", 1, "--max-size", 1, *LONELY),
    "choose-radius": ("--columns", "bmi", "--share", "0.1"),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", COMMANDS)
def test_question_within_strata_says_so(capsys: Captured, command: str) -> None:
    defined = ASKED[:2] if command == "choose-radius" else ASKED
    asked = (command, "patients.toml", *COMMANDS[command], *defined, "--within", "ward,sex", "--epsilon", 2)
    release = Release.from_json(run(capsys, *asked, "--json", "--request-id", "one")[1])
    assert release.definition is not None
    assert release.definition.within == ("ward", "sex")
    assert "that agree with it on ward and sex within" in words(run(capsys, *asked, "--request-id", "one")[1])


@pytest.mark.usefixtures("folder")
def test_points_are_read_and_shown_as_the_description_says(capsys: Captured) -> None:
    options = ("--top", 1, "--epsilon", 8, "--within", "ward", "--columns", "bmi,admitted,smokes,weight")
    code, out, err = run(capsys, "detect", "patients.toml", "points.csv", *ASKED, *options)
    assert (code, err) == (0, "")
    assert "1. candidate 2 bmi = 25.5, admitted = 2020-07-01, smokes = false, weight = 70 and ward = Nord" in words(out)


FORECASTS = {
    "count": ("--columns", "bmi", "--within", 40),
    "mechanisms": ("--columns", "bmi"),
    "subspaces": (*SETS, "--epsilon", 1),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", FORECASTS)
def test_forecast_within_strata_says_so(capsys: Captured, command: str) -> None:
    asked = ("forecast", command, "patients.toml", *FORECASTS[command], *ASKED, "--rows", 500, "--strata", "ward")
    assert run_json(capsys, *asked)["definition"]["within"] == ["ward"]
    assert "among rows that agree on ward" in words(run(capsys, *asked)[1])


@pytest.mark.usefixtures("folder")
def test_radius_of_a_stand_in_is_chosen_within_strata(capsys: Captured) -> None:
    asked = ("choose-radius", "patients.toml", "-k", 5, "--share", "0.1", "--from-stand-in", "--rows", 500)
    apart = run_json(capsys, *asked, "--columns", "bmi", "--within", "ward,sex")
    assert apart["within"] == ["ward", "sex"]
    assert apart["radius"] > run_json(capsys, *asked, "--columns", "bmi")["radius"]


REFUSED = [
    (("count", "--within", "bmi"), "Column 'bmi' is a coordinate; give it categories, or choose a column that has"),
    (("count", "--within", "room"), "Column 'room' is not in the categories, which has: 'ward' and 'sex'"),
    (("count", "--within", "sex,sex"), "within names a column more than once"),
    (("count", "--columns", "ward"), "Column 'ward' has categories and no bounds"),
    (("detect", "points.csv", "--top", 1, "--within", "room"), "Column 'room' is not in the categories"),
    (("forecast", "--within", "ward"), "--within must be a number here, how far off a count may be; columns with"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("asked", "sentence"), REFUSED, ids=str)
def test_bad_strata_exit_2_in_one_sentence(capsys: Captured, asked: tuple[object, ...], sentence: str) -> None:
    command, *more = asked
    spent = () if command == "forecast" else ("--epsilon", 1)
    assert sentence in refused(capsys, command, "patients.toml", *more, *ASKED, *spent)


BAD_POINTS = [
    ("25,5;2020-07-01;no;75;70;West;f", "row 1 has 'West' in column 'ward'; give one of 'Süd' and 'Nord'."),
    ("25,5;2020-07-01;no;75;70;Süd;NA", "row 1 has no value in column 'sex'; give every candidate one."),
    ("25,5;2020-13-01;no;75;70;Süd;f", "row 1 has no date in column 'admitted'; give every candidate a date there"),
    ("25,5;2020-07-01;perhaps;75;70;Süd;f", "row 1 has neither true nor false in column 'smokes'"),
    ("25,5;2020-07-01;no;;70;Süd;f", "row 1 has no finite number in column 'pulse'"),
    ("25.5;2020-07-01;no;75;70;Süd;f", "row 1 has no finite number in column 'bmi'"),
]


@pytest.mark.parametrize(("line", "sentence"), BAD_POINTS)
def test_bad_points_are_shown_by_row_and_cell(capsys: Captured, folder: Path, line: str, sentence: str) -> None:
    write(folder / "points.csv", f"{HEAD}\n{line}\n")
    options = ("--top", 1, "--max-size", 1, "--epsilon", 1, "--within", "ward,sex")
    assert sentence in refused(capsys, "explain", "patients.toml", "points.csv", *ASKED, *options)
