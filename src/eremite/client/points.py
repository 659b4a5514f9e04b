"""Public points of an analyst as JSON: frames, arrays, mappings and lists of rows, as a session takes them.

Nothing is imported for it: what the caller has of pandas, polars, Arrow or NumPy is loaded already.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isinf, isnan
from numbers import Integral, Real
from typing import Any

from eremite.errors import InputError
from eremite.names import quote_name

_LARGEST = 1.7976931348623157e308  # it stands for infinity, which JSON does not have; bounds clip both alike
_MOST_WHOLE = 2**63
_NO_POINTS = "Points must be a frame, a mapping from names to lists, an array with rows and columns, or a list of rows."

Cell = float | int | str | bool
Row = list[Cell] | dict[str, Cell]


def candidates_to_json(points: Any) -> list[Row] | None:
    """A list of points; None for the rows of the table."""
    return None if points is None else _rows(points)


def point_to_json(point: Any) -> Row | list[Row]:
    """One point, as a list of values or by name; or a list of points."""
    if isinstance(point, Mapping) or (hasattr(point, "items") and getattr(point, "ndim", None) == 1):
        named = {str(name): value for name, value in point.items()}  # a mapping, or a row of a pandas frame
        if not any(_is_list(value) for value in named.values()):
            return {name: _cell(value) for name, value in named.items()}
    elif isinstance(point, list | tuple) or getattr(point, "ndim", None) == 1:
        values = _listed(point)
        if values and not any(_is_list(value) or isinstance(value, Mapping) for value in values):
            return [_cell(value) for value in values]
    return _rows(point)


def _rows(points: Any) -> list[Row]:
    named = _columns(points)
    if named is not None:
        return _by_name(named)
    if not _is_list(points):
        raise InputError(_NO_POINTS)
    return [_row(row) for row in _listed(points)]


def _row(row: Any) -> Row:
    if isinstance(row, Mapping):
        return {str(name): _cell(value) for name, value in row.items()}
    if not _is_list(row):
        raise InputError(_NO_POINTS)
    return [_cell(value) for value in _listed(row)]


def _by_name(columns: Mapping[str, Sequence[Any]]) -> list[Row]:
    if len({len(column) for column in columns.values()}) > 1:
        raise InputError("The columns of the points have different lengths; give every point a value in each.")
    read = {name: [_cell(value, name) for value in column] for name, column in columns.items()}
    return [dict(zip(read, values, strict=True)) for values in zip(*read.values(), strict=True)]


def _columns(data: Any) -> dict[str, list[Any]] | None:
    """The columns by name, if they have names."""
    if isinstance(data, Mapping):
        return {str(name): _column(data[name], str(name)) for name in data}
    structure = getattr(getattr(data, "dtype", None), "names", None)
    if structure:
        return {name: _listed(data[name]) for name in structure}
    if hasattr(data, "to_pydict"):  # of Arrow
        return dict(data.to_pydict())
    if type(data).__module__.partition(".")[0] == "pyspark":
        rows = [row.asDict() for row in data.collect()]
        return {name: [row[name] for row in rows] for name in data.columns}
    if all(hasattr(type(data), part) for part in ("columns", "__len__", "__getitem__", "to_numpy")):
        return {str(label): _listed(data[label]) for label in data.columns}
    return None


def _column(values: Any, name: str) -> list[Any]:
    if not _is_list(values):
        raise InputError(f"Column {quote_name(name)} of the points is not a list; give one cell for each point.")
    return _listed(values)


def _is_list(value: Any) -> bool:
    """Whether it holds several values: a list, or an array or series with at least one dimension."""
    if isinstance(value, str | bytes | Mapping):
        return False
    if isinstance(value, list | tuple):
        return True
    dimensions = getattr(value, "ndim", None)
    return dimensions != 0 and (hasattr(value, "tolist") or hasattr(value, "to_list"))


def _listed(values: Any) -> list[Any]:
    """The values as Python has them."""
    of_numpy = type(values).__module__.partition(".")[0] == "numpy"
    if of_numpy and values.dtype.kind == "M":
        values = values.astype("datetime64[us]")  # as nanoseconds, NumPy would list whole numbers
    for name in ("tolist", "to_list"):
        if hasattr(values, name):
            listed = getattr(values, name)()
            return listed if isinstance(listed, list) else [listed]
    return list(values) if isinstance(values, Iterable) else []


def _cell(value: Any, column: str | None = None) -> Cell:
    if isinstance(value, str | bool):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, date) and value == value:  # NaT is a date that differs from itself
        return _written(value)
    if isinstance(value, Integral) and abs(int(value)) < _MOST_WHOLE:
        return int(value)
    if isinstance(value, Real | Decimal):
        return _finite(value, column)
    if hasattr(value, "dtype") and hasattr(value, "item"):  # a scalar of NumPy: a truth, or a time
        return _cell(_listed(value)[0], column)
    raise _no_value(column)


def _finite(value: Any, column: str | None) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = _LARGEST if value > 0 else -_LARGEST
    if isnan(number):
        raise _no_value(column)
    return (_LARGEST if number > 0 else -_LARGEST) if isinf(number) else number


def _written(value: date) -> str:
    return value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value.isoformat()


def _no_value(column: str | None) -> InputError:
    where = "" if column is None else f"Column {quote_name(column)} of the points: "
    sentence = "a cell is missing, or is no number, text, date or truth value; give every point a value."
    return InputError(f"{where}{sentence}" if where else sentence[0].upper() + sentence[1:])
