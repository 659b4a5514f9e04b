"""`eremite forecast` as an analyst meets it: no private table is opened, nothing is spent."""

from pathlib import Path

import pytest

from eremite.service import schemas
from tests.end_to_end.command_line import Captured, refused, run, run_json, words
from tests.end_to_end.patients import BOUNDS, description, people, write_csv

ASKED = ("forecast", "patients.toml", "-k", "5", "-r", "0.05")
SEARCH = ("forecast", "subspaces", "patients.toml", "-k", "5", "-r", "0.02", "--top", "1")
pytestmark = pytest.mark.usefixtures("folder")  # in which there is no table


def test_forecast_from_made_up_rows(capsys: Captured, folder: Path) -> None:
    code, out, err = run(capsys, *ASKED, "--rows", "3000", "--columns", "bmi")
    assert (code, err) == (0, "")
    assert "a count in bmi on a crowded table of 3,000 rows" in words(out)
    assert "Nothing was spent." in out
    found = run_json(capsys, *ASKED, "--rows", "3000", "--columns", "bmi")
    assert [error["epsilon"] for error in found["errors"]] == [0.1, 0.2, 0.5, 1, 2]
    assert found["errors"][0]["most"] > found["errors"][4]["most"] > found["errors"][4]["median"]
    assert sorted(folder.iterdir()) == [folder / "patients.toml"]  # no ledger


def test_forecast_from_the_stand_in(capsys: Captured, folder: Path) -> None:
    write_csv(folder / "public.csv", BOUNDS, people(500))
    (folder / "patients.toml").write_text(description(more='stand_in = "public.csv"'))
    found = run_json(capsys, *ASKED, "--epsilon", "1")
    assert found["stand_in"] == "500 public rows that stand in for the table"
    assert found["columns"] == ["bmi", "pulse"]


def test_json_holds_the_whole_record_as_the_service_gives_it(capsys: Captured) -> None:
    counted = run_json(capsys, *ASKED, "--rows", "500", "--epsilon", "1/3,0.5")
    assert set(counted) == {*schemas.FORECAST["properties"], "epsilon_needed"}
    assert [error["epsilon"] for error in counted["errors"]] == ["1/3", 0.5]
    searched = run_json(capsys, *SEARCH, "--size", "1", "--rows", "500")
    assert set(searched) == {*schemas.SEARCH_FORECAST["properties"], "epsilon_needed"}


def test_epsilon_that_an_accuracy_needs(capsys: Captured) -> None:
    found = run_json(capsys, *ASKED, "--rows", "3000", "--within", "40")
    assert found["errors"][0]["epsilon"] == found["epsilon_needed"]
    assert found["errors"][0]["most"] <= 40
    out = run(capsys, *ASKED, "--rows", "3000", "--within", "40")[1]
    assert f"epsilon {found['epsilon_needed']} keeps 95 % of the counts within 40" in out


BAD = [
    ([], "patients.toml names no stand_in, so rows are made up: give rows (--rows)"),
    (["--rows", "0"], "rows (--rows) must be a whole number from 1 to 100,000,000."),
    (["--rows", "9" * 30], "rows (--rows) must be a whole number from 1 to 100,000,000."),
    (["--rows", "9", "-k", "9"], "min_neighbors"),
    (["--rows", "90", "--shape", "round"], "shape must be one of cautious, clusters, normal, uniform."),
    (["--rows", "90", "--epsilon", "much"], "epsilon must be a number, written like 0.5."),
    (["--rows", "90", "--epsilon", ""], "epsilon must be a number, written like 0.5."),
    (["--rows", "90", "--within", "-3"], "within must be above 0."),
    (["--rows", "90", "--columns", "weight"], "Column 'weight' is not in the table"),
]


@pytest.mark.parametrize(("more", "sentence"), BAD)
def test_bad_forecast_exits_2_in_one_sentence(capsys: Captured, more: list[str], sentence: str) -> None:
    assert sentence in refused(capsys, *ASKED, *more)


def test_help_names_every_option(capsys: Captured) -> None:
    code, out, _ = run(capsys, *ASKED, "--help")
    assert code == 0
    options = ("--columns", "--epsilon", "--delta", "--mechanism", "--within", "--rows", "--shape", "--json")
    assert not [option for option in options if option not in out]


def test_count_need_not_be_named(capsys: Captured) -> None:
    named = ("forecast", "count", *ASKED[1:])
    assert run_json(capsys, *ASKED, "--rows", "500") == run_json(capsys, *named, "--rows", "500")


def test_forecast_of_a_search_on_planted_rows(capsys: Captured, folder: Path) -> None:
    more = ("--max-size", "2", "--rows", "5000", "--epsilon", "0.1,4", "--shape", "planted")
    found = run_json(capsys, *SEARCH, *more)
    [[columns, outliers]] = found["best"]
    assert columns == ["bmi", "pulse"]
    assert outliers > 30 > found["runner_up"]
    assert (found["family"], found["h"], found["epsilon_needed"]) == ("all 3 sets of 1 to 2 columns", 1, None)
    assert [chance["epsilon"] for chance in found["chances"]] == [0.1, 4]
    assert found["chances"][0]["found"] < 0.8 < 0.95 < found["chances"][1]["found"]
    code, out, err = run(capsys, *SEARCH, *more)
    assert (code, err) == (0, "")
    text = words(out)
    assert "on 5,000 made-up rows, in groups, 50 planted as outliers in one set of columns searched: all 3 sets" in text
    assert f"outliers: {outliers} in bmi and pulse; none in any other set" in text
    assert "epsilon set right outliers missed 0.1 " in text
    assert "draws: compared, permute-and-flip Simulated:" in text
    assert "may be off by 2 percentage points" in text
    assert text.count("Nothing was spent.") == 1
    assert sorted(folder.iterdir()) == [folder / "patients.toml"]  # no ledger


