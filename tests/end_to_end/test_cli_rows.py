"""`eremite rows`: the panel where the number is private, one sentence where it is public."""

from pathlib import Path

import pytest

from eremite import Release
from eremite.mechanisms import entropy
from tests.end_to_end.command_line import Captured, run, run_json, words

pytestmark = pytest.mark.usefixtures("wide", "patients")


@pytest.fixture
def private_number(wide: object, patients: object) -> None:  # after the files are there
    described = Path("patients.toml").read_text()
    relation = '[dataset]\nneighbors = "add-remove"\nrows_about = 500\n'
    Path("patients.toml").write_text(described.replace("[dataset]\n", relation))


def rows(capsys: Captured, *options: str) -> tuple[int, str, str]:
    return run(capsys, "rows", "patients.toml", "--epsilon", "0.5", *options)


@pytest.mark.usefixtures("private_number")
def test_panel_says_the_number_and_how_far_off_it_may_be(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropy, "system_bits", lambda n: 1 << n - 1)  # the middle of the noise
    code, out, err = rows(capsys)
    assert (code, err) == (0, "")
    number = len(Path("patients.csv").read_text().splitlines()) - 1
    said = words(out)
    assert said.startswith(
        f"rows about {number:,} rows are in the table error 95 % of such answers are off by 6 at most"
    )
    assert "spent epsilon 0.5, pure; noise: global-laplace" in said


@pytest.mark.usefixtures("private_number")
def test_json_of_rows_is_the_release(capsys: Captured) -> None:
    code, out, err = rows(capsys, "--json", "--columns", "bmi")
    assert (code, err) == (0, "")
    release = Release.from_json(out)
    assert release.to_json() + "\n" == out
    assert (release.query, release.definition, release.columns) == ("count_rows", None, ("bmi",))


def test_forecast_of_rows_needs_no_stand_in_and_no_number(capsys: Captured) -> None:
    code, out, err = run(capsys, "forecast", "rows", "patients.toml", "--epsilon", "0.1,1")
    assert (code, err) == (0, "")
    assert "0.1 7 30 1 1 3 Nothing was spent." in words(out)
    errors = run_json(capsys, "forecast", "rows", "patients.toml", "--epsilon", "1/3")["errors"]
    assert [(error["epsilon"], error["most"]) for error in errors] == [("1/3", 9.0)]


def test_public_number_exits_2_in_one_sentence(capsys: Captured) -> None:
    code, out, err = rows(capsys)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith('Error: The number of rows is public, because neighbors is "replace": there are ')


@pytest.mark.usefixtures("private_number")
def test_count_tells_the_number_of_rows_too(capsys: Captured) -> None:
    asked = ("count", "patients.toml", "-k", "5", "-r", "0.05", "--columns", "bmi", "--epsilon", "0.5", "--rows")
    code, out, err = run(capsys, *asked, "--json")
    assert (code, err) == (0, "")
    number, release = len(Path("patients.csv").read_text().splitlines()) - 1, Release.from_json(out)
    assert isinstance(release.rows, int)
    assert abs(release.rows - number) < 100
    code, out, err = run(capsys, *asked)
    assert (code, err) == (0, "")
    assert "take part; 95 times in 100, the true number is within" in words(out)


def test_number_of_rows_that_is_public_is_no_part_of_a_count(capsys: Captured) -> None:
    asked = ("count", "patients.toml", "-k", "5", "-r", "0.05", "--columns", "bmi", "--epsilon", "0.5", "--rows")
    code, out, err = run(capsys, *asked)
    assert (code, out) == (2, "")
    assert 'rows is for neighbors "add-remove"' in " ".join(err.split())
