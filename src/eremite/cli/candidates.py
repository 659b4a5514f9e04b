"""Public points for `eremite detect` and `eremite explain`, from a file, in the units of the table.

The file is written as those of the description are, and its cells are read by the same rules. The points belong to the
analyst, so an error may show a cell and say in which row it is; for a private table it may not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from eremite.cli.output import plain_number
from eremite.errors import InputError
from eremite.names import list_names, quote_name, show_name
from eremite.table import Description, Facts, Table
from eremite.table.bounds import FloatArray
from eremite.table.categories import MISSING, UNLISTED, Codes
from eremite.table.files import read_file
from eremite.table.numeric import of_public_rows
from eremite.table.rules import CellRules

_NO_VALUE = {"number": "no finite number", "boolean": "neither true nor false", "date": "no date"}
_VALUE = {"number": "a number", "boolean": "true or false", "date": "a date"}


@dataclass(frozen=True, slots=True, eq=False)
class PublicPoints:
    """Points as the file has them, and their values as the rules read them."""

    cells: pa.Table  # the columns of the question and no others
    values: Mapping[str, Sequence[str]]  # by column

    def in_words(self, place: int) -> str:
        """The values of one point: "bmi = 58 and ward = A"."""
        return list_names([f"{show_name(name)} = {values[place]}" for name, values in self.values.items()], show=str)


def chosen_columns(description: Description, columns: list[str] | None, within: Sequence[str]) -> list[str]:
    """The columns to measure distances in: all columns with bounds, or the given ones, which the table must have.

    The columns `within` must have categories. A table without rows answers as the private one would.
    """
    rules, dataset = description.rules(), description.dataset
    facts = Facts(rules, dataset.rows_per_person, dataset.neighbors, dataset.rows_about or 1)
    table = Table.from_numbers({name: np.empty(0) for name in rules.bounds}, {}, facts)
    table.choose_within(within)
    return list(table.choose(columns))


def read_points(path: Path, names: Sequence[str], within: Sequence[str], description: Description) -> PublicPoints:
    """The points of a file that has at least these columns, each with a value in all of them."""
    rules, wanted = description.rules(), [*names, *within]
    writing = replace(description.dataset.writing, sheet=None)  # a sheet of the table's own workbook
    cells = of_public_rows(lambda: read_file(path, wanted, writing, rules.as_text)).select(wanted)
    if cells.num_rows == 0:
        raise InputError(f"{path} has no rows; give at least one candidate.")
    coordinates, listed = ({name: cells.column(name) for name in some} for some in (names, within))
    found = of_public_rows(lambda: rules.read_numbers(coordinates, str(path)))
    codes = of_public_rows(lambda: rules.read_codes(listed, str(path)))
    for name, values in found.items():
        _require_values(name, values, rules, path)
    for name, column in codes.items():
        _require_listed(name, column, cells, rules, path)
    numbers = rules.numbers(coordinates, str(path))  # with the values that are filled in
    shown = {name: _shown_numbers(rules, name, read) for name, read in numbers.items()}
    return PublicPoints(cells, shown | {name: _shown_codes(rules, name, read) for name, read in codes.items()})


def _require_values(name: str, numbers: FloatArray, rules: CellRules, path: Path) -> None:
    """A point cannot be left out: where the rule does not fill in a value, a missing one is an error."""
    fills = not isinstance(rules.missing[name], str)
    odd = np.flatnonzero(np.isinf(numbers) if fills else ~np.isfinite(numbers))
    if len(odd):
        kind = rules.bounds[name].kind
        raise InputError(
            f"In {path}, row {odd[0] + 1} has {_NO_VALUE[kind]} in column {quote_name(name)}; give every candidate "
            f"{_VALUE[kind]} there, or choose other columns with --columns."
        )


def _require_listed(name: str, codes: Codes, cells: pa.Table, rules: CellRules, path: Path) -> None:
    rule = rules.categories[name]
    odd = np.flatnonzero(codes == UNLISTED)
    if rule.other == "refuse" and len(odd):
        cell = quote_name(str(cells.column(name)[int(odd[0])].as_py()))
        listed = list_names([str(value) for value in rule.values], "categories", show=quote_name)
        raise InputError(f"In {path}, row {odd[0] + 1} has {cell} in column {quote_name(name)}; give one of {listed}.")
    odd = np.flatnonzero(codes == MISSING)
    if rule.missing in ("refuse", "leave-out") and len(odd):
        raise InputError(
            f"In {path}, row {odd[0] + 1} has no value in column {quote_name(name)}; give every candidate one."
        )


def _shown_numbers(rules: CellRules, name: str, numbers: FloatArray) -> list[str]:
    bound = rules.bounds[name]
    return [plain_number(value) if bound.kind == "number" else bound.show(value) for value in numbers.tolist()]


def _shown_codes(rules: CellRules, name: str, codes: Codes) -> list[str]:
    names: Sequence[Any] = rules.categories[name].names
    return [show_name(str(names[code])) for code in rules.settled_codes(name, codes).tolist()]
