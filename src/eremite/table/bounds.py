"""Public bounds of a column, and the map from a column to [0, 1].

A value is clipped to the bounds and scaled by `(x - min) / (max - min)`. Each row is mapped on its own, with
public numbers only, so that replacing one row of a table replaces one row of the scaled table.
"""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError
from eremite.names import quote_name
from eremite.table import instants

FloatArray: TypeAlias = NDArray[np.float64]
Kind: TypeAlias = Literal["number", "boolean", "date"]

_ZONELESS = ZoneInfo(instants.UTC)  # bounds have no zone, so none is asked for its offset


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and largest value of a column, known without looking at the data; others are clipped to them.

    Both ends are numbers, dates, or false and true. Whatever they are, `min` and `max` are floats, finite like their
    difference, and `min < max`: dates and times become days since 1970, false and true become 0 and 1.
    """

    min: float
    max: float
    kind: Kind = "number"

    def __post_init__(self) -> None:
        kinds = {_kind_of(self.min), _kind_of(self.max)}
        if len(kinds) > 1:
            raise InputError("min and max must both be numbers, both dates, or false and true")
        if kinds != {"number"}:
            object.__setattr__(self, "kind", kinds.pop())
        object.__setattr__(self, "min", _finite("min", self.min))
        object.__setattr__(self, "max", _finite("max", self.max))
        if not self.min < self.max:
            raise InputError(f"min {self.show(self.min)} must be below max {self.show(self.max)}")
        if not math.isfinite(self.max - self.min):
            raise InputError(f"min {self.min!r} and max {self.max!r} lie too far apart for floating point")

    def scale(self, values: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """Map values to [0, 1], element by element, into `out` if given; infinities are clipped too, NaN stays NaN.

        Rounding is monotone: min <= x <= max gives 0 <= fl(x - min) <= fl(max - min), and gradual underflow
        keeps fl(max - min) > 0, so the quotient lies in [0, 1]. The last clip guards against arithmetic
        that flushes subnormals. Adding 0.0 turns -0.0 into 0.0: the sign that clip returns depends on the vector lane.
        """
        scaled: FloatArray = np.clip(values, self.min, self.max, out=out)
        scaled -= self.min
        scaled /= self.max - self.min
        np.clip(scaled, 0.0, 1.0, out=scaled)
        scaled += 0.0
        return scaled

    def number_of(self, value: object) -> float:
        """A public value of this column, such as one to fill in, as a float within the bounds."""
        number = math.nan
        with suppress(InputError):
            number = _finite("value", value)
        if _kind_of(value) != self.kind or math.isnan(number):
            raise InputError(f"must be {_WANTED[self.kind]}")
        if not self.min <= number <= self.max:
            raise InputError(f"must lie between min {self.show(self.min)} and max {self.show(self.max)}")
        return number

    def show(self, value: float) -> str:
        """A number of this column as its bounds are written: a number, false or true, a date."""
        if self.kind == "number":
            return repr(value)
        return instants.shown(value) if self.kind == "date" else str(bool(value)).lower()


_WANTED = {"number": "a number", "boolean": "true or false", "date": "a date or time without a time zone"}


def bounds_by_column(bounds: Mapping[str, Any]) -> dict[str, Bounds]:
    """`Bounds` for each column, made from pairs (min, max); an error names the column."""
    if not isinstance(bounds, Mapping):
        raise InputError(
            f"Bounds must be a mapping from column names to pairs, not {type(bounds).__name__}; "
            "give each column to keep, as in bounds={'bmi': (10, 60)}."
        )
    if not bounds:
        raise InputError("No bounds were given; give each column to keep, as in bounds={'bmi': (10, 60)}.")
    return {name: _bounds_of(name, pair) for name, pair in bounds.items()}


def _bounds_of(name: Any, pair: Any) -> Bounds:
    if not isinstance(name, str):
        raise InputError(f"The column names of the bounds must be text, not {type(name).__name__}.")
    if isinstance(pair, Bounds):
        return pair
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InputError(f"Bounds of column {quote_name(name)} must be a pair (min, max).")
    try:
        return Bounds(*pair)
    except InputError as error:
        raise InputError(f"Bounds of column {quote_name(name)} do not fit: {error}.") from None


def _kind_of(value: object) -> Kind:
    if isinstance(value, bool | np.bool_):
        return "boolean"
    return "date" if isinstance(value, date | np.datetime64) else "number"


def _finite(end: str, value: Any) -> float:
    if isinstance(value, date | np.datetime64):
        return _days(end, value)
    if isinstance(value, str | bytes):
        raise InputError(f"{end} must be a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{end} must be a number") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{end} must be finite")
    return number + 0.0  # -0.0 scales as 0.0 does


def _days(end: str, value: Any) -> float:
    moment = value.astype("datetime64[us]").item() if isinstance(value, np.datetime64) else value
    if not isinstance(moment, date) or moment != moment:  # a datetime64 that is not a time, or beyond the calendar
        raise InputError(f"{end} must be a date")
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        raise InputError(f"{end} must be a date or time without a time zone, which time_zone declares")
    return instants.microseconds(moment, _ZONELESS) / instants.DAY
