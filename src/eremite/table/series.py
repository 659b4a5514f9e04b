"""One column of a frame of any library: an array, a series or a list.

A column of a declared type is read by that type, any other cell by cell. No type is inferred from the rows.
"""

from collections.abc import Mapping, Set
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from eremite.table import cells
from eremite.table.bounds import FloatArray
from eremite.table.numeric import FAILURES

# Types of polars that Arrow does not have; their cells are integers and objects of Python.
_WITHOUT_ARROW = {"Int128", "UInt128", "Object"}
_OF_ARROW = ("__arrow_c_stream__", "__arrow_c_array__")  # interfaces that declare the type of a column
_TIMES_AND_COMPLEX = "mMc"


def is_column(column: Any) -> bool:
    """Whether the object is a sequence of cells; a text is one cell, and a set has no order."""
    if isinstance(column, str | bytes | Mapping | Set) or getattr(column, "ndim", 1) != 1:
        return False
    return hasattr(type(column), "__len__") and hasattr(type(column), "__iter__")


def type_of(column: Any) -> str:
    """The declared type of a column, for messages."""
    declared = getattr(column, "dtype", None) or getattr(column, "type", None)
    return str(declared or type(column).__name__)


def floats_of(column: Any) -> FloatArray | None:
    """The column as float64, with NaN where a cell holds no number; None if its declared type is not numeric."""
    if isinstance(column, np.ndarray):
        return cells.from_array(column) if cells.is_numeric_dtype(column.dtype) else None
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype):  # a series of pandas, or another array
        return floats_of(np.asarray(column))
    if hasattr(column, "array"):  # a series of pandas, of a type that NumPy does not have
        return _from_extension(column.array)
    if str(dtype) in _WITHOUT_ARROW:
        return cells.from_objects(column.to_list())
    if any(hasattr(column, interface) for interface in _OF_ARROW):
        return _from_arrow(column)
    return cells.from_objects(column)


def _from_extension(array: Any) -> FloatArray | None:
    """Numbers from an extension array of pandas.

    Arrow is used only for arrays that tell it their type: for others it would infer one from the cells.
    """
    if hasattr(type(array), "__arrow_array__"):
        return _from_arrow(array)
    categorical = hasattr(array.dtype, "categories")
    if categorical or array.dtype.kind in _TIMES_AND_COMPLEX:
        return None
    return cells.from_objects(array.tolist())


def _from_arrow(column: Any) -> FloatArray | None:
    with suppress(*FAILURES):
        array = column if isinstance(column, pa.ChunkedArray) else _array(column)
        return cells.from_arrow(array) if cells.is_numeric(array.type) else None
    return None


def _array(column: Any) -> pa.ChunkedArray:
    if hasattr(column, "__arrow_c_stream__"):
        return pa.chunked_array(column)
    array = column if isinstance(column, pa.Array) else pa.array(column)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
