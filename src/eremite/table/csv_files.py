"""CSV files, plain or gzipped: UTF-8, a first line of column names, one row a line.

The wanted columns are read as numbers; the others may hold anything. Nothing is guessed from the data: no spelling of
"missing" becomes a value, and a row with too many or too few fields is an error. So is a line break in a quoted field,
into which rows could vanish. An empty line is a row whose values are all missing.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from eremite.errors import InputError
from eremite.table import cells
from eremite.table.csv_header import column_names, require_names
from eremite.table.csv_lines import BLOCK_BYTES, line_count, require_even_rows, require_row_a_line
from eremite.table.numeric import or_input_error, or_table_error, require_columns

# An empty line counts as a row of missing values: otherwise a row could change the number of rows, which is public.
# Quoted line breaks are parsed here and refused afterwards, by the number of lines: otherwise the rows could depend on
# where Arrow's blocks end.
PARSING = arrow_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)


def schema(path: Path) -> pa.Schema:
    """Names of the columns, and the types that the first 8 MB suggest; refuses a first line that looks like data."""
    names = or_input_error(lambda: column_names(path), _unreadable(path))
    require_names(path, names)
    found = or_table_error(lambda: _schema(path, len(names)), _unreadable(path))
    # `read` takes 0 and 1 as numbers, but not the words true and false.
    kinds = [pa.string() if pa.types.is_boolean(kind) else kind for kind in found.types]
    return pa.schema(list(zip(found.names, kinds, strict=True)))


def read(path: Path, wanted: Sequence[str]) -> pa.Table:
    """The wanted columns as float64, with null where a row holds no number."""
    names = or_input_error(lambda: column_names(path), _unreadable(path))
    if not set(wanted) <= set(names):
        require_names(path, names)
    require_columns(wanted, names, str(path))
    return or_table_error(lambda: _read(path, wanted, len(names)), _unreadable(path))


def _schema(path: Path, width: int) -> pa.Schema:
    with suppress(pa.ArrowInvalid):
        found = arrow_csv.open_csv(path, _blocks(), PARSING).schema
        if not all(map(pa.types.is_null, found.types)):
            return found
    lines = line_count(path)
    if lines == 0:
        raise InputError(f"{path} has column names but no rows to judge their types by; add rows.")
    require_even_rows(path, lines, width)
    return arrow_csv.open_csv(path, _blocks(), PARSING).schema


def _read(path: Path, wanted: Sequence[str], width: int) -> pa.Table:
    lines = line_count(path)
    if lines == 0:
        return pa.table({name: pa.array([], pa.float64()) for name in wanted})
    table = _read_numbers(path, wanted)
    if table is None:
        require_even_rows(path, lines, width)
        texts = _read_as(path, wanted, pa.string())
        table = pa.table({name: cells.from_text(texts.column(name)) for name in wanted})
    require_row_a_line(path, lines, table.num_rows)
    return table


def _read_numbers(path: Path, wanted: Sequence[str]) -> pa.Table | None:
    """The columns as Arrow parses them, which is fast and gives the same numbers; None if some row does not parse."""
    with suppress(pa.ArrowInvalid):
        table = _read_as(path, wanted, pa.float64())
        # Arrow also parses "inf" and "nan", which are no numbers here; 1e400 is one, and becomes infinite.
        if all(pc.all(pc.is_finite(column)).as_py() is not False for column in table.columns):
            return table
    return None


def _read_as(path: Path, wanted: Sequence[str], kind: pa.DataType) -> pa.Table:
    convert = arrow_csv.ConvertOptions(
        include_columns=list(wanted),
        column_types=dict.fromkeys(wanted, kind),
        null_values=[""],
        check_utf8=False,  # bytes that are not UTF-8 are not numbers either, and are counted as missing
    )
    return arrow_csv.read_csv(path, _blocks(), PARSING, convert)


def _blocks() -> arrow_csv.ReadOptions:
    return arrow_csv.ReadOptions(block_size=BLOCK_BYTES)


def _unreadable(path: Path) -> str:
    return (
        f"{path} cannot be read as CSV; it must be UTF-8 text with commas (gzipped when it ends in .gz), "
        "its first line the column names, and every line must have the same number of fields."
    )
