"""`eremite choose-radius`, privately and for free."""

import json
from pathlib import Path

import numpy as np
import pytest

from eremite import Release
from eremite.cli import main

DESCRIPTION = """
[dataset]
name = "patients"
source = "patients.csv"
[columns]
bmi = { min = 10, max = 60 }
pulse = { min = 30, max = 200 }
[budget]
epsilon = 2.0
"""
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = np.random.default_rng(1).normal([25, 75], [4, 8], (300, 2))
    np.savetxt(tmp_path / "patients.csv", rows, delimiter=",", header="bmi,pulse", comments="")
    (tmp_path / "patients.toml").write_text(DESCRIPTION)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def run(capsys: Captured, *more: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["choose-radius", "patients.toml", "-k", "3", *more])
    out, err = capsys.readouterr()
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, out, err


def test_radius_is_drawn_privately(capsys: Captured) -> None:
    code, out, err = run(capsys, "--share", "0.05", "--epsilon", "1")
    assert (code, err) == (0, "")
    assert "drawn as the one with a share of 0.05 outliers in bmi and pulse" in " ".join(out.split())
    code, out, _ = run(capsys, "--share", "1/20", "--epsilon", "1", "--radii", "0.01,0.1", "--json")
    assert code == 0
    assert Release.from_json(out).value in ("0.01", "0.1")
    assert run(capsys, "--share", "0.05", "--epsilon", "1")[0] == 3


def test_radius_of_made_up_rows_is_free(capsys: Captured, folder: Path) -> None:
    (folder / "patients.csv").unlink()
    code, out, err = run(capsys, "--share", "0.05", "--from-stand-in", "--rows", "2000", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert abs(found["outliers"] - 100) < 80
    assert f"radius {found['radius']}" in run(capsys, "--share", "0.05", "--from-stand-in", "--rows", "2000")[1]
    assert not (folder / "patients.db").exists()


BAD = [
    (["--share", "0.05"], "Give --epsilon to ask the table privately, or --from-stand-in"),
    (["--share", "0.05", "--epsilon", "1", "--from-stand-in"], "Give --epsilon"),
    (["--share", "0.05", "--from-stand-in"], "give --rows"),
    (["--epsilon", "1"], "Missing option '--share'"),
    (["--share", "5", "--epsilon", "1"], "share must be above 0 and below 1"),
    (["--share", "0.1", "--epsilon", "1", "--radii", "0.1,x"], "radii must be a number"),
    (["--share", "0.1", "--epsilon", "1", "--columns", "weight"], "Column 'weight'"),
]


@pytest.mark.parametrize(("more", "sentence"), BAD)
def test_bad_choice_exits_2_in_one_sentence(capsys: Captured, folder: Path, more: list[str], sentence: str) -> None:
    code, out, err = run(capsys, *more)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err
