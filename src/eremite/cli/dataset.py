"""`eremite init` and `eremite check`: describe a data file, and check that it fits its description."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eremite.cli.options import AsJson, DescriptionFile
from eremite.cli.output import dump_json, plain_number
from eremite.names import list_names, show_name

if TYPE_CHECKING:
    from eremite.table import Budget, Description, Starter, Table


def init(
    file: Annotated[Path, typer.Argument(help="A .csv, .csv.gz, .parquet, .arrow or .feather file.")],
    output: Annotated[
        Path | None, typer.Option("--output", help="Where to write; default: next to FILE, ending in .toml.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a description of FILE, with bounds to fill in. It lists the numeric columns.

    For the custodian: in a CSV file the first rows decide which columns are numeric, so the description, or the
    error, depends on private rows. Read the description before you hand it on.
    """
    from eremite.table import write_starter

    starter = write_starter(file, output)
    facts = {"description": str(starter.path), "numeric": starter.numeric, "other": starter.other}
    typer.echo(dump_json(facts) if as_json else _written(starter))


def check(description: DescriptionFile, as_json: AsJson = False) -> None:
    """Open a table and print its public facts. For the custodian.

    If rows do not fit the description, the error says which column, and how many rows. Only the custodian may know
    that; commands that ask questions do not say it.
    """
    from eremite.table import open_table, read_description

    described = read_description(description)
    table = open_table(described)
    typer.echo(dump_json(_facts(described, table)) if as_json else _text(described, table))


def _written(starter: "Starter") -> str:
    found = f"{len(starter.numeric)} numeric column{'s' * (len(starter.numeric) != 1)}"
    left = f", {len(starter.other)} left out as not numeric" if starter.other else ""
    return (
        f"Wrote {starter.path} with {found}{left}.\n"
        f"Next: fill in the bounds in [columns], then run: eremite check {shlex.quote(str(starter.path))}"
    )


def _facts(description: "Description", table: "Table") -> dict[str, Any]:
    """Public facts; numbers of the budget are the nearest floats."""
    budget = description.budget
    spend = None if budget is None else {"epsilon": float(budget.epsilon), "delta": float(budget.delta)}
    return {"name": description.dataset.name} | table.facts.described() | {"budget": spend}


def _text(description: "Description", table: "Table") -> str:
    facts = table.facts.described()
    width = max(len(show_name(name)) for name in (*facts["columns"], *facts["categories"]))
    columns = [
        f"  {show_name(name):<{width}}  {_end(column['min'])} to {_end(column['max'])}{_rule(column)}"
        for name, column in facts["columns"].items()
    ]
    listed = [
        f"  {show_name(name):<{width}}  {list_names([str(value) for value in column['values']], 'categories')}"
        f"{_rule(column)}"
        for name, column in facts["categories"].items()
    ]
    columns += ["columns with categories:", *listed] if listed else []
    head = [
        f"{show_name(description.dataset.name)}: {table.facts.rows_in_words}, at most {table.rows_per_person} per "
        f'person, neighbors = "{table.neighbors}"',
        f"budget: {_budget_text(description.budget)}",
        "columns, with their public bounds:",
    ]
    return "\n".join(head + columns)


def _end(value: float | str) -> str:
    return value if isinstance(value, str) else plain_number(value)


def _rule(column: dict[str, Any]) -> str:
    rule = column.get("missing", "refuse")
    if rule == "refuse":
        return ""
    return "; rows without a value are left out" if rule == "leave-out" else f"; {rule} where there is no value"


def _budget_text(budget: "Budget | None") -> str:
    if budget is None:
        return "none set; add [budget] to the description before analysts can ask"
    return f"epsilon {float(budget.epsilon)!r}, delta {float(budget.delta)!r}"
