"""`eremite paper` as a reader runs it: small, without the public tables, twice."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "data"


def paper(*arguments):
    command = [sys.executable, "-c", "from eremite.cli import main; main()", "paper", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def run_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    (folder / "empty").mkdir()
    return folder, paper("--quick", "--output", folder / "one")


def test_paper_without_its_tables_says_where_they_are_and_runs_the_rest(run_once):
    folder, done = run_once
    assert (done.returncode, done.stderr) == (0, "")
    assert "Seed 2015" in done.stdout
    assert "Adult and Ionosphere left out" in done.stdout
    assert "archive.ics.uci.edu" in done.stdout
    for name in ("bounds", "synthetic-1", "synthetic-2", "detection", "calls", "seconds"):
        for kind in ("svg", "png"):
            assert (folder / "one" / "figures" / f"paper-{name}.{kind}").stat().st_size > 1_000
    page = (folder / "one" / "claims.md").read_text()
    assert "**does not hold**" in page
    assert "Adult and Ionosphere left out" in page


@pytest.mark.slow
def test_paper_gives_the_same_files_for_the_same_seed(run_once):
    """But for seconds, which no run repeats. Without --data no table is looked for: it is as with an empty folder."""
    folder, _ = run_once
    again = paper("--quick", "--data", folder / "empty", "--output", folder / "two")
    assert again.returncode == 0
    made = sorted(path.relative_to(folder / "one") for path in (folder / "one").rglob("*") if path.is_file())
    assert made == sorted(path.relative_to(folder / "two") for path in (folder / "two").rglob("*") if path.is_file())
    same = [path for path in made if "seconds" not in path.name]
    assert len(same) == len(made) - 3
    assert [p for p in same if (folder / "one" / p).read_bytes() != (folder / "two" / p).read_bytes()] == []


@pytest.mark.slow
def test_paper_goes_on_where_it_was_stopped(run_once):
    """Finished tables are kept, also one that this run would not make."""
    folder, _ = run_once
    table = folder / "one" / "tables" / "scenario_3.csv"
    kept = table.read_text()
    table.write_text(kept.replace("public points,500,2015", "public points,500,9999"))
    (folder / "one" / "tables" / "guarantees.csv").unlink()
    done = paper("--quick", "--output", folder / "one", "--json")
    assert done.returncode == 0
    assert "9999" in table.read_text()
    assert (folder / "one" / "tables" / "guarantees.csv").exists()
    facts = json.loads(done.stdout)
    assert facts["seed"] == 2015
    assert {one["verdict"] for one in facts["claims"]} == {"holds", "holds with a correction", "does not hold"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--data", "nowhere"), "--data nowhere is not a folder"),
        (("--data", ".", "--download"), "not both"),
        (("--output", "taken"), "Cannot write to taken"),
    ],
)
def test_paper_that_cannot_start_says_so_in_one_sentence(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("a file")
    done = paper("--quick", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "adult.csv.gz").exists(), reason="the UCI tables are not at hand")
def test_paper_with_its_tables_draws_every_figure(tmp_path):
    done = paper("--quick", "--data", SHARED, "--output", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "left out" not in done.stdout
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 12
