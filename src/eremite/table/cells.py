"""Cells as numbers: the float64 nearest to a cell's number, or NaN if it holds no number (`loading.proof.md`).

The result depends on the cell and the declared type of its column alone. No other row matters, not even through a
type, a scale or a precision that a library infers from all rows.
"""

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from eremite.table.bounds import FloatArray

# Decimal notation only: "nan", "inf" and hexadecimal numbers count as missing.
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
BLANKS = " \t"  # around a text, they are no part of it
_NUMERIC = "biuf"  # NumPy's kinds: booleans, integers with and without sign, floats
_NO_NUMBER = float("nan")
_NUMBER = re.compile(NUMBER.replace("$", r"\Z"))  # in Python, $ would allow a line break at the end


def is_numeric(kind: pa.DataType) -> bool:
    """Whether an Arrow type holds numbers: boolean, integer, decimal, float, or null (a column without any value)."""
    tests = (kinds.is_boolean, kinds.is_integer, kinds.is_decimal, kinds.is_floating, kinds.is_null)
    return any(test(kind) for test in tests)


def is_numeric_dtype(kind: np.dtype[Any]) -> bool:
    """Whether a NumPy type may hold numbers; Python objects are decided cell by cell."""
    return kind.kind in f"{_NUMERIC}O"


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type holds texts."""
    return any(test(kind) for test in (kinds.is_string, kinds.is_large_string, kinds.is_string_view))


def from_objects(cells: Iterable[object]) -> FloatArray:
    """Numbers from Python objects, each by its own type; one beyond the range of float64 becomes infinite."""
    with np.errstate(all="ignore"):  # a warning would reveal something about a row
        return np.fromiter(map(number_of, cells), dtype=np.float64)


def from_objects_and_texts(cells: Iterable[object]) -> FloatArray:
    """The same, where a text in decimal notation is a number too."""
    with np.errstate(all="ignore"):
        numbers = (number_of_text(cell) if isinstance(cell, str) else number_of(cell) for cell in cells)
        return np.fromiter(numbers, dtype=np.float64)


def from_array(column: Any) -> FloatArray:
    """Numbers from a column of a NumPy array; a masked value is missing."""
    if column.dtype.kind == "O":
        return from_objects(column.reshape(-1).tolist())
    with np.errstate(all="ignore"):
        floats: FloatArray = np.ma.filled(column.astype(np.float64), np.nan)
    return floats.reshape(-1)


def from_arrow(column: pa.ChunkedArray) -> FloatArray:
    """Numbers from an Arrow column of a numeric type.

    Decimals are parsed from their text. Arrow's own cast divides by a rounded power of ten, so its result depends on
    the scale, which is often inferred from all rows.
    """
    if kinds.is_decimal(column.type):
        column = from_text(pc.cast(column, pa.large_string()))
    # safe=False: integers beyond 2^53 round to the nearest float64, as they do everywhere else in Python.
    chunks = pc.cast(column, pa.float64(), safe=False).chunks
    return np.concatenate([np.empty(0), *map(_chunk_floats, chunks)])


def from_text(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers parsed from decimal notation, with blanks around it allowed; any other text becomes null."""
    trimmed = pc.ascii_trim(texts, BLANKS)
    numbers = pc.if_else(pc.match_substring_regex(trimmed, NUMBER), trimmed, pa.scalar(None, trimmed.type))
    return pc.cast(numbers, pa.float64())


def number_of(cell: object) -> float:
    """The number of one object, by its own type; a text has none."""
    if not isinstance(cell, int | float | Decimal | Fraction) and not _is_numpy_number(cell):
        return _NO_NUMBER
    try:
        return float(cell)  # type: ignore[arg-type]
    except OverflowError:
        return math.copysign(math.inf, 1 if cell > 0 else -1)  # type: ignore[operator]
    except ValueError:  # a signaling NaN of Decimal
        return _NO_NUMBER


def number_of_text(text: str) -> float:
    """The number of one text in decimal notation; NaN for any other text."""
    trimmed = text.strip(BLANKS)
    return float(trimmed) if _NUMBER.search(trimmed) else _NO_NUMBER


def _is_numpy_number(cell: object) -> bool:
    return isinstance(cell, np.generic) and cell.dtype.kind in _NUMERIC


def _chunk_floats(chunk: pa.Array) -> FloatArray:
    """The chunk as float64, with NaN for null."""
    if chunk.null_count:
        return np.asarray(chunk.to_numpy(zero_copy_only=False), dtype=np.float64)
    # Not to_numpy, which imports pandas if it is installed, and that takes a second.
    return np.asarray(np.from_dlpack(chunk), dtype=np.float64)
