"""Run one command, and the exit code and the sentence of every way in which it ends."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any

import typer

from eremite.cli import interrupts, messages
from eremite.cli.app import app
from eremite.cli.output import notices_on_stderr
from eremite.cli.usage_errors import usage_error_in_words
from eremite.errors import BudgetRefused, EremiteError


def run(arguments: Sequence[str]) -> int:
    """Run the command, print its error if there is one, and return the exit code."""
    messages.write_as_asked(arguments)
    interrupts.explain_with(interrupts.nothing_charged)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a paid answer is printed, whatever letters a name has
    with notices_on_stderr():
        return _exit_code(arguments)


def _exit_code(arguments: Sequence[str]) -> int:
    try:
        code: int = app(list(arguments), prog_name="eremite", standalone_mode=False) or 0
        return _interrupted() if code == interrupts.EXIT_CODE else code  # what typer makes of a KeyboardInterrupt
    except BudgetRefused as refusal:
        return _fail(str(refusal), 3, **_numbers(refusal))
    except EremiteError as error:
        return _fail(str(error), 2)
    except typer.TyperException as error:
        return _fail(usage_error_in_words(error), 2)
    except (KeyboardInterrupt, typer.Abort):  # of a service, or in a process whose interrupts are not ours
        return _interrupted()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader is gone; Python must not write at exit either
        return 1
    except Exception as error:
        if os.environ.get("EREMITE_DEBUG") == "1":
            raise
        return _fail(
            f"eremite hit an internal error ({type(error).__name__}); what was charged stays charged. "
            "Run with EREMITE_DEBUG=1 to see where.",
            1,
        )


def _interrupted() -> int:
    typer.echo(messages.interrupt(interrupts.sentence(), interrupts.EXIT_CODE), err=True)
    return interrupts.EXIT_CODE


def _fail(sentence: str, code: int, **numbers: Any) -> int:
    typer.echo(messages.error(sentence, code, **numbers), err=True)
    return code


def _numbers(refusal: BudgetRefused) -> dict[str, Any]:
    from eremite.ledger.to_json import privacy_to_json

    return {"needed": privacy_to_json(refusal.needed), "remaining": privacy_to_json(refusal.remaining)}
