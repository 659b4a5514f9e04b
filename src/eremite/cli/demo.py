"""`eremite demo`: a tour on a generated table."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    folder: Annotated[Path, typer.Option("--folder", help="Where to write the example.")] = Path("demo"),
) -> None:
    """Show what eremite does, on a generated table."""
    from eremite.demo import run

    run(folder)
