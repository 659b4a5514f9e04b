"""What counts as a missing cell: the same for every source."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError
from eremite.table import cells, instants
from eremite.table.bounds import FloatArray

#: What becomes of a row whose cell is missing: the table is refused, the row takes no part in questions that use the
#: column, or a public number is filled in (days since 1970 for a date, 0 or 1 for false or true).
MissingRule: TypeAlias = Literal["refuse", "leave-out"] | float


@dataclass(frozen=True, slots=True)
class Spellings:
    """Texts that mean "missing", besides null, NaN and blank text.

    A text that is a decimal number also matches every cell whose number is the same float64, and one that is a date
    matches that date.
    """

    texts: tuple[str, ...] = ()
    _numbers: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given: Any = self.texts
        listed = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (None,)
        if not all(isinstance(text, str) for text in listed):
            raise InputError('missing_values must be a list of texts, as in ["NA", "-999"].')
        object.__setattr__(self, "texts", tuple(text.strip(cells.BLANKS) for text in listed))
        numbers = [cells.number_of_text(text) for text in self.texts]
        object.__setattr__(self, "_numbers", tuple(number for number in numbers if number == number))

    def match(self, cell: object) -> bool:
        """Whether one cell is missing."""
        if cell is None or _is_no_value(cell):
            return True
        if isinstance(cell, str):
            text = cell.strip(cells.BLANKS)
            return not text or text in self.texts or cells.number_of_text(text) in self._numbers
        return bool(self._numbers) and cells.number_of(cell) in self._numbers

    def among_numbers(self, values: FloatArray) -> NDArray[np.bool_]:
        """Which numbers are missing, each on its own."""
        return np.isnan(values) | np.isin(values, self._numbers)

    def instants(self, zone: ZoneInfo) -> list[int]:
        """The spelled dates, in microseconds on the clock of the zone."""
        found = (instants.from_iso(text, zone) for text in self.texts)
        return [instant for instant in found if instant is not None]


def _is_no_value(cell: object) -> bool:
    """Whether an object stands for "no value": NaN of any type, NaT, the NA of pandas, a masked cell."""
    if isinstance(cell, Decimal):
        return cell.is_nan()
    if isinstance(cell, float | np.floating | np.datetime64 | np.timedelta64 | datetime):
        return bool(cell != cell)  # true for NaN and NaT alone
    return cell is np.ma.masked or type(cell).__name__ == "NAType"
