"""Questions that take long: what is said before they are charged, and how far they are."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eremite.cli.question import duration_in_words
from eremite.ledger import Ledger
from eremite.session import Session, opened_ledger
from tests.end_to_end.command_line import Captured, run
from tests.end_to_end.patients import BOUNDS, description, people, write_csv

POINTS = "bmi,pulse\n20,70\n50,150\n"
ASKED = ["-k", "3", "-r", "0.05", "--epsilon", "0.1"]
COMMANDS = {
    "count": ASKED,
    "count by": [*ASKED, "--by", "ward"],
    "subspaces": [*ASKED, "--size", "1", "--top", "1"],
    "report": [*ASKED, "--max-size", "2", "--top", "1"],
    "detect": ["points.csv", *ASKED, "--top", "1"],
    "explain": ["points.csv", *ASKED, "--top", "1", "--max-size", "2"],
    "choose-radius": ["-k", "3", "--share", "0.1", "--epsilon", "0.1", "--radii", "0.01,0.1"],
}


@pytest.fixture
def patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [(*row, "AB"[place % 2]) for place, row in enumerate(people(40).tolist())]
    write_csv(tmp_path / "patients.csv", [*BOUNDS, "ward"], rows)
    text = description().replace("[budget]", 'ward = { categories = ["A", "B"] }\n[budget]')
    (tmp_path / "patients.toml").write_text(text)
    (tmp_path / "points.csv").write_text(POINTS)
    monkeypatch.chdir(tmp_path)
    opened_ledger("patients.toml", create="quietly")[1].close()
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_long_question_says_so_before_it_is_charged(
    capsys: Captured, patients: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    sets = {"subspaces": "2 sets of columns", "report": "3 sets of columns"}.get(command, "2 columns")
    note = f"This may take about 4 minutes ({sets}, 40 rows)."
    reserve, said = Ledger.reserve, []

    def charged(*asked: object) -> object:
        said.append(capsys.readouterr().err)
        return reserve(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(Ledger, "reserve", charged)
    monkeypatch.setattr(Session, "expected_seconds", lambda *_: 247.0)
    assert run(capsys, command.split()[0], "patients.toml", *COMMANDS[command])[0] == 0
    assert run(capsys, command.split()[0], "patients.toml", *COMMANDS[command], "--json")[0] == 0
    assert (said[0], json.loads(said[1])) == (f"Note: {note}\n", {"note": note})


def test_quick_question_says_nothing(capsys: Captured, patients: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(capsys, "count", "patients.toml", *ASKED)[2] == ""
    monkeypatch.setattr(Session, "expected_seconds", lambda *_: 19.9)
    assert run(capsys, "count", "patients.toml", *ASKED)[2] == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (20, "20 seconds"), (47, "50 seconds"), (89.9, "90 seconds"), (100, "2 minutes"), (247, "4 minutes"),
        (2600, "40 minutes"), (5399, "90 minutes"), (7300, "2 hours"), (1e5, "30 hours"), (1e6, "12 days"),
    ],
)  # fmt: skip
def test_durations_are_short_numbers(seconds: float, words: str) -> None:
    assert duration_in_words(seconds) == words


SHOWN = {
    "count": "Counting: 1 of its steps done",
    "count by": "Counting: 2 groups counted",
    "subspaces": "Searching: 2 sets of columns counted",
    "report": "Searching: 3 sets of columns counted",
    "detect": "Searching: 2 points looked at",
    "explain": "Counting: 2 points looked at",
    "choose-radius": "Counting: 0 looks taken",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_progress_is_shown_only_if_asked_for(
    capsys: Captured, patients: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    shown: list[str] = []

    @contextmanager
    def spinner(words: str) -> Iterator[Callable[[str], None]]:
        yield shown.append

    monkeypatch.setattr("eremite.cli.question.spinner", spinner)
    name, arguments = command.split()[0], COMMANDS[command]
    assert run(capsys, name, "patients.toml", *arguments)[0] == 0
    assert shown == []
    assert run(capsys, name, "patients.toml", *arguments, "--progress")[0] == 0
    assert SHOWN[command] in shown
    assert "For the custodian only: the pace depends on" in " ".join(run(capsys, name, "--help")[1].split())
