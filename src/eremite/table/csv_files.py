"""Text files with a first line of column names and one row a line, written as `Writing` declares.

Nothing is guessed from the data: no spelling of "missing" becomes a value, and a row with too many or too few fields is
an error. So is a line break in a quoted field, into which rows could vanish. An empty line is a row whose values are
all missing.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from eremite.errors import InputError, TableError
from eremite.names import quote_name
from eremite.table.csv_header import SET_ENCODING, column_names, require_names, require_separator
from eremite.table.csv_lines import line_count, require_even_rows, require_row_a_line
from eremite.table.numeric import or_input_error, or_table_error, require_columns
from eremite.table.text_files import BLOCK_BYTES, TextFile, text_file
from eremite.table.writing import PLAIN, Writing


def schema(path: Path, writing: Writing = PLAIN) -> pa.Schema:
    """Names of the columns, and the types that the first 8 MB suggest; refuses a first line that looks like data."""
    file, names = _opened(path, writing)
    require_names(path, names)
    require_separator(file, names)
    found = or_table_error(lambda: _schema(file, len(names)), _unreadable(file))
    named = [(name, kind) for name, kind in zip(names, found.types, strict=True) if name]  # an index has no name
    return pa.schema(named)


def read(path: Path, wanted: Sequence[str], writing: Writing = PLAIN, as_text: Collection[str] = ()) -> pa.Table:
    """The wanted columns: texts as they are where `as_text` names them, else float64, null where there is no number."""
    file, names = _opened(path, writing)
    if not set(wanted) <= set(names):
        require_names(path, names)
        require_separator(file, names)
    require_columns(wanted, names, str(path))
    kinds = {name: pa.string() if name in as_text else pa.float64() for name in wanted}
    return or_table_error(lambda: _read(file, names, kinds), _unreadable(file))


def _opened(path: Path, writing: Writing) -> tuple[TextFile, list[str]]:
    file = or_input_error(lambda: text_file(path, writing), f"{path} cannot be unpacked; write it again.")
    return file, or_input_error(lambda: column_names(file), _unreadable(file))


def _schema(file: TextFile, width: int) -> pa.Schema:
    with suppress(pa.ArrowInvalid):
        found = _suggested(file, width)
        if not all(map(pa.types.is_null, found.types)):
            return found
    lines = _line_count(file)
    if lines == 0:
        raise InputError(f"{file.path} has column names but no rows to judge their types by; add rows.")
    require_even_rows(file, lines, width)
    return _suggested(file, width)


def _suggested(file: TextFile, width: int) -> pa.Schema:
    blank = [" " * width for width in range(1, 9)]
    missing = [*arrow_csv.ConvertOptions().null_values, *blank]  # these do not turn numbers into texts
    convert = arrow_csv.ConvertOptions(decimal_point=file.writing.decimal, null_values=missing)
    with file.opened() as stream:
        return arrow_csv.open_csv(stream, _blocks(width), _parsing(file), convert).schema


def _read(file: TextFile, names: Sequence[str], kinds: dict[str, pa.DataType]) -> pa.Table:
    lines = _line_count(file)
    if lines == 0:
        return pa.table({name: pa.array([], kind) for name, kind in kinds.items()})
    table = _read_quickly(file, names, kinds)
    if table is None:
        require_even_rows(file, lines, len(names))
        table = _read_by_definition(file, names, kinds)
    require_row_a_line(file, lines, table.num_rows)
    _require_text(file, table)
    return table


def _line_count(file: TextFile) -> int:
    """The number of lines; the whole file is decoded for it."""
    with suppress(UnicodeError):
        return line_count(file)
    raise TableError(f"{file.path} is not text in the encoding {file.writing.encoding}; {SET_ENCODING}.")


def _read_quickly(file: TextFile, names: Sequence[str], kinds: dict[str, pa.DataType]) -> pa.Table | None:
    """The columns as Arrow parses them; None if some row does not parse, or spells NaN or infinity.

    The rest reads the same in both ways; these spellings alone are numbers for Arrow and not by definition.
    """
    with suppress(pa.ArrowInvalid):
        table = _read_as(file, names, kinds)
        numbers = [table.column(name) for name, kind in kinds.items() if kind == pa.float64()]
        if all(pc.all(pc.is_finite(column)).as_py() is not False for column in numbers):
            return table
    return None


def _read_by_definition(file: TextFile, names: Sequence[str], kinds: dict[str, pa.DataType]) -> pa.Table:
    """The columns as texts, each parsed by the rule that `Writing` states."""
    texts = _read_as(file, names, dict.fromkeys(kinds, pa.string()))
    numbers = [name for name, kind in kinds.items() if kind == pa.float64()]
    for name in numbers:
        if file.writing.meets_decimal_commas(texts.column(name)):
            raise TableError(
                f"In {file.path}, column {quote_name(name)} has numbers with commas; if these are decimal commas, set "
                'decimal = "," in [dataset], and write the file again if they are not.'
            )
    columns = {name: texts.column(name) for name in kinds}
    return pa.table(columns | {name: file.writing.numbers(columns[name]) for name in numbers})


def _require_text(file: TextFile, table: pa.Table) -> None:
    """Refuse texts with bytes that are not UTF-8; in a column of numbers, such a cell is no number."""
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        undecoded = True
    else:
        undecoded = False
    if undecoded:
        raise TableError(f"{file.path} has texts that are not UTF-8; {SET_ENCODING}.")


def _read_as(file: TextFile, names: Sequence[str], kinds: dict[str, pa.DataType]) -> pa.Table:
    places = {str(names.index(name)): kind for name, kind in kinds.items()}
    convert = arrow_csv.ConvertOptions(
        include_columns=list(places),
        column_types=places,
        null_values=[""],
        check_utf8=False,  # bytes that are not UTF-8 are not numbers either, and are counted as missing
        decimal_point=file.writing.decimal,
    )
    with file.opened() as stream:
        table = arrow_csv.read_csv(stream, _blocks(len(names)), _parsing(file), convert)
    return table.rename_columns(list(kinds))


def _blocks(width: int) -> arrow_csv.ReadOptions:
    """Columns go by their places: names that nobody asks for may be empty or the same."""
    return arrow_csv.ReadOptions(block_size=BLOCK_BYTES, column_names=list(map(str, range(width))), skip_rows=1)


def _parsing(file: TextFile) -> arrow_csv.ParseOptions:
    """An empty line counts as a row of missing values: otherwise a row could change the number of rows.

    Quoted line breaks are parsed here and refused afterwards, by the number of lines: otherwise the rows could depend
    on where Arrow's blocks end.
    """
    return arrow_csv.ParseOptions(delimiter=file.separator, newlines_in_values=True, ignore_empty_lines=False)


def _unreadable(file: TextFile) -> str:
    return (
        f"{file.path} cannot be read as CSV; it must be text in the encoding {file.writing.encoding} with the "
        f"separator {file.separator!r} (packed as its ending says), its first line the column names, and every line "
        "must have the same number of fields."
    )
