"""Columns of a frame: pandas, polars, Arrow, NumPy, Spark, or a mapping from names to lists."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from eremite.errors import InputError
from eremite.names import list_names, quote_name
from eremite.table.numeric import FAILURES, counted, name_list, or_input_error, require_columns
from eremite.table.series import is_column
from eremite.table.spark import collected, is_spark

PLACE = "the frame"


def columns_from_frame(
    data: Any, bounds: Sequence[str], categories: Sequence[str], columns: Iterable[str] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The coordinates (of `columns`, those that have bounds) and the category columns, not converted."""
    declared = [*bounds, *categories]
    if isinstance(data, np.ndarray) and not data.dtype.names:
        names = declared if columns is None else _distinct(columns)
        _require_shape(data, names)
        require_columns(declared, names, PLACE)
        chosen = [name for name in names if name in bounds]
        found = columns_by_place(data, names)
    else:
        chosen = list(bounds) if columns is None else _distinct(columns)
        require_columns(chosen, bounds, "the bounds")
        found = columns_by_name(_named(data), [*chosen, *categories])
    kept = {name: found[name] for name in (*chosen, *categories)}
    require_cells(kept, PLACE)
    return {name: kept[name] for name in chosen}, {name: kept[name] for name in categories}


def with_names(data: Any) -> Any | None:
    """The data if its columns have names, an Arrow stream read into a table; None if columns have only positions."""
    if isinstance(data, np.ndarray):
        return data if data.dtype.names else None
    return data if _is_frame(data) or is_spark(data) or isinstance(data, Mapping) else _as_arrow(data)


def names_of(named: Any) -> list[str]:
    """The column names of data that `with_names` returned."""
    if isinstance(named, np.ndarray):
        return list(named.dtype.names or ())
    if isinstance(named, pa.Table):
        return list(named.column_names)
    return [str(label) for label in (named if isinstance(named, Mapping) else named.columns)]


def columns_by_name(named: Any, names: Sequence[str]) -> dict[str, Any]:
    """The named columns of data that `with_names` returned, not converted; other columns are not touched."""
    require_columns(names, names_of(named), PLACE)
    if isinstance(named, np.ndarray):
        return {name: named[name] for name in names}
    if is_spark(named) or isinstance(named, pa.Table):
        table = collected(named, names, PLACE) if is_spark(named) else named
        return {name: table.column(name) for name in names}
    labels = {str(label): label for label in (named if isinstance(named, Mapping) else named.columns)}
    return {name: _column(named, labels[name]) for name in names}


def columns_by_place(array: Any, names: Sequence[str]) -> dict[str, Any]:
    """The columns of an array under these names, in order. Masks are kept; `np.matrix` becomes a plain array."""
    plain = array if isinstance(array, np.ma.MaskedArray) else np.asarray(array)
    return {name: plain[:, place] for place, name in enumerate(names)}


def require_cells(columns: Mapping[str, Any], place: str) -> None:
    """Refuse what is not a column of cells, and columns of different lengths."""
    odd = [name for name, column in columns.items() if not is_column(column)]
    if odd:
        raise InputError(
            f"Column {quote_name(odd[0])} of {place} is not a list of cells; give a list with one cell for each row."
        )
    if len({len(column) for column in columns.values()}) > 1:
        names = list_names(list(columns), show=quote_name)
        raise InputError(f"The columns {names} of {place} have different lengths; give every row a cell.")


def _require_shape(data: Any, names: Sequence[str]) -> None:
    """Refuse an array of another shape; how many rows it has may be private."""
    if data.ndim != 2 or data.shape[1] != len(names):
        found = counted(data.shape[1], "column") if data.ndim == 2 else counted(data.ndim, "dimension")
        wanted = f"{counted(len(names), 'column')}, for {list_names(names, show=quote_name)}"
        raise InputError(f"The array has {found}; it must have rows and {wanted}.")


def _named(data: Any) -> Any:
    named = with_names(data)
    if named is None:
        raise InputError(
            f"A {type(data).__name__} cannot be read as a table; give a pandas, polars, Spark or Arrow table, "
            "a mapping from names to lists, or a NumPy array with rows and columns."
        )
    return named


def _is_frame(data: Any) -> bool:
    """Whether it is a frame like those of pandas and polars, with labeled columns. Lazy frames have no length."""
    kind = type(data)
    parts = ("columns", "__len__", "__getitem__", "to_numpy")
    return all(hasattr(kind, part) for part in parts) and not isinstance(data, pa.Table | pa.RecordBatch)


def _column(data: Any, label: Any) -> Any:
    return or_input_error(lambda: data[label], f"Columns of {PLACE} cannot be chosen by name.")


def _as_arrow(data: Any) -> pa.Table | None:
    """An Arrow table, if the data has the Arrow PyCapsule interface, which declares a type for each column."""
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        with suppress(*FAILURES):
            return pa.table(data)
    return None


def _distinct(columns: Iterable[str]) -> list[str]:
    sentence = "columns must be a list of one or more different column names."
    names = name_list(columns, sentence)
    if len(set(names)) < len(names):
        raise InputError(sentence)
    return names
