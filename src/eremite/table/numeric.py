"""Checks that columns hold finite numbers, and the errors if they do not.

Booleans, integers, decimals and floats are numeric. Messages give the place, the column, the type and the number of
rows, but never a value or which row it is in.
"""

import csv
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import TypeVar
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa

from eremite.errors import InputError, TableError
from eremite.names import list_names, quote_name
from eremite.table import cells
from eremite.table.bounds import FloatArray

Result = TypeVar("Result")

# The errors that readers raise on input they cannot read.
FAILURES = (
    pa.ArrowException,
    OSError,
    ValueError,
    TypeError,
    OverflowError,
    KeyError,
    NotImplementedError,
    csv.Error,
    EOFError,
    zlib.error,
    BadZipFile,
)


def float_columns(table: pa.Table, wanted: Sequence[str], place: str) -> dict[str, FloatArray]:
    """The wanted columns as finite float64 arrays; the error counts, for each column, the rows without a number."""
    require_columns(wanted, table.column_names, place)
    kinds = {name: table.schema.field(name).type for name in wanted}
    require_types({n: str(kind) for n, kind in kinds.items() if not cells.is_numeric(kind)}, table.num_rows, place)
    columns = {name: cells.from_arrow(table.column(name)) for name in wanted}
    require_finite(columns, place)
    return columns


def require_finite(columns: Mapping[str, FloatArray], place: str) -> None:
    """Refuse columns with missing, NaN or infinite values; the error counts them for each column."""
    missing = {name: len(values) - int(np.count_nonzero(np.isfinite(values))) for name, values in columns.items()}
    problems = [
        f"column {quote_name(name)} has {counted(count, 'row')} whose value is missing or not a finite number"
        for name, count in missing.items()
        if count
    ]
    if problems:
        raise _no_numbers(problems, place)


def require_types(not_numeric: Mapping[str, str], rows: int, place: str) -> None:
    """Refuse columns whose types are not numeric: `not_numeric` has the type of each such column."""
    problems = [
        f"column {quote_name(name)} has {counted(rows, 'row')} of type {kind}" for name, kind in not_numeric.items()
    ]
    if problems:
        raise _no_numbers(problems, place)


def require_columns(wanted: Iterable[str], present: Sequence[str], place: str) -> None:
    """Refuse names that are not among the present ones, or more than once."""
    times = Counter(present)
    absent = [name for name in wanted if times[name] == 0]
    if absent:
        known = list_names(present, most=40, show=quote_name)
        raise InputError(f"{_columns(absent)} not in {place}, which has: {known}; correct the name.")
    repeated = [name for name in wanted if times[name] > 1]
    if repeated:
        raise InputError(f"{_columns(repeated)} more than once in {place}; rename or drop the copies.")


def or_input_error(action: Callable[[], Result], sentence: str, error: type[InputError] = InputError) -> Result:
    """The result of `action`; if a reader fails in it, raise `error(sentence)` instead.

    Readers quote cells in their messages. The new error is raised after theirs was handled, so that theirs is not its
    `__context__` either.
    """
    with suppress(*FAILURES):
        return action()
    raise error(sentence)


def or_table_error(action: Callable[[], Result], sentence: str) -> Result:
    """The same for an action that reads rows, whose failure may depend on them."""
    return or_input_error(action, sentence, TableError)


def of_public_rows(action: Callable[[], Result]) -> Result:
    """The result of `action`, which reads public rows: anybody may see its errors, so none is a `TableError`."""
    try:
        return action()
    except TableError as error:
        sentence = str(error)
    raise InputError(sentence)


def counted(count: int, noun: str) -> str:
    """The number with its noun: "1 row", "2 rows"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def name_list(names: Iterable[str], sentence: str) -> list[str]:
    """Column names from an ordered iterable; `InputError(sentence)` if there are none, or if they are not texts."""
    listed_names: list[object] = []
    with suppress(TypeError):
        # A set has no order, and a text is one name.
        listed_names = [] if isinstance(names, str | Set) else list(names)
    if not listed_names or not all(isinstance(name, str) for name in listed_names):
        raise InputError(sentence)
    return [str(name) for name in listed_names]  # the repr of a NumPy text has its type in it


def _columns(names: Sequence[str]) -> str:
    shown = list_names(names, show=quote_name)
    return f"Column {shown} is" if len(names) == 1 else f"Columns {shown} are"


def _no_numbers(problems: Sequence[str], place: str) -> TableError:
    found = list_names(problems, most=40, show=str)
    return TableError(f"In {place}, {found}; give every row a number, or leave the column out.")
