"""What a custodian should know about a ledger, as a line on stderr, whatever is printed on stdout."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import typer

from eremite.errors import LedgerNotice


@contextmanager
def noted_on_stderr() -> Iterator[None]:
    """Print every `LedgerNotice` as a sentence; other warnings are none of ours, and go where they would."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def shown(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, LedgerNotice):
                notice(str(message))
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.simplefilter("always", LedgerNotice)
        warnings.showwarning = shown
        yield


def notice(sentence: str) -> None:
    """One line, beside whatever the command prints."""
    typer.echo(f"Note: {on_one_line(sentence)}", err=True)


def on_one_line(sentence: str) -> str:
    """Whatever letters the name of a file has."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in sentence)
