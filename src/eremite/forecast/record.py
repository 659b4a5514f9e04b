"""What every forecast offers: words for notebooks and `print`, plain values, and a frame."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from eremite.cards import Shown
from eremite.data_frames import data_frame
from eremite.forecast.to_json import to_json

if TYPE_CHECKING:
    from pandas import DataFrame


class ForecastRecord(Shown):
    """What every forecast offers. All of it is public."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values, as in the JSON of the command line and of the service."""
        plain: dict[str, Any] = to_json(self)
        return plain

    def to_frame(self) -> "DataFrame":
        """The forecast as a pandas frame, with a line for each epsilon. Needs pandas."""
        return data_frame(list(self._lines()))

    @abstractmethod
    def _lines(self) -> Iterable[Mapping[str, Any]]: ...


def line_of(part: Any) -> dict[str, Any]:
    """The fields of a part of a forecast; fractions as the nearest floats."""
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    return {name: float(value) if isinstance(value, Fraction) else value for name, value in values.items()}
