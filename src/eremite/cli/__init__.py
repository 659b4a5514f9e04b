"""The command line: commands that ask questions, forecast answers, and manage budgets, ledgers and tokens.

Exit codes: 0 done, 1 internal error or no picture of an answer, 2 bad input, 3 refused by the budget, 130 interrupted.
An error is one sentence on stderr; with --json, one JSON object. Bad input and a refusal charge nothing; what was
charged before an error or an interrupt stays charged.
"""

import sys
from collections.abc import Sequence

from eremite.cli.interrupts import take_over, too_late


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit; no traceback is shown, since its lines could hold private values.

    Without arguments, it is the command that this process was started for, and an interrupt ends the process at once.
    """
    if arguments is None:
        take_over()  # before the commands are imported, which takes a while
    from eremite.cli.exit_codes import run

    code = run(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        too_late()
    sys.exit(code)
