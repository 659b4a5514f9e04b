"""`eremite budget`: show what was spent and what remains, open a budget, and set caps."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eremite.cli.groups import ShowByDefault
from eremite.cli.options import AsJson, DescriptionFile, LedgerPlace
from eremite.cli.output import dump_json, grid, render
from eremite.names import show_name

if TYPE_CHECKING:
    from rich.panel import Panel

    from eremite.ledger import Budget
    from eremite.table import Description

budget_app = typer.Typer(
    cls=ShowByDefault,
    help="Open a budget, show what remains of it, or set a cap. Only the custodian sets caps.",
    rich_markup_mode=None,
)


@budget_app.command()
def show(description: DescriptionFile, ledger: LedgerPlace = None, as_json: AsJson = False) -> None:
    """Show caps, what was spent and what remains. `eremite budget DESCRIPTION` for short; spends nothing."""
    _print_budgets(description, ledger, as_json)


@budget_app.command("open")
def open_budget(description: DescriptionFile, ledger: LedgerPlace = None, as_json: AsJson = False) -> None:
    """Make the ledger of a dataset, with the budget of its description. An existing budget stays as it is."""
    from eremite.session import opened_ledger

    opened_ledger(description, ledger, create="quietly")
    _print_budgets(description, ledger, as_json)


@budget_app.command("set")
def set_cap(
    description: DescriptionFile,
    epsilon: Annotated[str, typer.Option("--epsilon", help="The cap on the epsilon of all releases together.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in the history.")],
    delta: Annotated[str, typer.Option("--delta", help="The cap on delta; above 0 allows zCDP.")] = "0",
    account: Annotated[
        str | None, typer.Option("--account", help="Set the cap of this account; default: of the whole dataset.")
    ] = None,
    ledger: LedgerPlace = None,
    as_json: AsJson = False,
) -> None:
    """Set the cap of a dataset, or of one account, from now on."""
    from eremite.privacy import checked_budget
    from eremite.session import opened_ledger

    dataset, opened = opened_ledger(description, ledger)
    opened.set_cap(dataset, account, checked_budget(epsilon, delta), reason=reason)
    _print_budgets(description, ledger, as_json)


def _print_budgets(path: Path, place: str | None, as_json: bool) -> None:
    from eremite.ledger.to_json import budgets_to_json
    from eremite.session import opened_ledger
    from eremite.table import read_description

    dataset, ledger = opened_ledger(path, place)
    budgets = ledger.budgets(dataset)
    if as_json:
        typer.echo(dump_json(budgets_to_json(dataset, budgets)))
    else:
        typer.echo(render(_panel(dataset, budgets, read_description(path))))


def _panel(dataset: str, budgets: list[tuple[str | None, "Budget"]], description: "Description") -> "Panel":
    from rich.console import Group
    from rich.panel import Panel
    from rich.text import Text

    rows = [_row(account, budget) for account, budget in budgets]
    whole = budgets[0][1]
    notes = [Text(f"\n{note}") for note in (*_composition(whole), *_declared(whole, description))]
    content = Group(grid(("budget of", "charges", "spent", "cap", "left"), rows), *notes)
    return Panel(content, title=Text(f"budget of {show_name(dataset)}"), title_align="left", padding=(1, 2))


def _row(account: str | None, budget: "Budget") -> tuple[str, ...]:
    """The dataset's cap limits an account that has none."""
    from eremite.ledger import remaining
    from eremite.privacy import Privacy

    who = "the dataset" if account is None else f"account {show_name(account)}"
    spent = Privacy(budget.spent.epsilon, budget.spent.delta)
    limits = ("no cap", "as the dataset") if budget.cap is None else (str(budget.cap), str(remaining(budget)))
    return who, f"{budget.spent.charges:,}", str(spent), *limits


def _composition(whole: "Budget") -> list[str]:
    """How charges are composed under a cap with a delta; under one without, they are simply added up."""
    from eremite.privacy import shown

    if whole.cap is None or not whole.cap.delta:
        return []
    if whole.spent.sums_only:
        return ["Charges are added up: the first one took more than half of delta."]
    return [f"Charges are added up, or composed by zCDP (rho {shown(whole.spent.rho)}) where that leaves more."]


def _declared(whole: "Budget", description: "Description") -> list[str]:
    """A note if the description declares another cap than the ledger has; only the ledger's counts."""
    from eremite.privacy import Privacy

    declared = description.budget
    if declared is None or whole.cap == Privacy(declared.epsilon, declared.delta):
        return []
    said = Privacy(declared.epsilon, declared.delta)
    return [f"The description says {said}, which was the cap at the start; the ledger's cap holds."]
