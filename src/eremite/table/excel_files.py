"""Sheets of Excel workbooks (.xlsx): a first row of column names, then a row for each row.

Every cell has a type of its own: number, text, boolean, date; a cell with an error is missing. Nothing is inferred for
a column. An empty row between others is a row of missing values; what follows the last row with a value is no row.
"""

import datetime
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from eremite.errors import InputError, TableError
from eremite.names import list_names, quote_name
from eremite.table import cells
from eremite.table.csv_header import require_names
from eremite.table.numeric import require_columns
from eremite.table.writing import PLAIN, Writing

MISSING_READER = "Reading .xlsx files needs python-calamine; install it with: pip install 'eremite[excel]'"
FIRST_ROWS = 1000  # the rows that suggest the type of a column to `eremite init`
EMPTY = ""  # what the reader returns for an empty cell, and for one with an error
_TIMES = (datetime.date, datetime.datetime)

Row = list[Any]


def schema(path: Path, writing: Writing = PLAIN) -> pa.Schema:
    """Names of the columns, and the types that the cells of the first rows suggest."""
    names, rows = _sheet(path, writing)
    require_names(path, names)
    if not rows:
        raise InputError(f"{path} has column names but no rows to judge their types by; add rows.")
    kinds = [_suggested(row[place] for row in rows[:FIRST_ROWS]) for place in range(len(names))]
    return pa.schema([(name, kind) for name, kind in zip(names, kinds, strict=True) if name])


def read(path: Path, wanted: Sequence[str], writing: Writing = PLAIN, as_text: Collection[str] = ()) -> pa.Table:
    """The wanted columns, cell by cell.

    They are texts where `as_text` names them (numbers in decimal notation, dates in ISO notation, true and false),
    else float64; null where there is no such cell. A text in decimal notation is a number too, as sheets often have.
    """
    names, rows = _sheet(path, writing)
    if not set(wanted) <= set(names):
        require_names(path, names)
    require_columns(wanted, names, str(path))
    columns = {name: [row[names.index(name)] for row in rows] for name in wanted}
    return pa.table({name: _texts(column) if name in as_text else _numbers(column) for name, column in columns.items()})


def _sheet(path: Path, writing: Writing) -> tuple[list[str], list[Row]]:
    """The column names and the rows below them."""
    rows = _rows(path, writing.sheet)
    if not rows:
        raise InputError(f"{path} has an empty sheet; put a row of column names on top, or choose another sheet.")
    return [(_text(cell) or "").strip() for cell in rows[0]], rows[1:]


def _rows(path: Path, sheet: str | None) -> list[Row]:
    try:
        import python_calamine as calamine
    except ModuleNotFoundError:
        raise InputError(MISSING_READER) from None
    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            sheets = [found.name for found in book.sheets_metadata if found.typ == calamine.SheetTypeEnum.WorkSheet]
            if sheet is None or sheet in sheets:
                rows: list[Row] = book.get_sheet_by_name(sheet or sheets[0]).to_python(skip_empty_area=False)
                return rows
            known = list_names(sheets, show=quote_name)
            problem = InputError(f"{path} has no sheet {quote_name(sheet)}, but {known}; correct dataset.sheet.")
    except (calamine.CalamineError, OSError, ValueError, IndexError):  # they may quote cells
        problem = TableError(f"{path} cannot be read as an Excel workbook; save it again as .xlsx, without a password.")
    raise problem


def _numbers(column: Iterable[object]) -> pa.Array:
    return pa.array(cells.from_objects_and_texts(column), pa.float64(), from_pandas=True)  # NaN is null


def _texts(column: Iterable[object]) -> pa.Array:
    return pa.array(map(_text, column), pa.string())


def _text(cell: object) -> str | None:
    """A cell as text, by its own type."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    if isinstance(cell, _TIMES):
        return cell.isoformat()
    return None if cell == EMPTY else str(cell)


def _suggested(column: Iterable[object]) -> pa.DataType:
    found = {type(cell) for cell in column if cell != EMPTY}
    if not found:
        return pa.null()
    if found <= set(_TIMES):
        return pa.date32() if found == {datetime.date} else pa.timestamp("us")
    return pa.bool_() if found == {bool} else pa.float64() if found == {float} else pa.string()
