"""What counts as a number: Arrow columns become float64, and rows without a finite number are counted.

Booleans, integers, decimals and floats are numeric. Messages name the place, the column, the type and how
many rows; never a value, and never which row.
"""

import csv
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from eremite.errors import InputError
from eremite.table.bounds import FloatArray

Result = TypeVar("Result")

# Decimal notation only: "nan", "inf" and hexadecimal are no numbers in a table.
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
MOST_NAMES_SHOWN = 40
# What readers raise on input they cannot read; csv and gzip have errors of their own.
FAILURES = (
    pa.ArrowException,
    OSError,
    ValueError,
    TypeError,
    KeyError,
    NotImplementedError,
    csv.Error,
    EOFError,
    zlib.error,
)


def float_columns(table: pa.Table, wanted: Sequence[str], place: str) -> dict[str, FloatArray]:
    """Give the wanted columns as finite float64 arrays, or say per column how many rows stand in the way."""
    require_columns(wanted, table.column_names, place)
    kinds_found = {name: table.schema.field(name).type for name in wanted}
    require_types({n: str(k) for n, k in kinds_found.items() if not is_numeric(k)}, table.num_rows, place)
    columns = {name: _floats(table.column(name)) for name in wanted}
    require_finite(columns, place)
    return columns


def require_finite(columns: dict[str, FloatArray], place: str) -> None:
    """Refuse columns with missing, NaN or infinite values; the error counts them per column."""
    missing = {name: len(values) - int(np.count_nonzero(np.isfinite(values))) for name, values in columns.items()}
    problems = [
        f"column {name!r} has {counted(count, 'row')} whose value is missing or not a finite number"
        for name, count in missing.items()
        if count
    ]
    if problems:
        raise _no_numbers(problems, place)


def require_types(not_numeric: Mapping[str, str], rows: int, place: str) -> None:
    """Refuse columns whose type, given by name, holds no numbers."""
    problems = [f"column {name!r} has {counted(rows, 'row')} of type {kind}" for name, kind in not_numeric.items()]
    if problems:
        raise _no_numbers(problems, place)


def require_columns(wanted: Iterable[str], present: Sequence[str], place: str) -> None:
    """Every wanted name is there, and only once."""
    times = Counter(present)
    absent = [name for name in wanted if times[name] == 0]
    if absent:
        raise InputError(f"{_columns(absent)} not in {place}, which has: {listed(present)}; correct the name.")
    repeated = [name for name in wanted if times[name] > 1]
    if repeated:
        raise InputError(f"{_columns(repeated)} more than once in {place}; rename or drop the copies.")


def is_numeric(kind: pa.DataType) -> bool:
    """Booleans, integers, decimals, floats; also the type of a column that is entirely missing."""
    tests = (kinds.is_boolean, kinds.is_integer, kinds.is_decimal, kinds.is_floating, kinds.is_null)
    return any(test(kind) for test in tests)


def numbers_from_text(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Parse decimal notation, blanks around it allowed; whatever else a row holds becomes null."""
    trimmed = pc.ascii_trim(texts, " \t")
    numbers = pc.if_else(pc.match_substring_regex(trimmed, NUMBER), trimmed, pa.scalar(None, trimmed.type))
    return pc.cast(numbers, pa.float64())


def or_input_error(action: Callable[[], Result], sentence: str) -> Result:
    """Run `action`; if a reader fails inside it, raise `InputError(sentence)` instead.

    Readers quote cells in their messages. The new error is raised after theirs is gone, so that it does not
    travel along as `__context__` either.
    """
    with suppress(*FAILURES):
        return action()
    raise InputError(sentence)


def counted(count: int, noun: str) -> str:
    """1 row, 2 rows."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def name_list(names: Iterable[str], sentence: str) -> list[str]:
    """Column names from a list, an array, a generator, in order; `InputError(sentence)` if it is none or empty."""
    listed_names: list[object] = []
    with suppress(TypeError):
        # A set has no order, and a text is one name.
        listed_names = [] if isinstance(names, str | Set) else list(names)
    if not listed_names or not all(isinstance(name, str) for name in listed_names):
        raise InputError(sentence)
    return [str(name) for name in listed_names]  # a NumPy text would show its type in messages


def listed(names: Sequence[str]) -> str:
    """Names for a sentence: quoted, escaped, cut when there are very many."""
    shown = ", ".join(repr(name) for name in names[:MOST_NAMES_SHOWN])
    hidden = len(names) - MOST_NAMES_SHOWN
    return f"{shown} and {hidden} more" if hidden > 0 else shown or "no columns"


def _columns(names: Sequence[str]) -> str:
    return f"Column {names[0]!r} is" if len(names) == 1 else f"Columns {listed(names)} are"


def _floats(column: pa.ChunkedArray) -> FloatArray:
    # safe=False: integers beyond 2^53 round to the nearest float64, as they do everywhere else in Python.
    chunks = pc.cast(column, pa.float64(), safe=False).chunks
    return np.concatenate([np.empty(0), *map(_chunk_floats, chunks)])


def _chunk_floats(chunk: pa.Array) -> FloatArray:
    """Nulls become NaN."""
    if chunk.null_count:
        return np.asarray(chunk.to_numpy(zero_copy_only=False), dtype=np.float64)
    # Not to_numpy, which imports pandas where there is one and takes a second for it.
    return np.asarray(np.from_dlpack(chunk), dtype=np.float64)


def _no_numbers(problems: Sequence[str], place: str) -> InputError:
    return InputError(f"In {place}, {' and '.join(problems)}; give every row a number, or leave the column out.")
