"""`--plot`: a picture beside the answer; what is wrong with its file is said before anything is charged."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eremite import Release
from eremite.plots import svg, write
from tests.end_to_end.command_line import Captured, error_in, run, run_json

COUNT = ["count", "patients.toml", "-k", "5", "-r", "0.05", "--epsilon", "0.5"]
RELEASES = {
    "count": COUNT,
    "subspaces": ["subspaces", "patients.toml", "-k5", "-r0.05", "--size=1", "--top=1", "--epsilon=0.5"],
    "report": ["report", "patients.toml", "-k5", "-r0.05", "--size=1", "--top=2", "--epsilon=0.5"],
    "detect": ["detect", "patients.toml", "points.csv", "-k5", "-r0.05", "--top=1", "--epsilon=0.5"],
    "explain": ["explain", "patients.toml", "points.csv", "-k5", "-r0.05", "--top=1", "--max-size=2", "--epsilon=0.5"],
    "choose-radius": ["choose-radius", "patients.toml", "-k5", "--share=0.01", "--epsilon=0.5"],
}


@pytest.fixture(autouse=True)
def points(patients: Path) -> None:
    (patients / "points.csv").write_text("bmi,pulse\n25,75\n58,190\n")


def charges(capsys: Captured) -> int:
    return int(run_json(capsys, "budget", "patients.toml")["budgets"][0]["charges"])


@pytest.mark.parametrize("command", RELEASES)
def test_picture_is_that_of_the_release_that_was_printed(capsys: Captured, patients: Path, command: str) -> None:
    code, out, err = run(capsys, *RELEASES[command], "--plot", "a.svg", "--json")
    assert (code, err) == (0, "")
    write(Release.from_json(out).plot(), patients / "b.svg")
    assert (patients / "a.svg").read_bytes() == (patients / "b.svg").read_bytes()


@pytest.mark.parametrize("command", RELEASES)
@pytest.mark.parametrize("picture", ["a.gif", "none/a.svg", "."])
def test_bad_picture_is_refused_before_anything_is_charged(capsys: Captured, command: str, picture: str) -> None:
    code, out, err = run(capsys, *RELEASES[command], "--plot", picture)
    assert (code, out) == (2, "")
    assert err.startswith(("Error: A picture's file must end in", "Error: Cannot write the picture"))
    assert err.count("\n") == 1
    assert charges(capsys) == 0


def test_missing_matplotlib_is_said_before_anything_is_charged(capsys: Captured) -> None:
    code = "import sys; sys.modules['matplotlib'] = None; from eremite.cli import main; main()"
    command = [sys.executable, "-c", code, *COUNT, "--plot", "a.svg"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: Plots need matplotlib; pip install 'eremite[plots]'.\n"
    assert charges(capsys) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_answer_is_printed_though_its_picture_fails(capsys: Captured, patients: Path) -> None:
    (patients / "full.png").symlink_to("/dev/full")
    code, out, err = run(capsys, *COUNT, "--json", "--plot", "full.png")
    assert code == 1  # not that of bad input, which charges nothing
    assert Release.from_json(out).query == "count_outliers"
    assert error_in(err, 1).startswith("Error: The answer stands, without its picture. ")
    assert "No space left on device" in err
    assert charges(capsys) == 1


FORECASTS = {
    "count": [],
    "within": ["--within=20"],
    "mechanisms": ["--delta=1e-6"],
    "subspaces": ["--size=1", "--top=1", "--shape=planted"],
    "probability": ["--size=1", "--top=1", "--shape=planted", "--probability=0.8"],
}


@pytest.mark.parametrize("kind", FORECASTS)
def test_forecast_is_drawn_for_nothing(capsys: Captured, patients: Path, kind: str) -> None:
    command = {"within": "count", "probability": "subspaces"}.get(kind, kind)
    made_up = ["patients.toml", "-k5", "-r0.05", "--rows=400"]
    code, out, err = run(capsys, "forecast", command, *made_up, *FORECASTS[kind], "--plot=a.svg", "--json")
    assert (code, err) == (0, "")
    rows = "400 made-up rows" if command == "subspaces" else "a crowded table of 400 rows"
    assert json.loads(out)["stand_in"].startswith(rows)
    drawn = (patients / "a.svg").read_text()
    assert rows in drawn
    assert ("wanted" in drawn) == (kind in ("within", "probability"))
    assert charges(capsys) == 0


def test_mechanisms_are_compared_in_a_panel(capsys: Captured) -> None:
    asked = ["forecast", "mechanisms", "patients.toml", "-k5", "-r0.05", "--rows=400", "--epsilon=0.5,1"]
    code, out, _ = run(capsys, *asked)
    assert code == 0
    assert "smooth-laplace" in out
    assert "gaussian needs a delta above 0" in " ".join(out.replace("│", " ").split())
    compared = run_json(capsys, *asked, "--delta=1e-6")
    assert {error["mechanism"] for error in compared["errors"]} == {
        "reach", "reach-pair", "smooth-laplace", "global-laplace", "reach-gaussian", "gaussian",
        "gaussian-paper", "global-gaussian",
    }  # fmt: skip
    assert compared["left_out"] == [
        {
            "mechanism": "gaussian-paper",
            "epsilons": [1],
            "reason": "gaussian-paper is proved for epsilon below 1 only; use gaussian or smooth-laplace.",
        }
    ]


def test_stand_in_has_no_picture(capsys: Captured) -> None:
    code, _, err = run(
        capsys, "choose-radius", "patients.toml", "-k5", "--share=0.1", "--from-stand-in", "--rows=100", "--plot=a.svg"
    )
    assert (code, err) == (2, "Error: --plot draws a release, and --from-stand-in makes none; leave one of them out.\n")


def test_history_draws_the_budget_over_time(capsys: Captured, patients: Path) -> None:
    from eremite.session import opened_ledger

    for _ in range(2):
        run(capsys, *COUNT)
    run(capsys, *COUNT[:-1], "9")
    code, out, _ = run(capsys, "history", "patients.toml", "--plot", "budget.svg")
    assert code == 0
    assert out.count("charged") == 2
    name, ledger = opened_ledger(patients / "patients.toml")
    course = ledger.timeline(name)
    assert [float(moment.budget.spent.epsilon) for moment in course.whole] == [0, 0.5, 1]
    write(course.plot(), patients / "again.svg")
    assert (patients / "budget.svg").read_bytes() == (patients / "again.svg").read_bytes()
    assert "Budget of patients" in svg(course.plot())


def test_history_draws_or_verifies(capsys: Captured) -> None:
    code, _, err = run(capsys, "history", "patients.toml", "--verify", "--plot", "a.svg")
    assert (code, err) == (2, "Error: Give --plot or --verify, not both.\n")
