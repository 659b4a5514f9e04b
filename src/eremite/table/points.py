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
from eremite.table.frames import columns_by_name, columns_by_place, names_of, require_cells, with_names
from eremite.table.numeric import counted, of_public_rows
from eremite.table.rules import CellRules

PLACE = "the points"


def columns_of_points(points: Any, names: Sequence[str], rules: CellRules) -> dict[str, FloatArray]:
    """A column of numbers for each name, by the rules of the table, from a frame with exactly these columns or from
    rows in this order. A point cannot be left out, so a cell that would leave out a row is an error."""
    named = with_names(points)
    columns = _by_place(points, names, rules) if named is None else _by_name(named, names)
    require_cells(columns, PLACE)
    read = of_public_rows(lambda: rules.numbers(columns, PLACE))
    absent = [name for name, values in read.items() if np.isnan(values).any()]
    if absent:
        raise InputError(f"In {PLACE}, column {quote_name(absent[0])} has a missing cell; give every point a value.")
    return read


def _by_name(named: Any, names: Sequence[str]) -> dict[str, Any]:
    found = names_of(named)
    if sorted(found) != sorted(names):
        raise InputError(
            f"The points are a frame with the columns {list_names(found, show=quote_name)}; it must have exactly "
            f"{list_names(names, show=quote_name)}, in any order, or be rows without names, in that order."
        )
    return columns_by_name(named, names)


def _by_place(points: Any, names: Sequence[str], rules: CellRules) -> dict[str, Any]:
    plain = all(rules.bounds[name].kind == "number" and rules.missing[name] == "refuse" for name in names)
    try:
        # Objects keep dates, texts and numbers apart, where NumPy would turn all of them into texts.
        array = points if isinstance(points, np.ndarray) else np.asarray(points, dtype=None if plain else object)
    except ValueError:
        array = np.empty(0)  # ragged rows; refused below, in our own words
    fits = array.ndim == 2 and array.shape[1] == len(names)
    if not fits or (plain and not is_numeric_dtype(array.dtype)):
        noun = "number" if plain else "value"
        raise InputError(f"Points must be rows of {counted(len(names), noun)}, one for each chosen column.")
    return columns_by_place(array, names)
