"""A command as a person meets it: how it exits, what it prints and what it complains of."""

import json
import re
import sys
from typing import Any

import pytest

from eremite.cli import main
from tests.refusals import SECRETS

#: In a process of its own.
COMMAND = [sys.executable, "-c", "from eremite.cli import main; main()"]
#: What the first command about a dataset says; test_cli_ledger.py looks at it.
NEW_LEDGER = re.compile(r"^Note: The ledger .* has a new budget for dataset .*\n", re.MULTILINE)
Captured = pytest.CaptureFixture[str]


def run(capsys: Captured, *arguments: object) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of a command, which hold no secret and no traceback."""
    with pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    err = NEW_LEDGER.sub("", err)
    assert not [secret for secret in (*SECRETS, "Traceback") if secret in out + err]
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, out, err


def told(capsys: Captured, *arguments: object) -> Any:
    """What a command that is done says, in one line of JSON."""
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    return json.loads(out)


def refused(capsys: Captured, *arguments: object) -> str:
    """The one sentence in which a command refuses bad input."""
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("Error: ")
    return err


def words(panel: str) -> str:
    """The text inside the frame, on one line."""
    return " ".join(" ".join(line.strip("│╭╮╰╯─ ") for line in panel.splitlines()).split())
