"""CSV files, plain or gzipped: UTF-8, a first line of column names, one row a line.

The wanted columns are read as numbers, whatever the other columns hold. Nothing is guessed from the data: no
spelling of "missing" turns into a value, and a row with a field too many or too few is an error.
"""

import csv
import gzip
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pyarrow as pa
import pyarrow.csv as arrow_csv

from eremite.errors import InputError
from eremite.table.numeric import NUMBER, numbers_from_text, or_input_error, require_columns, row_count

BLOCK_BYTES = 1 << 23  # also the longest row that can be read


def schema(path: Path) -> pa.Schema:
    """Names, and the types that the first rows (8 MB) suggest; refuses a first line that looks like data."""
    if _looks_like_data(_header(path)):
        raise InputError(_no_header(path))
    found = or_input_error(lambda: arrow_csv.open_csv(path, _blocks(), _parsing(2)).schema, _unreadable(path))
    # The reader below takes 0 and 1 for numbers, but not the words true and false.
    kinds = [pa.string() if pa.types.is_boolean(kind) else kind for kind in found.types]
    return pa.schema(list(zip(found.names, kinds, strict=True)))


def read(path: Path, wanted: Sequence[str]) -> pa.Table:
    """Give the wanted columns as float64, null where a row holds no number."""
    names = _header(path)
    if not set(wanted) <= set(names) and _looks_like_data(names):
        raise InputError(_no_header(path))
    require_columns(wanted, names, str(path))
    return or_input_error(lambda: _read(path, wanted, len(names)), _unreadable(path))


def _read(path: Path, wanted: Sequence[str], width: int) -> pa.Table:
    try:
        return _read_as(path, wanted, width, pa.float64())
    except pa.ArrowInvalid:
        uneven = _uneven_rows(path, width)
    if uneven:
        raise InputError(
            f"In {path}, {row_count(uneven)} do not have the {width} fields of the first line; "
            "repair those lines, or quote the fields that hold commas."
        )
    texts = _read_as(path, wanted, width, pa.string())
    return pa.table({name: numbers_from_text(texts.column(name)) for name in wanted})


def _read_as(path: Path, wanted: Sequence[str], width: int, kind: pa.DataType) -> pa.Table:
    convert = arrow_csv.ConvertOptions(
        include_columns=list(wanted),
        column_types=dict.fromkeys(wanted, kind),
        null_values=[""],
        check_utf8=False,  # bytes that are no text are no number either, and are counted as such
    )
    return arrow_csv.read_csv(path, _blocks(), _parsing(width), convert)


def _blocks() -> arrow_csv.ReadOptions:
    return arrow_csv.ReadOptions(block_size=BLOCK_BYTES)


def _parsing(width: int) -> arrow_csv.ParseOptions:
    """In a file of one column an empty line is a missing value; in any other it is no row."""
    return arrow_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=width > 1)


def _header(path: Path) -> list[str]:
    names: list[str] = or_input_error(lambda: _first_row(path), _unreadable(path))
    return names


def _first_row(path: Path) -> list[str]:
    with _text(path) as file:
        names = next(csv.reader(file), [])
    "".join(names).encode()  # raises where a name is not UTF-8
    if not names:
        raise ValueError("no names")
    return names


def _uneven_rows(path: Path, width: int) -> int:
    """Count them slowly; Arrow's own handler prints rows that are not UTF-8."""
    with _text(path) as file:
        return sum(len(row) not in (0, width) for row in csv.reader(file))


@contextmanager
def _text(path: Path) -> Iterator[TextIO]:
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        yield file


def _looks_like_data(names: Sequence[str]) -> bool:
    """Without a header the first row would be taken for names and shown; after an open quote, many rows."""
    return any(re.fullmatch(NUMBER, name.strip(" \t")) or re.search(r"[\r\n]", name) for name in names)


def _no_header(path: Path) -> str:
    return (
        f"The first line of {path} does not look like column names, it holds a number or an open quote; "
        "put a line of names on top."
    )


def _unreadable(path: Path) -> str:
    return (
        f"{path} cannot be read as CSV; it must be UTF-8 text with commas (gzipped when it ends in .gz), "
        "its first line the column names, every line with as many fields."
    )
