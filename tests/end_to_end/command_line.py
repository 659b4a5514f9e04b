"""Run a command as a user does: its exit code, what it prints, and its errors."""

import json
import re
import sys
from typing import Any

import pytest

from eremite.cli import main
from tests.refusals import SECRETS

MAIN = "from eremite.cli import main; main()"
#: Interrupts are ignored by what runs in the background, as a test may.
MINDS_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
#: Runs a command in a process of its own.
COMMAND = [sys.executable, "-c", MAIN]
#: The note of the first command about a dataset; test_cli_ledger.py tests it.
NEW_LEDGER = re.compile(r'^(Note: |{"note": ")The ledger .* has a new budget for dataset .*\n', re.MULTILINE)
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
    """The one sentence with which a command refuses bad input; with --json, the one in its object."""
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    line = error_in(err, 2) if "--json" in arguments else err
    assert line.startswith("Error: ")
    return line


def error_in(err: str, code: int) -> str:
    """The line that a command without --json would print, of the one JSON object of an error."""
    said = json.loads(err)
    assert said.keys() == {"error", "exit_code"} | ({"needed", "remaining"} if code == 3 else set())
    assert said["exit_code"] == code
    return f"Error: {said['error']}\n"


def words(panel: str) -> str:
    """The text inside the frame, on one line."""
    return " ".join(" ".join(line.strip("│╭╮╰╯─ ") for line in panel.splitlines()).split())
