"""Commands as they are typed."""

import shlex

from eremite.demo.shell import NEXT, shell


def test_long_command_is_broken_between_parts_and_reads_back_as_one():
    parts = ("eremite count some/where/patients.toml", "-k 5 -r 0.02", "--columns glucose", "--epsilon 0.5")
    text = shell(parts, width=60)
    assert all(len(line) <= 64 for line in text.splitlines())
    typed = text.removeprefix("$ ").replace("\\\n", "")  # as a shell goes on with the next line
    assert "\n" not in typed
    assert shlex.split(typed) == shlex.split(" ".join(parts))


def test_two_commands_stand_on_two_lines():
    assert shell(("eremite budget x.toml", NEXT, "eremite history x.toml")) == (
        "$ eremite budget x.toml\n$ eremite history x.toml"
    )
