"""What README and docs show is true: Python and commands run, descriptions and JSON can be read, output is as shown.

The blocks of a page run in order, in one folder, as a reader would run them. Output is compared without its numbers, as
noise and times vary. A command line ends with `# exit code 3` where it is meant to fail.
"""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from eremite.cli import main
from eremite.cli.app import app
from eremite.errors import InputError
from eremite.table import read_description
from tests.end_to_end.page_blocks import Block, blocks
from tools.commands import commands

ROOT = Path(__file__).parents[2]
PAGES = sorted(p.relative_to(ROOT).as_posix() for p in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
COLUMNS = {
    "age": (0, 100, 50, 12),
    "bmi": (10, 60, 25, 4),
    "glucose": (40, 400, 100, 20),
    "pulse": (30, 220, 70, 10),
    "pressure": (60, 220, 120, 15),
    "weight": (30, 200, 75, 12),
}
# Commands that take a minute, a server or a cluster, or write to the home folder; each has tests of its own, and is
# only held against the reference here.
NOT_RUN = (
    "eremite --install-completion",
    "eremite demo",
    "eremite paper",
    "eremite reload",
    "eremite serve",
    "eremite token",
    "eremite count patients.toml --engine spark",
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files that pages speak of, with made-up rows."""
    rng = np.random.default_rng(0)
    rows = rng.normal(*zip(*[(mean, deviation) for *_, mean, deviation in COLUMNS.values()], strict=True), (3_000, 6))
    for name, shown in {"patients": rows, "visits": rows, "public-sample": rows[:500], "candidates": rows[:9]}.items():
        np.savetxt(tmp_path / f"{name}.csv", shown, delimiter=",", header=",".join(COLUMNS), comments="", fmt="%.2f")
    (tmp_path / "points.csv").write_bytes((tmp_path / "candidates.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if list(blocks((ROOT / page).read_text()))])
def test_blocks_of_a_page_are_true(page, folder, capsys):
    text = (ROOT / page).read_text()
    if "\neremite init patients.csv" not in text:  # the page writes its own
        (folder / "patients.toml").write_text(description_for(text))
    Reader(folder, capsys).read(text)


def description_for(page):
    """A description with the columns that the page speaks of; one that the page shows takes its place."""
    bounds = [f"{name} = {{ min = {low}, max = {high} }}" for name, (low, high, *_) in COLUMNS.items() if name in page]
    dataset = ["[dataset]", 'name = "patients"', 'source = "patients.csv"', 'stand_in = "public-sample.csv"']
    return "\n".join([*dataset, "[columns]", *bounds, "[budget]", "epsilon = 19", ""])


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("```python\nassert False\n```", AssertionError),
        ("```json\n{1}\n```", ValueError),
        ('```toml\n[dataset]\nname = "patients"\n```', InputError),
        ("```sh\neremite check nowhere.toml\n```", AssertionError),
        ("    eremite check nowhere.toml", AssertionError),
        ("    eremite check patients.toml  # exit code 2", AssertionError),
        ("    eremite paper --quickly", AssertionError),
        ("```sh\neremite check patients.toml\n```\n\n```text\npatients: 3000 cows\n```", AssertionError),
    ],
)
def test_a_block_that_is_not_true_is_found(page, error, folder, capsys):
    (folder / "patients.toml").write_text(description_for("bmi"))
    with pytest.raises(error):
        Reader(folder, capsys).read(page)


class Reader:
    """Does what a page says, block by block."""

    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys
        self.scope: dict[str, object] = {}
        self.printed: str | None = None  # by the block before, if it was a command
        self.remote = False  # whether a service is asked from here on
        self.noted = "0" * 64

    def read(self, page):
        for block in blocks(page):
            printed, self.printed = self.printed, None
            {"python": self.python, "sh": self.sh, "toml": self.toml, "json": self.json}.get(block.language, str)(block)
            if block.language == "text" and printed is not None:
                assert without_numbers(printed) == without_numbers(block.text), f"output at line {block.line}"

    def python(self, block: Block):
        code = compile(block.text, f"<line {block.line}>", "exec")
        self.remote = self.remote or "eremite.connect(" in block.text
        if not self.remote:  # a service is asked in test_client.py
            exec(code, self.scope)  # noqa: S102
        self.printed = self.capsys.readouterr().out

    def json(self, block: Block):
        json.loads(block.text)

    def toml(self, block: Block):
        if "[dataset]" not in block.text:
            return
        name = re.search(r'^name = "(\w+)"', block.text, re.MULTILINE)[1]
        path = self.folder / f"{name}.toml"
        path.write_text(block.text)
        read_description(path)
        for old in [*self.folder.glob(f"{name}.db*"), *self.folder.glob(f"{name}.ledger-witness.json")]:
            old.unlink()

    def sh(self, block: Block):
        self.capsys.readouterr()
        for line in block.text.replace("\\\n", " ").splitlines():
            if line.startswith("eremite "):
                self.command(line)
        shown = self.capsys.readouterr()
        self.printed = shown.out + shown.err
        for found in re.findall(r"It ends with (\w+)", self.printed):
            self.noted = found

    def command(self, line: str):
        given = shlex.split(line.replace("HASH", self.noted), comments=True)
        require_known(given)
        if line.startswith(NOT_RUN) or "postgresql://" in line:
            return
        expected = re.search(r"# exit code (\d+)", line)
        with pytest.raises(SystemExit) as ended:
            main(given[1:])
        assert ended.value.code == (int(expected[1]) if expected else 0), line


def require_known(given: list[str]) -> None:
    """The command exists, and so do all options."""
    by_name = {command.name: command for command in commands(app)}
    name = next(name for name in (" ".join(given[1:3]), given[1], "") if name in by_name)
    parameters = [each for command in by_name.values() if command.name.startswith(name) for each in command.parameters]
    known = {option for parameter in parameters for option in parameter.names}
    options = {word.partition("=")[0] for word in given if re.match(r"--?[a-z]", word)}
    assert options <= known | {"--help", "--version", "--install-completion"}, (
        f"{given} has options that {name} has not"
    )


def without_numbers(text: str) -> str:
    """What is left when numbers, hashes, names of columns, frames and the breaking of lines are taken away."""
    bare = re.sub(r"[╭╮╰╯│─┏┓┗┛━┃┡┩└┘┤├┼┬┴]", " ", text)
    bare = re.sub(r"\b(?=[0-9a-f]*\d)[0-9a-f]{16,}\b", "#", bare)
    bare = re.sub(rf"\b(?:{'|'.join(COLUMNS)})\b", "#", bare)  # which are named may be a draw
    return " ".join(re.sub(r"\d[\d.,:]*", "#", bare).split())
