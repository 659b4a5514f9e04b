"""`eremite check`: the public facts of a dataset, as text or JSON."""

import json
from pathlib import Path
from typing import Any

from eremite.names import show_name
from eremite.table import Budget, Description, Table, open_table, read_description
from eremite.table.numeric import counted


def run(path: Path, as_json: bool) -> str:
    """Open the table and give its public facts; numbers of the budget are shown as the nearest float."""
    description = read_description(path)
    table = open_table(description)
    return json.dumps(_facts(description, table)) if as_json else _text(description, table)


def _facts(description: Description, table: Table) -> dict[str, Any]:
    return {
        "name": description.dataset.name,
        "n_rows": table.n_rows,
        "rows_per_person": table.rows_per_person,
        "columns": {name: {"min": b.min, "max": b.max} for name, b in table.bounds.items()},
        "budget": _budget_facts(description.budget),
    }


def _budget_facts(budget: Budget | None) -> dict[str, float] | None:
    return None if budget is None else {"epsilon": float(budget.epsilon), "delta": float(budget.delta)}


def _text(description: Description, table: Table) -> str:
    width = max(len(show_name(name)) for name in table.columns)
    columns = [f"  {show_name(name):<{width}}  {_plain(b.min)} to {_plain(b.max)}" for name, b in table.bounds.items()]
    rows = counted(table.n_rows, "row")
    head = [
        f"{show_name(description.dataset.name)}: {rows}, at most {table.rows_per_person} per person",
        f"budget: {_budget_text(description.budget)}",
        "columns, with their public bounds:",
    ]
    return "\n".join(head + columns)


def _plain(number: float) -> str:
    """The number in full, without a point if it is whole."""
    return repr(number).removesuffix(".0")


def _budget_text(budget: Budget | None) -> str:
    if budget is None:
        return "none set; add [budget] to the description before analysts can ask"
    return f"epsilon {float(budget.epsilon)!r}, delta {float(budget.delta)!r}"
