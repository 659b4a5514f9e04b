"""Run a command as a user does: its exit code, what it prints, and its errors."""

import json
import re
import sys
from typing import Any

import pytest

from eremite.cli import main
from tests.refusals import SECRETS

#: Runs a command in a process of its own.
COMMAND = [sys.executable, "-c", "from eremite.cli import main; main()"]
#: The note of the first command about a dataset; test_cli_ledger.py tests it.
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


def run_json(capsys: Captured, *arguments: object) -> Any:
    """The JSON that a successful command prints, on one line."""
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    return json.loads(out)


def refused(capsys: Captured, *arguments: object) -> str:
    """The one sentence with which a command refuses bad input."""
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("Error: ")
    return err


def words(panel: str) -> str:
    """The text inside the frame, on one line."""
    return " ".join(" ".join(line.strip("│╭╮╰╯─ ") for line in panel.splitlines()).split())
