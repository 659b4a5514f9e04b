"""`eremite explain` as a person meets it: the panel, the JSON, the refusals."""

from pathlib import Path

import numpy as np
import pytest

from eremite import Release
from tests.end_to_end.command_line import Captured, run, words
from tests.end_to_end.patients import description, write_csv

BOUNDS = {"bmi": (10, 60), "pulse": (30, 200), "age": (0, 100)}
pytestmark = pytest.mark.usefixtures("wide")


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """Crowded rows: a bmi of 58 stands alone, and so does a young patient with a low pulse."""
    generator = np.random.default_rng(1)
    rows = generator.normal([25, 75, 50], [2, 4, 12], (3_000, 3))
    rows[:, 1] = 100 - rows[:, 2] / 2 + generator.normal(0, 1, 3_000)
    write_csv(tmp_path / "patients.csv", list(BOUNDS), rows)
    (tmp_path / "patients.toml").write_text(description(BOUNDS, budget="epsilon = 6.0"))
    (tmp_path / "points.csv").write_text("who,age,bmi,pulse\nann,50,58,75\nbob,30,25,60\n")
    return tmp_path


def explain(capsys: Captured, folder: Path, **changes: object) -> tuple[int, str, str]:
    options = {"-k": 5, "-r": 0.04, "--top": 1, "--max-size": 2, "--epsilon": 4, "--request-id": "one"}
    options |= {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
    return run(capsys, "explain", folder / "patients.toml", folder / "points.csv", *sum(options.items(), ()))


def test_panel_says_for_each_point_in_which_columns_it_stands_alone(capsys: Captured, patients: Path) -> None:
    code, out, err = explain(capsys, patients)
    assert (code, err) == (0, "")
    assert words(out) == (
        "explain drawn as the set of columns in which each point stands most alone "
        "1. bmi bmi = 58, pulse = 75 and age = 50 2. pulse and age bmi = 25, pulse = 60 and age = 30 "
        "searched all 6 sets of 1 to 2 columns "
        "alone a point with fewer than 5 rows within distance 0.04; distances run from 0 to 1, as the public bounds "
        "scale every column "
        "chance the sets of columns named are all right with a chance of more than 99 %, if the table is "
        "like what this is judged by judged by made-up numbers: "
        "no row near those that should be named, 10 times min_neighbors near all others "
        "draws in 19 of 20, at most 5 more rows near than in the best set; one more column counts as 9 rows, and fewer "
        "than 5 rows count alike "
        "spent epsilon 4, pure; draws: permute-and-flip left epsilon 2 for all later questions; see eremite budget "
        "protects every row: with any one row replaced, any outcome would be at most 54.60 times as likely"
    )


def test_json_of_explain_has_the_sets_of_each_point(capsys: Captured, patients: Path) -> None:
    code, out, err = run(
        capsys, "explain", patients / "patients.toml", patients / "points.csv", "-k", "5", "-r", "0.04", "--top", "2",
        "--max-size", "2", "--epsilon", "1", "--columns", "pulse,age", "--json",
    )  # fmt: skip
    assert (code, err, out.count("\n")) == (0, "", 1)
    release = Release.from_json(out)
    assert release.to_json() + "\n" == out
    assert (release.query, release.columns, release.epsilon) == ("explain_outlier", ("pulse", "age"), 1)
    value: tuple[tuple[tuple[str, ...], ...], ...] = release.value  # type: ignore[assignment]
    assert [len(sets) for sets in value] == [2, 2]


BAD = [
    ({"top": 4}, "How many to name (h) must be a whole number from 1 to 3, the number of columns."),
    ({"max_size": 4}, "The size of a subspace must be a whole number from 1 to 3."),
    ({"columns": "weight"}, "Column 'weight' is not in the table"),
    ({"epsilon": "0"}, "epsilon must be above 0."),
]


@pytest.mark.parametrize(("changes", "sentence"), BAD, ids=str)
def test_bad_explanation_exits_2_in_one_sentence_and_costs_nothing(
    capsys: Captured, patients: Path, changes: dict[str, object], sentence: str
) -> None:
    code, out, err = explain(capsys, patients, **changes)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err
    assert explain(capsys, patients, top=1)[0] == 0  # under the id of the request that was refused


def test_explanation_beyond_the_budget_exits_3(capsys: Captured, patients: Path) -> None:
    assert explain(capsys, patients, epsilon=7)[0] == 3
