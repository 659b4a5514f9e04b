"""Points out of a table that somebody pasted: from a spreadsheet, from a CSV file, or typed."""

import csv
from collections.abc import Sequence
from typing import Any

from eremite.errors import InputError
from eremite.names import list_names, quote_name
from eremite.privacy import exact
from eremite.table import Facts

_MOST_LINES = 10_000  # of a form; the API takes more


def points_of(text: str, names: Sequence[str], facts: Facts) -> list[dict[str, Any]]:
    """A point for each line, as values by the names of columns.

    The first line may hold the names of the columns, in any order; else a line has a value for each of `names`, in
    their order. Values are separated by tabs, semicolons or commas.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError("Paste at least one point: a line with a value for each column.")
    if len(lines) > _MOST_LINES:
        raise InputError(f"A form takes at most {_MOST_LINES:,} points; ask with the client for more.")
    separator = next((mark for mark in "\t;," if mark in lines[0]), ",")
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
    heads, known = rows[0], {*facts.bounds, *facts.categories}
    if set(heads) <= known:
        rows = rows[1:]
        if sorted(heads) != sorted(names):
            raise InputError(f"The first line must name the columns chosen, each once: {list_names(names)}.")
    else:
        heads = list(names)
    if not rows:
        raise InputError("Paste at least one point below the line with the names.")
    return [_point(number, heads, row, facts) for number, row in enumerate(rows, 1)]


def _point(number: int, names: Sequence[str], cells: Sequence[str], facts: Facts) -> dict[str, Any]:
    if len(cells) != len(names):
        raise InputError(
            f"Point {number:,} has {len(cells):,} values; it needs {len(names):,}, for {list_names(names)}, "
            "with a tab, a semicolon or a comma between them."
        )
    return {name: _cell(number, name, cell, facts) for name, cell in zip(names, cells, strict=True)}


def _cell(number: int, name: str, cell: str, facts: Facts) -> float | str | bool | int:
    """The value of a cell, by what its column holds."""
    if name in facts.categories:
        declared = {_text(value): value for value in facts.categories[name].values}
        return declared.get(cell, cell)
    bound = facts.bounds.get(name)
    if bound is None or bound.kind == "date":
        return cell
    if bound.kind == "boolean" and cell.lower() in ("true", "false"):
        return cell.lower() == "true"
    try:
        return float(exact(cell, f"Column {quote_name(name)} of point {number:,}"))
    except OverflowError:
        raise InputError(f"Column {quote_name(name)} of point {number:,} is too large.") from None


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
