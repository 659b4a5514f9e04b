"""`eremite forecast` as an analyst meets it: no private table is opened, nothing is spent."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eremite.cli import main

DESCRIPTION = """
[dataset]
name = "patients"
source = "patients.csv"  # is not there
[columns]
bmi = { min = 10, max = 60 }
pulse = { min = 30, max = 200 }
[budget]
epsilon = 2.0
"""
Captured = pytest.CaptureFixture[str]
ASKED = ["forecast", "patients.toml", "-k", "5", "-r", "0.05"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "patients.toml").write_text(DESCRIPTION)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def run(capsys: Captured, *more: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main([*ASKED, *more])
    out, err = capsys.readouterr()
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, out, err


def told(capsys: Captured, *more: str) -> Any:
    code, out, err = run(capsys, *more, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_forecast_from_made_up_rows(capsys: Captured, folder: Path) -> None:
    code, out, err = run(capsys, "--rows", "3000", "--columns", "bmi")
    assert (code, err) == (0, "")
    assert "on 3,000 made-up rows, in twenty clusters" in out
    assert "Nothing was spent." in out
    found = told(capsys, "--rows", "3000", "--columns", "bmi")
    assert [error["epsilon"] for error in found["errors"]] == [0.1, 0.2, 0.5, 1, 2]
    assert found["errors"][0]["most"] > found["errors"][4]["most"] > found["errors"][4]["median"]
    assert sorted(folder.iterdir()) == [folder / "patients.toml"]  # no ledger


def test_forecast_from_the_stand_in(capsys: Captured, folder: Path) -> None:
    rows = np.random.default_rng(1).normal([25, 75], [4, 8], (500, 2))
    np.savetxt(folder / "public.csv", rows, delimiter=",", header="bmi,pulse", comments="")
    (folder / "patients.toml").write_text(DESCRIPTION.replace("[columns]", 'stand_in = "public.csv"\n[columns]'))
    found = told(capsys, "--epsilon", "1")
    assert found["stand_in"] == "500 public rows that stand in for the table"
    assert found["columns"] == ["bmi", "pulse"]


def test_epsilon_that_an_accuracy_needs(capsys: Captured) -> None:
    found = told(capsys, "--rows", "3000", "--within", "40")
    assert found["errors"][0]["epsilon"] == found["epsilon_needed"]
    assert found["errors"][0]["most"] <= 40
    out = run(capsys, "--rows", "3000", "--within", "40")[1]
    assert f"epsilon {found['epsilon_needed']} keeps 95 % of the counts within 40" in out


BAD = [
    ([], "patients.toml names no stand_in, so rows are made up: give --rows"),
    (["--rows", "0"], "give --rows"),
    (["--rows", "9", "-k", "9"], "min_neighbors"),
    (["--rows", "90", "--shape", "round"], "shape must be one of clusters, normal, uniform."),
    (["--rows", "90", "--epsilon", "much"], "epsilon must be a number."),
    (["--rows", "90", "--epsilon", ""], "epsilon must be a number."),
    (["--rows", "90", "--within", "-3"], "within must be above 0."),
    (["--rows", "90", "--columns", "weight"], "Column 'weight' is not in the table"),
]


@pytest.mark.parametrize(("more", "sentence"), BAD)
def test_bad_forecast_exits_2_in_one_sentence(capsys: Captured, more: list[str], sentence: str) -> None:
    code, out, err = run(capsys, *more)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_help_names_every_option(capsys: Captured) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    options = ("--columns", "--epsilon", "--delta", "--mechanism", "--within", "--rows", "--shape", "--json")
    assert not [option for option in options if option not in out]
