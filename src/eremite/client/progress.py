"""What is shown while an answer is waited for. Nobody knows more than its state: how far it is depends on the rows."""

import sys
from collections.abc import Callable
from typing import TextIO

#: Called with "queued" and "running", when the state changes.
Progress = Callable[[str], None]


class StatusLine:
    """A line on the terminal, or below the cell of a notebook, that says the state and goes away with the answer."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = sys.stderr if file is None else file
        self._shown = 0

    def __call__(self, state: str) -> None:
        """Show a state in place of the one before; an empty text removes the line."""
        text = f"eremite: {state}" if state else ""
        if text or self._shown:
            self._file.write(f"\r{text:<{self._shown}}{'' if text else chr(13)}")
            self._file.flush()
        self._shown = len(text)


def is_interactive() -> bool:
    """Whether somebody watches: a terminal, or a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())
