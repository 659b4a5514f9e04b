"""Columns of a frame: pandas, polars, Arrow, NumPy, Spark."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from eremite.errors import InputError
from eremite.table.bounds import Bounds, FloatArray
from eremite.table.numeric import (
    FAILURES,
    counted,
    float_columns,
    listed,
    name_list,
    or_input_error,
    require_columns,
    require_finite,
    require_types,
)
from eremite.table.spark import collected, is_spark

PLACE = "the frame"


def columns_from_frame(data: Any, bounds: Mapping[str, Bounds], columns: Iterable[str] | None) -> dict[str, FloatArray]:
    """Give the bounded columns as finite float64 arrays."""
    names = list(bounds) if columns is None else _distinct(columns)
    if isinstance(data, np.ndarray):
        # A matrix has no column of one dimension; masked values are looked at below.
        array = data if isinstance(data, np.ma.MaskedArray) else np.asarray(data)
        return _from_array(array, bounds, names)
    require_columns(names, list(bounds), "the bounds")
    narrowed = collected(data, names, PLACE) if is_spark(data) else _narrowed(data, names)
    return float_columns(_as_arrow(narrowed), names, PLACE)


def _as_arrow(data: Any) -> pa.Table:
    with suppress(*FAILURES):
        return pa.table(data)
    foreign = _foreign_types(data)
    if foreign:
        require_types(foreign, len(data), PLACE)
    raise InputError(
        f"A {type(data).__name__} cannot be read as a table; give a pandas, polars, Spark or Arrow table, "
        "or a NumPy array with rows and columns."
    )


def _foreign_types(data: Any) -> dict[str, str]:
    """The columns that Arrow cannot take, and their types; none where the data is no frame."""
    if not (hasattr(data, "__arrow_c_stream__") and hasattr(data, "columns") and hasattr(data, "__len__")):
        return {}
    return {str(label): str(data[label].dtype) for label in data.columns if not _is_arrow(data[[label]])}


def _is_arrow(data: Any) -> bool:
    with suppress(*FAILURES):
        pa.table(data)
        return True
    return False


def _narrowed(data: Any, names: Sequence[str]) -> Any:
    """Drop the other columns before the conversion, which is slow or impossible for some of them."""
    if isinstance(data, pa.Table | pa.RecordBatch) or not hasattr(data, "__arrow_c_stream__"):
        return data
    labels = getattr(data, "columns", None)
    if labels is None:
        return data
    require_columns(names, [str(label) for label in labels], PLACE)
    kept = [label for label in labels if str(label) in names]
    return or_input_error(lambda: data[list(dict.fromkeys(kept))], f"Columns of {PLACE} cannot be chosen by name.")


def _from_array(data: Any, bounds: Mapping[str, Bounds], names: Sequence[str]) -> dict[str, FloatArray]:
    by_name = _named_columns(data, names)
    require_columns(names if data.dtype.names else bounds, list(by_name), PLACE)
    kept = {name: by_name[name] for name in by_name if name in bounds and name in names}
    not_numeric = {name: str(c.dtype) for name, c in kept.items() if c.dtype.kind not in "biuf"}
    require_types(not_numeric, len(data), PLACE)
    floats = {name: _floats(column) for name, column in kept.items()}
    require_finite(floats, PLACE)
    return floats


def _named_columns(data: Any, names: Sequence[str]) -> dict[str, Any]:
    if data.dtype.names and data.ndim == 1:
        return {name: data[name] for name in data.dtype.names}
    if data.ndim != 2 or data.shape[1] != len(names):
        raise InputError(
            f"The array has shape {data.shape}; it must have {counted(len(names), 'column')}, for {listed(names)}."
        )
    return {name: data[:, place] for place, name in enumerate(names)}


def _floats(column: Any) -> FloatArray:
    """A masked value is a missing one."""
    floats: FloatArray = np.ma.filled(column.astype(np.float64), np.nan)
    return floats.reshape(-1)


def _distinct(columns: Iterable[str]) -> list[str]:
    sentence = "columns must be a list of one or more different column names."
    names = name_list(columns, sentence)
    if len(set(names)) < len(names):
        raise InputError(sentence)
    return names
