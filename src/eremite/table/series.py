"""One column of a frame of any library: an array, a series or a list.

A column of a declared type is read by that type, any other cell by cell. No type is inferred from the rows.
"""

from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from eremite.table import cells
from eremite.table.bounds import FloatArray
from eremite.table.categories import MISSING, Codes, Lookup
from eremite.table.numeric import FAILURES

Number = TypeVar("Number", bound=np.generic)

# Types of polars that Arrow does not have; their cells are integers and objects of Python.
_WITHOUT_ARROW = {"Int128", "UInt128", "Object"}
_OF_ARROW = ("__arrow_c_stream__", "__arrow_c_array__")  # interfaces that declare the type of a column
_TIME, _SPANS_AND_COMPLEX = "M", "mc"  # kinds of NumPy
_TEXTS, _OTHERS = "UT", "UTO"


def is_column(column: Any) -> bool:
    """Whether the object is a sequence of cells; a text is one cell, and a set has no order."""
    if isinstance(column, str | bytes | Mapping | Set) or getattr(column, "ndim", 1) != 1:
        return False
    return hasattr(type(column), "__len__") and hasattr(type(column), "__iter__")


def type_of(column: Any) -> str:
    """The declared type of a column, for messages."""
    declared = getattr(column, "dtype", None) or getattr(column, "type", None)
    return str(declared or type(column).__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Cells given by their places in a list of values, as dictionaries of Arrow and categories of pandas give them."""

    values: list[object]
    places: NDArray[np.int64]  # below 0: no value

    def spread(self, found: NDArray[Number], absent: float) -> NDArray[Number]:
        """For each cell, what was found for its value; `absent` where it has none."""
        return np.append(found, np.array(absent, dtype=found.dtype))[np.maximum(self.places, -1)]


#: A column as it is read: by its declared type, by its dictionary, or cell by cell.
Column: TypeAlias = np.ndarray[Any, Any] | pa.ChunkedArray | Encoded | list[object]


def column_of(column: Any) -> Column | None:
    """The column of any library, not converted; None where its type has no cells that eremite reads."""
    if isinstance(column, np.ndarray):
        return column
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype):  # a series of pandas, or another array
        return np.asarray(column)
    if hasattr(column, "array"):  # a series of pandas, of a type that NumPy does not have
        return _of_extension(column)
    if str(dtype) in _WITHOUT_ARROW:
        listed: list[object] = column.to_list()
        return listed
    if any(hasattr(column, interface) for interface in _OF_ARROW):
        return _of_arrow(column)
    return list(column)


def floats_of(column: Any) -> FloatArray | None:
    """The column as float64, with NaN where a cell holds no number; None if its declared type is not numeric."""
    given = column_of(column)
    if isinstance(given, np.ndarray):
        return cells.from_array(given) if cells.is_numeric_dtype(given.dtype) else None
    if isinstance(given, pa.ChunkedArray):
        with suppress(*FAILURES):
            return cells.from_arrow(given) if cells.is_numeric(given.type) else None
    return cells.from_objects(given) if isinstance(given, list) else None


def floats_of_texts(column: Any) -> FloatArray | None:
    """The same, where a text in decimal notation is a number too, whatever the type that holds it."""
    given = decoded(column_of(column), cells.is_numeric)
    if isinstance(given, Encoded):
        return given.spread(cells.from_objects_and_texts(given.values), np.nan)
    if isinstance(given, np.ndarray) and given.dtype.kind in f"O{_TEXTS}":
        return cells.from_objects_and_texts(given.reshape(-1).tolist())
    return cells.from_objects_and_texts(given) if isinstance(given, list) else floats_of(column)


def codes_of(column: Any, lookup: Lookup) -> Codes | None:
    """The code of each cell in a declared list; None if the declared type has no texts, numbers or booleans."""
    given = decoded(column_of(column), cells.is_numeric)
    if isinstance(given, np.ndarray) and (cells.is_numeric_dtype(given.dtype) or given.dtype.kind in _TEXTS):
        given = _numbers_or_cells(given.reshape(-1))
    if isinstance(given, pa.ChunkedArray) and cells.is_numeric(given.type):
        given = _encoded(given)
    if isinstance(given, Encoded):
        return given.spread(lookup.codes(given.values), MISSING)
    return lookup.codes(given) if isinstance(given, list) else None


def decoded(column: Column | None, fits: Callable[[pa.DataType], bool]) -> Column | None:
    """The column, where texts and dictionaries of Arrow are given by their distinct values.

    None for a dictionary whose values are neither texts nor of a type that fits, as a plain column of it is refused.
    """
    if not isinstance(column, pa.ChunkedArray):
        return column
    if not kinds.is_dictionary(column.type):
        return _encoded(column) if cells.is_text(column.type) else column
    kind = column.type.value_type
    return _encoded(column) if cells.is_text(kind) or fits(kind) else None


def _numbers_or_cells(array: Any) -> pa.ChunkedArray | list[object]:
    """A column of NumPy in Arrow, which finds distinct values fast, if its type tells Arrow that of its cells."""
    masked = isinstance(array, np.ma.MaskedArray)
    if masked or array.dtype.kind in _OTHERS or array.dtype.itemsize > 8 or not array.dtype.isnative:
        listed: list[object] = array.tolist()
        return listed
    return pa.chunked_array([pa.array(np.ascontiguousarray(array))])


def _encoded(column: pa.ChunkedArray) -> Encoded:
    if kinds.is_decimal(column.type):  # Arrow finds no distinct values among decimals of every width
        return Encoded(column.to_pylist(), np.arange(len(column)))
    if not kinds.is_dictionary(column.type):
        column = column.dictionary_encode()
    values: list[object] = []
    places: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    for chunk in column.chunks:  # each has a dictionary of its own
        indices = np.from_dlpack(pc.fill_null(chunk.indices.cast(pa.int64()), -1))
        places.append(np.where(indices < 0, -1, indices + len(values)))
        values.extend(_objects(chunk.dictionary))
    return Encoded(values, np.concatenate(places))


def _objects(array: pa.Array) -> list[object]:
    """The cells as Python objects; bytes that are not UTF-8 stay apart from every valid text."""
    if not cells.is_text(array.type):
        return list(array.to_pylist())
    encoded = array.cast(pa.large_string()).cast(pa.large_binary()).to_pylist()
    return [None if text is None else text.decode("utf-8", "surrogateescape") for text in encoded]


def _of_extension(series: Any) -> Column | None:
    """An extension array of pandas.

    Arrow is used only for arrays that tell it their type: for others it would infer one from the cells.
    """
    array = series.array
    if hasattr(type(array), "__arrow_array__"):
        return _of_arrow(array)
    if hasattr(array.dtype, "categories"):
        return Encoded(array.categories.tolist(), np.asarray(array.codes, dtype=np.int64))
    if array.dtype.kind == _TIME:  # with a time zone, which the type declares
        return _of_arrow(series)
    if array.dtype.kind in _SPANS_AND_COMPLEX:
        return None
    listed: list[object] = array.tolist()
    return listed


def _of_arrow(column: Any) -> pa.ChunkedArray | None:
    with suppress(*FAILURES):
        return column if isinstance(column, pa.ChunkedArray) else _array(column)
    return None


def _array(column: Any) -> pa.ChunkedArray:
    if hasattr(column, "__arrow_c_stream__"):
        return pa.chunked_array(column)
    array = column if isinstance(column, pa.Array) else pa.array(column)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
