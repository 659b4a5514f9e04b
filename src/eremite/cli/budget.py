"""`eremite budget`: what may be spent, what was spent, what is left; and, for the custodian, another cap."""

import json
from pathlib import Path

from rich.console import Group
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite.cli.terminal import framed
from eremite.ledger import Budget, remaining
from eremite.ledger.to_json import budgets_to_json
from eremite.names import show_name
from eremite.privacy import Privacy, checked_budget, shown
from eremite.session import opened_ledger
from eremite.table import Description, read_description


def show(path: Path, place: str | None, as_json: bool) -> str:
    """All budgets of a dataset."""
    dataset, ledger = opened_ledger(path, place)
    budgets = ledger.budgets(dataset)
    return (
        json.dumps(budgets_to_json(dataset, budgets))
        if as_json
        else framed(_panel(dataset, budgets, read_description(path)))
    )


def open_budget(path: Path, place: str | None, as_json: bool) -> str:
    """Make the ledger, and the dataset's budget in it; what is there already stays as it is."""
    opened_ledger(path, place, create="quietly")
    return show(path, place, as_json)


def set_cap(path: Path, place: str | None, account: str | None, epsilon: str, delta: str, reason: str) -> None:
    """Another cap, from now on."""
    dataset, ledger = opened_ledger(path, place)
    ledger.set_cap(dataset, account, checked_budget(epsilon, delta), reason=reason)


def _panel(dataset: str, budgets: list[tuple[str | None, Budget]], description: Description) -> Panel:
    grid = Grid("budget of", "charges", "spent", "cap", "left", box=None, padding=(0, 2, 0, 0))
    for account, budget in budgets:
        who = "the dataset" if account is None else f"account {show_name(account)}"
        spent = Privacy(budget.spent.epsilon, budget.spent.delta)
        grid.add_row(*map(Text, (who, f"{budget.spent.charges:,}", str(spent), *_limits(budget))))
    content = Group(grid, *_composition(budgets[0][1]), *_declared(budgets[0][1], description))
    return Panel(content, title=Text(f"budget of {show_name(dataset)}"), title_align="left", padding=(1, 2))


def _declared(whole: Budget, description: Description) -> list[Text]:
    """That the file says something else, which has no effect."""
    declared = description.budget
    if declared is None or whole.cap == Privacy(declared.epsilon, declared.delta):
        return []
    said = Privacy(declared.epsilon, declared.delta)
    return [Text(), Text(f"The description says {said}; the ledger's cap holds. Change it with eremite budget set.")]


def _limits(budget: Budget) -> tuple[str, str]:
    """The cap and what is left of it; an account without one is held by the dataset's."""
    return ("no cap", "as the dataset") if budget.cap is None else (str(budget.cap), str(remaining(budget)))


def _composition(whole: Budget) -> list[Text]:
    """How charges are counted under a cap with a delta; without one they are added up."""
    if whole.cap is None or not whole.cap.delta:
        return []
    if whole.spent.sums_only:
        return [Text(), Text("Charges are added up: the first one took more than half of delta.")]
    rho = shown(whole.spent.rho)
    return [Text(), Text(f"Charges are added up, or composed by zCDP (rho {rho}) where that leaves more.")]
