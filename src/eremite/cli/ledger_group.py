"""The commands of `eremite ledger` and their options."""

from pathlib import Path
from typing import Annotated

import typer

from eremite.cli.options import AsJson, DescriptionFile, LedgerPlace

ledger = typer.Typer(help="Copy a ledger, or accept an older or a new one. For the custodian.", rich_markup_mode=None)


@ledger.command()
def backup(
    description: DescriptionFile,
    file: Annotated[Path, typer.Argument(help="Where to write the copy; no file may be there yet.")],
    ledger: LedgerPlace = None,
    as_json: AsJson = False,
) -> None:
    """Copy the ledger to FILE, and verify the copy. Also while it is in use."""
    from eremite.cli.ledger import backup

    typer.echo(backup(description, file, ledger, as_json))


@ledger.command()
def accept(
    description: DescriptionFile,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in the history.")],
    ledger: LedgerPlace = None,
    as_json: AsJson = False,
) -> None:
    """Go on with an older, another or a new ledger. What was spent and is not in it can be spent again."""
    from eremite.cli.ledger import accept

    typer.echo(accept(description, reason, ledger, as_json))
