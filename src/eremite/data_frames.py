"""Answers as pandas frames, for whoever has pandas; eremite does not need it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eremite.errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame


def data_frame(rows: Sequence[Mapping[str, Any]]) -> "DataFrame":
    """One line for each mapping, one column for each of its names. The caller's answer stands if pandas is missing."""
    try:
        from pandas import DataFrame
    except ModuleNotFoundError:
        raise InputError("to_frame needs pandas; pip install pandas, or use to_dict.") from None
    return DataFrame(list(rows))
