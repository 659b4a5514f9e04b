"""The commands of `eremite budget` and their options."""

from typing import Annotated

import typer

from eremite.cli.options import AsJson, DescriptionFile, LedgerPlace
from eremite.cli.shown_by_default import ShownByDefault

budget = typer.Typer(
    cls=ShownByDefault,
    help="Open a budget, show what is left of it, or set another cap. Caps are the custodian's.",
    rich_markup_mode=None,
)


@budget.command()
def show(description: DescriptionFile, ledger: LedgerPlace = None, as_json: AsJson = False) -> None:
    """Show caps, what was spent and what is left. `eremite budget DESCRIPTION` for short; spends nothing."""
    from eremite.cli.budget import show

    typer.echo(show(description, ledger, as_json))


@budget.command("open")
def open_budget(description: DescriptionFile, ledger: LedgerPlace = None, as_json: AsJson = False) -> None:
    """Make the ledger of a dataset, with the budget of its description. One that is there stays as it is."""
    from eremite.cli.budget import open_budget

    typer.echo(open_budget(description, ledger, as_json))


@budget.command("set")
def set_cap(
    description: DescriptionFile,
    epsilon: Annotated[str, typer.Option("--epsilon", help="The cap on all releases together, as written.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in the history.")],
    delta: Annotated[str, typer.Option("--delta", help="The cap beside epsilon; above 0 allows zCDP.")] = "0",
    account: Annotated[
        str | None, typer.Option("--account", help="The cap of this account; default: of the dataset as a whole.")
    ] = None,
    ledger: LedgerPlace = None,
    as_json: AsJson = False,
) -> None:
    """Set the cap of a dataset, or of one account, from now on."""
    from eremite.cli.budget import set_cap, show

    set_cap(description, ledger, account, epsilon, delta, reason)
    typer.echo(show(description, ledger, as_json))
