"""Tables of results as CSV files. The first line says with which setting a table was made."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from eremite.errors import InputError

#: A number, a word, or nothing.
Cell = float | int | str | None
Row = dict[str, Cell]


def write_table(path: Path, rows: Sequence[Row], made_with: str) -> None:
    """Write the rows at once, so that a file that exists is complete."""
    text = io.StringIO(newline="")
    text.write(f"# {made_with}\n")
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["nothing"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _text(value) for name, value in row.items()} for row in rows)
    part = path.with_suffix(".part")
    part.write_text(text.getvalue())
    part.replace(path)


def read_table(path: Path, made_with: str) -> list[Row] | None:
    """The rows of a table; None if the file is missing or was made with another setting."""
    if not path.exists():
        return None
    with path.open(newline="") as file:
        if file.readline().rstrip("\n") != f"# {made_with}":
            return None
        return [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(file)]


def number(row: Row, name: str) -> float:
    """The number in a cell."""
    value = row.get(name)
    if isinstance(value, int | float):
        return float(value)
    raise InputError(
        f"Column {name} of a table of results holds {value!r}, no number; remove its folder and run again."
    )


def chosen(rows: Sequence[Row], **wanted: Cell) -> list[Row]:
    """The rows with these values."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def values(rows: Sequence[Row], name: str) -> list[Cell]:
    """The different values of a column, in order of first appearance."""
    return list(dict.fromkeys(row[name] for row in rows))


def _text(value: Cell) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _value(text: str) -> Cell:
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
