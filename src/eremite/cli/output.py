"""What a command prints: its answer on stdout; notices and a spinner on stderr. rich is imported when it is needed."""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from eremite.cli import messages
from eremite.errors import InputError, LedgerNotice

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType
    from rich.table import Column, Table

_WIDEST = 100


def print_answer(text: str, draw: Callable[[], "Figure"], plot: Path | None) -> None:
    """Print the text, and then draw: an answer that was paid for is printed before its picture can fail.

    If the picture fails, the exit code is not the one for bad input, because bad input charges nothing.
    """
    typer.echo(text)
    if plot is not None:
        from eremite.plots import write

        try:
            write(draw(), plot)
        except InputError as error:
            typer.echo(messages.error(f"The answer stands, without its picture. {error}", 1), err=True)
            raise typer.Exit(1) from None


def dump_json(facts: object) -> str:
    """The facts as one line of JSON."""
    import json  # not needed by --help

    return json.dumps(facts)


def render(content: "RenderableType") -> str:
    """The text of a rich object, as wide as stdout, without colors where stdout is no terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(content, width=min(console.width, _WIDEST))
    return captured.get().rstrip("\n")


def grid(heads: Sequence["str | Column"], rows: Iterable[Iterable[str]], gap: int = 2) -> "Table":
    """Texts in columns under their heads. rich does not read them as markup, whatever a name holds."""
    from rich.table import Table
    from rich.text import Text

    table = Table(*heads, box=None, padding=(0, gap, 0, 0))
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def plain_number(number: float) -> str:
    """The number in full, without a decimal point where it is whole."""
    return repr(number).removesuffix(".0")


@contextmanager
def spinner(words: str) -> Iterator[Callable[[str], None]]:
    """Show on stderr that work goes on, if stderr is a terminal; yields a function that replaces the words.

    How far the work is depends on the rows, and is shown only to a custodian who asks for it. The terminal is looked
    for here because rich takes FORCE_COLOR for one and would write the spinner into a file.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status(words) as status:
        yield status.update


@contextmanager
def notices_on_stderr() -> Iterator[None]:
    """Print every `LedgerNotice` as one line; Python shows other warnings as usual."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, LedgerNotice):
                print_notice(str(message))
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.simplefilter("always", LedgerNotice)
        warnings.showwarning = show
        yield


def print_notice(sentence: str) -> None:
    """Say something that is no error, on stderr."""
    typer.echo(messages.note(sentence), err=True)
