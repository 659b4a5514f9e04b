"""Public points of a file, in the units of the table.

They are the analyst's own, so unlike for a private table an error may say which row is meant.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from eremite.cli.typed_names import typed_names
from eremite.errors import InputError
from eremite.names import list_names, quote_name
from eremite.table import Description, cells
from eremite.table.bounds import FloatArray
from eremite.table.files import read_file
from eremite.table.numeric import float_columns, name_list, of_public_rows, require_columns


def chosen_columns(description: Description, columns: str | None) -> list[str]:
    """The columns that count, each known to the table: all of them, or those typed."""
    known = list(description.bounds)
    if columns is None:
        return known
    sentence = f"Give a list of one or more columns; the table has: {list_names(known, show=quote_name)}."
    names = name_list(typed_names(columns, "--columns"), sentence)
    require_columns(names, known, "the table")
    return names


def read_candidates(path: Path, names: list[str]) -> FloatArray:
    """The points, one a row, a column for each name."""
    different = list(dict.fromkeys(names))  # a name typed twice is refused by the session
    table = of_public_rows(lambda: read_file(path, different))
    if table.num_rows == 0:
        raise InputError(f"{path} has no rows; give at least one candidate.")
    _require_numbers(table, path)
    columns = of_public_rows(lambda: float_columns(table, different, str(path)))
    return np.column_stack([columns[name] for name in names])


def _require_numbers(table: pa.Table, path: Path) -> None:
    """Of columns whose type is not numeric, `float_columns` says so."""
    for field in filter(lambda field: cells.is_numeric(field.type), table.schema):
        odd = np.flatnonzero(~np.isfinite(cells.from_arrow(table.column(field.name))))
        if len(odd):
            raise InputError(
                f"In {path}, row {odd[0] + 1} has no finite number in column {quote_name(field.name)}; "
                "give every candidate a number there, or choose other columns with --columns."
            )
