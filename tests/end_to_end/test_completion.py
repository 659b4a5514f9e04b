"""What shells complete: commands, options, words, description files and their columns; from public files alone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import get_args

import pytest

from eremite.cli import completions, main
from eremite.queries.choice import NAMES
from eremite.queries.fields import SearchShape, Selection, Shape, Utility
from eremite.table.engine import EngineKind
from tests.end_to_end.patients import BOUNDS, description

Complete = Callable[[str], list[str]]

BIN = Path(sys.executable).parent
ASK = """
eval "$(_EREMITE_COMPLETE=source_bash eremite)"
ask() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _eremite_completion eremite
    echo "${COMPREPLY[*]}"
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    bounds = BOUNDS | {"blood sugar": (40, 400)}
    described = description(bounds, source="there is no such table.csv", budget="")
    (tmp_path / "patients.toml").write_text(f'{described}ward = {{ categories = ["A"] }}\n')
    (tmp_path / "patients.csv").write_text("bmi\n")
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "visits.toml").write_text("not = TOML")
    (tmp_path / "quoted").mkdir()
    (tmp_path / "quoted" / "two words.toml").touch()
    return tmp_path


@pytest.fixture
def complete(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    """Ask as the script for bash does, in this process."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("_EREMITE_COMPLETE", "complete_bash")

    def ask(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("COMP_WORDS", "\n".join(words))
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        with pytest.raises(SystemExit):
            main([])
        return capsys.readouterr().out.split()

    return ask


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("eremite ch", ["check", "choose-radius"]),
        ("eremite budget ", ["show", "open", "set"]),
        ("eremite forecast ", ["count", "subspaces", "report", "detect", "explain", "mechanisms", "rows"]),
        ("eremite forecast patients.toml --w", ["--within"]),
        ("eremite forecast subspaces patients.toml --shape p", ["planted"]),
        ("eremite budget patients.toml --l", ["--ledger"]),
        ("eremite count patients.toml --min", ["--min-neighbors"]),
        ("eremite count patients.toml --mechanism gaus", ["gaussian", "gaussian-paper"]),
        ("eremite subspaces patients.toml --utility ", ["auto", "compared", "centered", "dampened", "paper"]),
        ("eremite subspaces patients.toml --selection e", ["exponential"]),
        ("eremite forecast patients.toml --shape n", ["normal"]),
    ],
)
def test_commands_options_and_words_are_completed(complete: Complete, line: str, words: list[str]) -> None:
    assert complete(line) == words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("eremite count ", ["patients.toml"]),
        ("eremite serve patients.toml la", []),
        ("eremite serve patients.toml later/", ["later/visits.toml"]),
        ("eremite count later/", ["later/visits.toml"]),
        ("eremite count quoted/", []),  # the shell offers files where it is offered none
        ("eremite count nowhere/", []),
        ("eremite init ", []),
    ],
)
def test_description_files_are_completed(complete: Complete, line: str, words: list[str]) -> None:
    assert complete(line) == words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("eremite count patients.toml --columns b", ["bmi"]),  # a name with a blank would need quotes
        ("eremite subspaces patients.toml -k 5 --subspace bmi,", ["bmi,pulse"]),
        ("eremite explain patients.toml points.csv --within ", ["ward"]),
        ("eremite count later/visits.toml --columns ", []),
        ("eremite count nowhere.toml --columns ", []),
        ("eremite count --columns ", []),
    ],
)
def test_columns_are_completed_from_the_description_alone(
    complete: Complete, folder: Path, line: str, words: list[str]
) -> None:
    assert complete(line) == words
    assert not (folder / "patients.db").exists()


def test_bash_asks_and_fills_in(folder: Path) -> None:
    assert in_bash(folder, f"{ASK}\nask eremite count patients.toml --mechanism smo").split() == ["smooth-laplace"]


def test_completion_is_installed_by_one_command(folder: Path) -> None:
    assert "bash completion installed" in in_bash(folder, "eremite --install-completion; true")
    assert in_bash(folder, "source .bashrc; complete -p eremite").split()[-1] == "eremite"


def in_bash(folder: Path, script: str) -> str:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(folder)}
    done = subprocess.run(
        [bash, "--norc", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_a_script_and_answers(folder: Path, shell: str) -> None:
    line = {"_TYPER_COMPLETE_ARGS": "eremite count patients.toml --mechanism smo"}
    assert f"_EREMITE_COMPLETE=complete_{shell}" in asked(folder, f"source_{shell}")
    assert "smooth-laplace" in asked(folder, f"complete_{shell}", line | {"_TYPER_COMPLETE_FISH_ACTION": "get-args"})


def asked(folder: Path, what: str, more: Mapping[str, str] | None = None) -> str:
    environment = os.environ | {"_EREMITE_COMPLETE": what} | (more or {})
    done = subprocess.run([BIN / "eremite"], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_completion_loads_nothing_heavy(folder: Path) -> None:
    code = (
        "import atexit, sys; heavy = {'numpy', 'numba', 'pyarrow'};"
        "atexit.register(lambda: print(heavy & set(sys.modules)));"
        "from eremite.cli import main; main([])"
    )
    words = {"COMP_WORDS": "eremite\ncount\npatients.toml\n--columns\n", "COMP_CWORD": "4"}
    environment = os.environ | words | {"_EREMITE_COMPLETE": "complete_bash"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["bmi", "pulse", "set()"]


def test_words_are_those_the_commands_take() -> None:
    assert completions.MECHANISMS == NAMES
    assert get_args(Utility) == completions.UTILITIES
    assert get_args(Selection) == completions.SELECTIONS
    assert get_args(Shape) == completions.SHAPES
    assert get_args(SearchShape) == completions.SEARCH_SHAPES
    assert get_args(EngineKind) == completions.ENGINES
