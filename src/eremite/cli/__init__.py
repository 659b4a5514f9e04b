"""The command line: commands that ask questions, forecast answers, and manage budgets, ledgers and tokens.

Exit codes: 0 done, 1 internal error or no picture of an answer, 2 bad input, 3 refused by the budget, 130 interrupted.
An error is one sentence on stderr. Bad input and a refusal charge nothing; what was charged before an error or an
interrupt stays charged.
"""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import typer

from eremite.cli.app import app
from eremite.cli.output import notices_on_stderr, on_one_line
from eremite.cli.usage_errors import usage_error_in_words
from eremite.errors import BudgetRefused, EremiteError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit; no traceback is shown, since its lines could hold private values."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a paid answer is printed, whatever letters a name has
    with notices_on_stderr():
        code = _exit_code(arguments)
    sys.exit(code)


def _exit_code(arguments: Sequence[str] | None) -> int:
    try:
        given = None if arguments is None else list(arguments)
        return app(given, prog_name="eremite", standalone_mode=False) or 0
    except BudgetRefused as refusal:
        return _fail(str(refusal), 3)
    except EremiteError as error:
        return _fail(str(error), 2)
    except typer.TyperException as error:
        return _fail(usage_error_in_words(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader is gone; Python must not write at exit either
        return 1
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # an interrupt of a compiled loop arrives like this
            return 130
        if os.environ.get("EREMITE_DEBUG") == "1":
            raise
        return _fail(
            f"eremite hit an internal error ({type(error).__name__}); what was charged stays charged. "
            "Run with EREMITE_DEBUG=1 to see where.",
            1,
        )


def _fail(sentence: str, code: int) -> int:
    typer.echo(f"Error: {on_one_line(sentence)}", err=True)
    return code
