"""`eremite count --by` and its forecast: a line for each declared group, and one sentence for what does not fit."""

import json
from pathlib import Path

import pytest

from eremite import Release
from tests.end_to_end.command_line import Captured, refused, run, run_json, words

ASKED = ("-k", "3", "-r", "0.05")


@pytest.fixture(autouse=True)
def wards(patients: Path) -> None:
    """The patients, each on one of two wards; a third one is declared, and empty."""
    lines = (patients / "patients.csv").read_text().splitlines()
    named = [f"{line},{'AB'[number % 2]}" for number, line in enumerate(lines[1:])]
    (patients / "patients.csv").write_text("\n".join([f"{lines[0]},ward", *named, ""]))
    described = (patients / "patients.toml").read_text()
    listed = '[columns]\nward = { categories = ["A", "B", "C"] }\n'
    (patients / "patients.toml").write_text(described.replace("[columns]\n", listed))


def test_panel_has_a_line_for_each_declared_group(capsys: Captured) -> None:
    code, out, err = run(capsys, "count", "patients.toml", *ASKED, "--by", "ward", "--epsilon", "1")
    assert (code, err) == (0, "")
    said = words(out)
    assert "outliers in bmi and pulse, by ward, each count with noise about " in said
    assert all(f" {ward} " in said for ward in "ABC")
    assert "only rows of the same group are neighbors" in said
    assert "spent epsilon 1, pure" in said


def test_json_is_the_release_and_a_picture_is_written(capsys: Captured, tmp_path: Path) -> None:
    picture = tmp_path / "groups.svg"
    options = ("--by", "ward", "--epsilon", "0.5", "--json", "--plot", str(picture))
    code, out, err = run(capsys, "count", "patients.toml", *ASKED, *options)
    assert (code, err) == (0, "")
    release = Release.from_json(out)
    assert (release.query, list(release.value)) == ("count_outliers_by", ["A", "B", "C"])  # type: ignore[arg-type]
    assert [group for group, _ in json.loads(out)["value"]] == ["A", "B", "C"]
    assert "by ward" in picture.read_text()


def test_forecast_has_a_line_for_each_group_and_spends_nothing(capsys: Captured) -> None:
    asked = ("patients.toml", *ASKED, "--by", "ward", "--rows", "300", "--epsilon", "0.5,1")
    code, out, err = run(capsys, "forecast", *asked)
    assert (code, err) == (0, "")
    assert "95 % of the counts in bmi and pulse, by ward, are off by at most" in words(out)
    groups = run_json(capsys, "forecast", "count", *asked)["groups"]
    assert [(one["group"], len(one["errors"])) for one in groups] == [("A", 2), ("B", 2), ("C", 2)]
    assert run_json(capsys, "budget", "patients.toml")["budgets"][0]["charges"] == 0


BAD = [
    (("--by", "bmi"), "'bmi' is a coordinate"),
    (("--by", "floor"), "'floor' is not in the categories"),
    (("--by", "ward", "--within", "ward"), "both by and within"),
    (("--by", "ward", "--mechanism", "global-laplace"), "leave out --delta and --mechanism"),
]


@pytest.mark.parametrize(("options", "sentence"), BAD)
def test_groups_that_do_not_fit_are_refused_in_one_sentence(
    capsys: Captured, options: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refused(capsys, "count", "patients.toml", *ASKED, *options, "--epsilon", "0.5")
