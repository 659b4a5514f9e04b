"""Checks of columns and their names, and the errors if they do not fit.

Messages give the place, the column and its declared type, but never a value, a row or how many there are.
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

NO_NUMBER = "has cells that are missing or not a number"
MISSING_KEY = 'missing = "leave-out" or a value to fill in'

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
    """The wanted columns as float64 arrays in which every cell is a number; infinite beyond the range of float64."""
    require_columns(wanted, table.column_names, place)
    types = {name: table.schema.field(name).type for name in wanted}
    refuse_types({n: (str(kind), "a number") for n, kind in types.items() if not cells.is_numeric(kind)}, place)
    columns = {name: cells.from_arrow(table.column(name)) for name in wanted}
    bad = {name: NO_NUMBER for name, values in columns.items() if np.isnan(values).any()}
    refuse_cells(bad, MISSING_KEY, place)
    return columns


def refuse_cells(problems: Mapping[str, str], key: str, place: str) -> None:
    """Refuse columns by what is wrong with their cells; `key` is the setting that repairs it."""
    if problems:
        found = list_names([f"column {quote_name(n)} {words}" for n, words in problems.items()], most=40, show=str)
        raise TableError(f"In {place}, {found}; repair the cells, set {key}, or leave the column out.")


def refuse_types(wrong: Mapping[str, tuple[str, str]], place: str) -> None:
    """Refuse columns whose declared types do not fit: `wrong` has the type of each, and what its cells must be."""
    if wrong:
        words = [f"column {quote_name(n)} is of type {kind}, which is not {noun}" for n, (kind, noun) in wrong.items()]
        found = list_names(words, most=40, show=str)
        raise TableError(f"In {place}, {found}; convert the column, or leave it out.")


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
