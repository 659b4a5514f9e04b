"""`eremite demo`: a tour on a generated table."""

from pathlib import Path
from typing import Annotated

import typer

from eremite.cli.interrupts import explain_with
from eremite.cli.options import local_file


def demo(
    folder: Annotated[Path, typer.Option("--folder", callback=local_file, help="Where to write the example.")] = Path(
        "demo"
    ),
) -> None:
    """Show what eremite does, on a generated table."""
    from eremite.demo import run

    explain_with(lambda _: "Interrupted; what the tour charged is in its own ledger, and a new tour starts anew.")
    run(folder)
