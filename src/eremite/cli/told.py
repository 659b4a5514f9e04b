"""What a command has to tell: a text, and a picture of the same if one is asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from eremite.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Told:
    """A text to print, and how to draw what it says."""

    text: str
    draw: Callable[[], "Figure"]


def tell(told: Told, picture: Path | None) -> None:
    """Print, and then draw: an answer that was paid for is out before anything about its picture can fail.

    If that fails, the exit code is not that of bad input, which charges nothing.
    """
    typer.echo(told.text)
    if picture is not None:
        from eremite.plots import write

        try:
            write(told.draw(), picture)
        except InputError as error:
            typer.echo(f"Error: The answer stands, without its picture. {error}", err=True)
            raise typer.Exit(1) from None
