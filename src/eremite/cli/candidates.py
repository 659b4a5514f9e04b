"""Candidates for `eremite detect`: public points from a file, in the units of the table.

They belong to the analyst, so an error may say which row is wrong; for a private table it may not.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from eremite.errors import InputError
from eremite.names import list_names, quote_name
from eremite.table import Description, cells
from eremite.table.bounds import FloatArray
from eremite.table.files import read_file
from eremite.table.numeric import float_columns, name_list, of_public_rows, require_columns


def chosen_columns(description: Description, columns: list[str] | None) -> list[str]:
    """The columns to measure distances in: all columns of the table, or the given ones, which it must have."""
    known = list(description.bounds)
    if columns is None:
        return known
    sentence = f"Give a list of one or more columns; the table has: {list_names(known, show=quote_name)}."
    names = name_list(columns, sentence)
    require_columns(names, known, "the table")
    return names


def read_candidates(path: Path, names: list[str]) -> FloatArray:
    """The points: a row for each point, a column for each name."""
    different = list(dict.fromkeys(names))  # the session refuses a name given twice
    table = of_public_rows(lambda: read_file(path, different))
    if table.num_rows == 0:
        raise InputError(f"{path} has no rows; give at least one candidate.")
    _require_numbers(table, path)
    columns = of_public_rows(lambda: float_columns(table, different, str(path)))
    return np.column_stack([columns[name] for name in names])


def _require_numbers(table: pa.Table, path: Path) -> None:
    """Look at numeric columns alone: `float_columns` refuses the others."""
    for field in filter(lambda field: cells.is_numeric(field.type), table.schema):
        odd = np.flatnonzero(~np.isfinite(cells.from_arrow(table.column(field.name))))
        if len(odd):
            raise InputError(
                f"In {path}, row {odd[0] + 1} has no finite number in column {quote_name(field.name)}; "
                "give every candidate a number there, or choose other columns with --columns."
            )