def test_forecast_of_a_search_for_several_sets_on_the_stand_in(capsys: Captured, folder: Path) -> None:
    write_csv(folder / "public.csv", BOUNDS, people(500))
    (folder / "patients.toml").write_text(description(more='stand_in = "public.csv"'))
    text = words(run(capsys, *SEARCH, "--top", "2", "--max-size", "2", "--epsilon", "1")[1])
    assert "on 500 public rows that stand in for the table" in text
    assert "first set right all 2 right share right outliers missed" in text


def test_epsilon_that_a_search_needs(capsys: Captured) -> None:
    more = (
        "--subspace",
        "bmi,pulse",
        "--subspace",
        "bmi",
        "--rows",
        "5000",
        "--probability",
        "0.8",
        "--shape",
        "planted",
    )
    found = run_json(capsys, *SEARCH, *more)
    (chance,) = found["chances"]
    assert chance["epsilon"] == found["epsilon_needed"]
    assert chance["all_found"] >= 0.8
    out = run(capsys, *SEARCH, *more)[1]
    assert f"epsilon {found['epsilon_needed']} names the right set with probability 0.8" in out


BAD_SEARCH = [
    ([], "Give one of --size, --max-size and --subspace"),
    (["--size", "1"], "patients.toml names no stand_in, so rows are made up: give rows (--rows)"),
    (["--size", "3", "--rows", "90"], "The size of a subspace must be a whole number from 1 to 2."),
    (["--size", "1", "--rows", "90", "--top", "3"], "How many to name (h) must be a whole number from 1 to 2"),
    (
        ["--size", "1", "--rows", "90", "--shape", "round"],
        "shape must be one of cautious, planted, clusters, normal, uniform.",
    ),
    (["--size", "1", "--rows", "90", "--probability", "2"], "probability must be above 0 and below 1."),
    (["--size", "1", "--rows", "90", "--epsilon", "much"], "epsilon must be a number, written like 0.5."),
    (["--size", "1", "--rows", "90", "--utility", "best"], "utility must be one of"),
    (["--subspace", "weight", "--rows", "90"], "Subspace column 'weight' is not in the table"),
]


@pytest.mark.parametrize(("more", "sentence"), BAD_SEARCH)
def test_bad_forecast_of_a_search_exits_2_in_one_sentence(capsys: Captured, more: list[str], sentence: str) -> None:
    assert sentence in refused(capsys, *SEARCH, *more)


def test_help_of_the_group_names_both(capsys: Captured) -> None:
    code, out, _ = run(capsys, "forecast", "--help")
    assert code == 0
    assert "count" in out
    assert "subspaces" in out


REPORT = ("forecast", "report", "patients.toml", "-k", "5", "-r", "0.02", "--top", "1", "--max-size", "2")


def test_forecast_of_a_report_says_its_chance_and_the_error_of_its_counts(capsys: Captured, folder: Path) -> None:
    found = run_json(capsys, *REPORT, "--rows", "5000", "--epsilon", "0.1,8")
    assert set(found) == {*schemas.REPORT_FORECAST["properties"], "epsilon_needed"}
    low, high = found["chances"]
    assert low["all_found"] < 0.5 < high["all_found"]
    assert low["most"] > 10 * high["most"]
    text = words(run(capsys, *REPORT, "--rows", "5000", "--epsilon", "8")[1])
    assert "on made-up counts: one row in a hundred is an outlier in the best set" in text
    assert "outliers, made up: 50 in the best set; 41 at most in any other set" in text
    assert sorted(folder.iterdir()) == [folder / "patients.toml"]  # no ledger


def test_epsilon_that_a_report_needs(capsys: Captured) -> None:
    found = run_json(capsys, *REPORT, "--rows", "5000", "--probability", "0.8")
    (chance,) = found["chances"]
    assert chance["epsilon"] == found["epsilon_needed"]
    assert chance["all_found"] >= 0.8


@pytest.mark.parametrize(("command", "more"), [("detect", ()), ("explain", ("--max-size", "2"))])
def test_forecast_of_draws_by_rows_near_public_points(
    capsys: Captured, folder: Path, command: str, more: tuple[str, ...]
) -> None:
    (folder / "points.csv").write_text("bmi,pulse\n25,75.5\n58,190\n30,80\n")
    asked = ("forecast", command, "patients.toml", "points.csv", "-k", "5", "-r", "0.02", "--top", "1", *more)
    found = run_json(capsys, *asked, "--rows", "5000", "--epsilon", "0.01,10")
    assert set(found) == {*schemas.NAMING_FORECAST["properties"], "epsilon_needed"}
    assert found["stand_in"].startswith("made-up numbers: no row near those that should be named")
    low, high = found["chances"]
    assert low["all_found"] < 0.7 < 0.95 < high["all_found"]
    needed = run_json(capsys, *asked, "--rows", "5000", "--probability", "0.9")
    assert needed["chances"][0]["epsilon"] == needed["epsilon_needed"]
    text = words(run(capsys, *asked, "--rows", "5000", "--probability", "0.9")[1])
    assert f"epsilon {needed['epsilon_needed']} names the right ones with probability 0.9" in text
