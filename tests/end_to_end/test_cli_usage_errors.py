"""A command line that cannot be read: one sentence in our own words, exit code 2, nothing charged, nothing written."""

from pathlib import Path

import pytest

from eremite.cli.app import app
from tests.end_to_end.command_line import Captured, refused
from tools.commands import commands

NUMBERS = ("<int>", "<float>")
NO_NUMBERS = ("", "--5", "½")
NOT_WHOLE = (*NO_NUMBERS, "2.5", "1e400", "٣")


def said_of(capsys: Captured, *arguments: str) -> str:
    """The sentence alone."""
    return refused(capsys, *arguments).removeprefix("Error: ").removesuffix("\n")


def numeric_options() -> list[tuple[str, str, str]]:
    """Command, option and kind of every number that is typed; a new option is found by itself."""
    return [
        (command.name, parameter.names[-1], parameter.typed.split()[-1])
        for command in commands(app)
        for parameter in command.parameters
        if parameter.typed.endswith(NUMBERS)
    ]


def test_numbers_are_typed_in_many_places() -> None:
    known = {("count", "--radius", "<float>"), ("serve", "--tick", "<float>"), ("paper", "--seed", "<int>")}
    assert known <= set(numeric_options())


@pytest.mark.parametrize(("command", "option", "kind"), numeric_options())
def test_what_is_no_number_gets_our_words(capsys: Captured, command: str, option: str, kind: str) -> None:
    takes = "a whole number, written like 5" if kind == "<int>" else "a number, written like 0.5"
    for typed in NOT_WHOLE if kind == "<int>" else NO_NUMBERS:
        said = said_of(capsys, *command.split(), option, typed)
        assert option in said
        assert said.endswith(f" must be {takes}.")


ADDRESS = (
    "eremite reads and writes files of this machine alone, and was given an address, such as https://...; download the "
    "file, and give its path."
)
MISTYPED = [
    ("count x -k 2.5", "-k (--min-neighbors) must be a whole number, written like 5."),
    ("count x -r near", "-r (--radius) must be a number, written like 0.5."),
    ("count x -r 0,02", "-r (--radius) must be written with a decimal point, as 0.02."),
    (
        "count x -k 5 -r 0.1 --epsilon 1 --columns blood sugar",
        'Got unexpected extra argument(s) (sugar). Put names with blanks in quotes: --columns "bmi,blood sugar". '
        "See eremite count --help.",
    ),
    *((f"{command} https://me:SECRETWORD@a.org/x.toml", ADDRESS) for command in ("check", "init", "budget", "serve")),
    ("history file:///x.toml", ADDRESS),
    ("count x -k \udcff", "-k (--min-neighbors) must be of plain letters and digits."),
    ("detect x --top " + "9" * 5000, "--top must be a whole number of fewer digits."),
    ("serve x --tick abc", "--tick must be a number, written like 0.5."),
    ("paper --seed -1", "--seed must be a whole number, 0 or more."),
    ("count x -k 5", "Missing option '-r' / '--radius'. See eremite count --help."),
    (
        "forecast x --colums",
        "No such option: --colums (Possible options: --columns). See eremite forecast count --help.",
    ),
    ("history x y", "Got unexpected extra argument(s) (y). See eremite history --help."),
    ("tokn", "No such command 'tokn'. Did you mean 'token'? See eremite --help."),
    ("token", "Missing command. See eremite token --help."),
    (
        "token add ann --account a --dataset d --expires soon --tokens t.json",
        "--expires must be a day such as 2027-01-31, the last one the token is valid.",
    ),
    ("count -k", "Option '-k' requires an argument."),
    (
        "check absent\ufeff\x1b[2J.toml",
        "absent\\ufeff\\x1b[2J.toml does not exist; write a description with: eremite init FILE",
    ),
    ("check " + "d" * 5000, "d" * 5000 + " cannot be opened; check its name and the permissions of its folder."),
    (
        "paper --data " + "d" * 5000,
        f"--data {'d' * 5000} is not a folder; name the one that holds adult.data and ionosphere.data.",
    ),
]


@pytest.mark.parametrize(("typed", "sentence"), MISTYPED, ids=[typed[:30] for typed, _ in MISTYPED])
def test_mistyped_line_gets_one_sentence(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said_of(capsys, *typed.split(" ")) == sentence
    assert not list(tmp_path.iterdir())


def test_name_with_a_line_break_stays_on_one_line(capsys: Captured) -> None:
    assert said_of(capsys, "check", "a\nError: b").startswith("a\\nError: b does not exist")
