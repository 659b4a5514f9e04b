"""Public points from an analyst, in the units of the table, with columns matched by name or by position.

The points are the analyst's own, so errors may describe them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from eremite.errors import InputError
from eremite.names import list_names, quote_name
from eremite.table.bounds import FloatArray
from eremite.table.cells import is_numeric_dtype
from eremite.table.frames import columns_by_name, columns_by_place, names_of, read_columns, with_names
from eremite.table.numeric import counted, of_public_rows, require_finite

PLACE = "the points"


def columns_of_points(points: Any, names: Sequence[str]) -> dict[str, FloatArray]:
    """A finite column for each name, from a frame with exactly these columns or from rows in this order."""
    named = with_names(points)
    columns = _by_place(points, names) if named is None else _by_name(named, names)
    read = of_public_rows(lambda: read_columns(columns, PLACE))
    of_public_rows(lambda: require_finite(read, PLACE))
    return read


def _by_name(named: Any, names: Sequence[str]) -> dict[str, Any]:
    found = names_of(named)
    if sorted(found) != sorted(names):
        raise InputError(
            f"The points are a frame with the columns {list_names(found, show=quote_name)}; it must have exactly "
            f"{list_names(names, show=quote_name)}, in any order, or be rows without names, in that order."
        )
    return columns_by_name(named, names)


def _by_place(points: Any, names: Sequence[str]) -> dict[str, Any]:
    try:
        array = points if isinstance(points, np.ndarray) else np.asarray(points)
    except ValueError:
        array = np.empty(0)  # ragged rows; refused below, in our own words
    if array.ndim != 2 or array.shape[1] != len(names) or not is_numeric_dtype(array.dtype):
        raise InputError(f"Points must be rows of {counted(len(names), 'number')}, one for each chosen column.")
    return columns_by_place(array, names)
