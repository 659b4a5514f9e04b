"""`eremite choose-radius`, privately and for free."""

import json
from pathlib import Path

import pytest

from eremite import Release
from tests.end_to_end.command_line import Captured, refused, run

CHOOSE = ("choose-radius", "patients.toml", "-k", "3")
pytestmark = pytest.mark.usefixtures("patients")


def test_radius_is_drawn_privately(capsys: Captured) -> None:
    code, out, err = run(capsys, *CHOOSE, "--share", "0.05", "--epsilon", "1")
    assert (code, err) == (0, "")
    assert "drawn as the one with a share of 0.05 outliers in bmi and pulse" in " ".join(out.split())
    code, out, _ = run(capsys, *CHOOSE, "--share", "1/20", "--epsilon", "1", "--radii", "0.01,0.1", "--json")
    assert code == 0
    assert Release.from_json(out).value in (0.01, 0.1)
    assert run(capsys, *CHOOSE, "--share", "0.05", "--epsilon", "1")[0] == 3


def test_radius_of_made_up_rows_is_free(capsys: Captured, patients: Path) -> None:
    (patients / "patients.csv").unlink()
    code, out, err = run(capsys, *CHOOSE, "--share", "0.05", "--from-stand-in", "--rows", "2000", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert abs(found["outliers"] - 100) < 80
    assert (
        f"radius {found['radius']}" in run(capsys, *CHOOSE, "--share", "0.05", "--from-stand-in", "--rows", "2000")[1]
    )
    assert not (patients / "patients.db").exists()


BAD = [
    (["--share", "0.05"], "Give --epsilon to ask the table privately, or --from-stand-in"),
    (["--share", "0.05", "--epsilon", "1", "--from-stand-in"], "Give --epsilon"),
    (["--share", "0.05", "--from-stand-in"], "give rows (--rows)"),
    (["--epsilon", "1"], "Missing option '--share'"),
    (["--share", "5", "--epsilon", "1"], "share must be above 0 and below 1"),
    (["--share", "0.1", "--epsilon", "1", "--radii", "0.1,x"], "each of --radii must be a number, written like 0.5."),
    (["--share", "0.1", "--epsilon", "1", "--columns", "weight"], "Column 'weight'"),
]


@pytest.mark.parametrize(("more", "sentence"), BAD)
def test_bad_choice_exits_2_in_one_sentence(capsys: Captured, more: list[str], sentence: str) -> None:
    assert sentence in refused(capsys, *CHOOSE, *more)
