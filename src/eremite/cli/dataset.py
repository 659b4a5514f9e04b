"""`eremite init` and `eremite check`: describe a data file, and check that it fits its description."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eremite.cli.options import AsJson, DescriptionFile, local_file
from eremite.cli.output import dump_json, plain_number
from eremite.names import list_names, show_name

if TYPE_CHECKING:
    from eremite.table import Budget, DeclaredTable, Description, Starter
    from eremite.table.writing import Writing

# What a starter lists, and the words for it.
_KINDS = {"numeric": "numeric", "dates": "date", "booleans": "boolean", "texts": "text", "other": "other"}


def init(
    file: Annotated[
        Path,
        typer.Argument(
            help="A data file (.csv, .tsv, .parquet, .arrow, .xlsx, ...), or a folder of .parquet files.",
            callback=local_file,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", callback=local_file, help="Where to write; default: next to FILE, ending in .toml."),
    ] = None,
    separator: Annotated[
        str | None, typer.Option("--separator", help='Of a text file: what is between two fields, as in ";" or "\\t".')
    ] = None,
    decimal: Annotated[str, typer.Option("--decimal", help='Of a text file: "," for decimal commas.')] = ".",
    encoding: Annotated[str, typer.Option("--encoding", help="Of a text file: its encoding, as in latin-1.")] = "utf-8",
    sheet: Annotated[str | None, typer.Option("--sheet", help="Of an .xlsx file: the sheet, if not the first.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a description of FILE, with blanks to fill in.

    It lists the columns; their bounds and categories are yours to fill in, and nothing is proposed from the rows.

    For the custodian: in files without types, such as CSV, the first rows decide what a column seems to hold, so the
    description, or the error, depends on private rows. Read the description before you hand it on.
    """
    from eremite.table import write_starter

    writing = _writing(separator, decimal, encoding, sheet)
    starter = write_starter(file, output, writing)
    facts = {"description": str(starter.path), **{kind: getattr(starter, kind) for kind in _KINDS}}
    typer.echo(dump_json(facts) if as_json else _written(starter, writing))


def check(description: DescriptionFile, as_json: AsJson = False) -> None:
    """Open a table and print its public facts. For the custodian.

    If rows do not fit the description, the error names the column and the key to set. Only the custodian may know that;
    commands that ask questions do not say it.
    """
    from eremite.table import read_description
    from eremite.tiles import open_rows

    described = read_description(description)
    table = open_rows(described)
    typer.echo(dump_json(_facts(described, table)) if as_json else _text(described, table))


def _writing(separator: str | None, decimal: str, encoding: str, sheet: str | None) -> "Writing":
    from eremite.errors import InputError
    from eremite.table.writing import Writing

    try:
        # A shell hands over \\t as two characters.
        return Writing("\t" if separator == "\\t" else separator, decimal, encoding, sheet)
    except InputError as error:
        raise InputError(f"--{error}.") from None


def _written(starter: "Starter", writing: "Writing") -> str:
    named = {noun: len(getattr(starter, kind)) for kind, noun in _KINDS.items()}
    left_out = named.pop("other")
    found = list_names([f"{n} {noun} column{'s' * (n != 1)}" for noun, n in named.items() if n], show=str)
    left = f", {left_out} left out" if left_out else ""
    commas = 'If its numbers have decimal commas, start again with --decimal ",".\n'
    hint = commas if starter.texts and (writing.separator, writing.decimal) == (";", ".") else ""
    fill_in = "the bounds and the categories" if starter.texts else "the bounds"
    return (
        f"Wrote {starter.path} with {found}{left}.\n{hint}"
        f"Next: fill in {fill_in} in [columns], then run: eremite check {shlex.quote(str(starter.path))}"
    )


def _facts(description: "Description", table: "DeclaredTable") -> dict[str, Any]:
    """Public facts; numbers of the budget are the nearest floats, dates are texts."""
    budget = description.budget
    spend = None if budget is None else {"epsilon": float(budget.epsilon), "delta": float(budget.delta)}
    return {"name": description.dataset.name} | table.facts.described() | {"budget": spend}


def _text(description: "Description", table: "DeclaredTable") -> str:
    facts = table.facts.described()
    width = max(len(show_name(name)) for name in (*facts["columns"], *facts["categories"]))
    columns = [
        f"  {show_name(name):<{width}}  {_end(column['min'])} to {_end(column['max'])}{_rule(column)}"
        for name, column in facts["columns"].items()
    ]
    listed = [
        f"  {show_name(name):<{width}}  {list_names([str(value) for value in column['categories']], 'categories')}"
        f"{_rule(column)}"
        for name, column in facts["categories"].items()
    ]
    columns += ["columns for strata and groups, with their public categories:", *listed] if listed else []
    head = [
        f"{show_name(description.dataset.name)}: {table.facts.rows_in_words}, "
        f"at most {table.rows_per_person} per person",
        f"budget: {_budget_text(description.budget)}",
        "columns, with their public bounds:",
    ]
    return "\n".join(head + columns)


def _end(value: float | bool | str) -> str:
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else plain_number(value)


def _rule(column: dict[str, Any]) -> str:
    rule = column["missing"]
    if rule == "refuse":
        return ""
    return "; rows without a value are left out" if rule == "leave-out" else f"; {show_name(_end(rule))} if missing"


def _budget_text(budget: "Budget | None") -> str:
    if budget is None:
        return "none set; add [budget] to the description before analysts can ask"
    return f"epsilon {float(budget.epsilon)!r}, delta {float(budget.delta)!r}"
