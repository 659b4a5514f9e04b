"""Cells as dates: days since 1970 on the clock of the declared time zone, or NaN if a cell holds no date.

Dates, times and texts in ISO notation are dates, in every source; numbers are not. The result depends on the cell, the
declared type of its column and the declared time zone alone; no unit, format or zone is inferred from the rows.
"""

from collections.abc import Iterable
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from eremite.table import cells, instants
from eremite.table.bounds import FloatArray
from eremite.table.series import Column, Encoded
from eremite.table.spellings import Spellings

Instants = NDArray[np.int64]

NONE = np.iinfo(np.int64).min  # no date; also how NumPy writes NaT
_FARTHEST = 2**62  # microseconds: about 146,000 years, far beyond every bound
# Microseconds in a tick of each unit, as numerator and denominator.
_MICROSECONDS = {
    "W": (7 * instants.DAY, 1),
    "D": (instants.DAY, 1),
    "h": (3_600 * instants.SECOND, 1),
    "m": (60 * instants.SECOND, 1),
    "s": (instants.SECOND, 1),
    "ms": (1_000, 1),
    "us": (1, 1),
    "ns": (1, 10**3),
    "ps": (1, 10**6),
    "fs": (1, 10**9),
    "as": (1, 10**12),
}


def holds_dates(kind: pa.DataType) -> bool:
    """Whether an Arrow type holds dates or times of a day."""
    return bool(kinds.is_timestamp(kind) or kinds.is_date(kind))


def days_of(column: Column, zone: ZoneInfo, spellings: Spellings) -> FloatArray | None:
    """The days of each cell, NaN where there is no date; None if the declared type of the column holds no dates."""
    found = _instants(column, zone)
    if found is None:
        return None
    absent = (found == NONE) | np.isin(found, spellings.instants(zone))
    return np.where(absent, np.nan, found / instants.DAY)


def _instants(column: Column, zone: ZoneInfo) -> Instants | None:
    if isinstance(column, Encoded):
        return column.spread(_from_objects(column.values, zone), NONE)
    if isinstance(column, pa.ChunkedArray):
        return _from_arrow(column, zone)
    if isinstance(column, np.ndarray):
        return _from_array(column, zone)
    return _from_objects(column, zone)


def _from_objects(objects: Iterable[object], zone: ZoneInfo) -> Instants:
    return np.fromiter((_instant(cell, zone) for cell in objects), dtype=np.int64)


def _instant(cell: object, zone: ZoneInfo) -> int:
    if isinstance(cell, str):
        found = instants.from_iso(cell.strip(cells.BLANKS), zone)
        return NONE if found is None else found
    if isinstance(cell, np.datetime64):
        return int(_from_ticks(np.array([cell]))[0])
    if isinstance(cell, date) and cell == cell:  # NaT is a date that differs from itself
        return instants.microseconds(cell, zone)
    return NONE


def _from_array(array: Any, zone: ZoneInfo) -> Instants | None:
    if array.dtype.kind != "M":
        return _from_objects(array.reshape(-1).tolist(), zone) if array.dtype.kind in "OUT" else None
    found = _from_ticks(np.ma.getdata(array).reshape(-1))
    return np.where(np.ma.getmaskarray(array).reshape(-1), NONE, found)


def _from_arrow(column: pa.ChunkedArray, zone: ZoneInfo) -> Instants | None:
    kind = column.type
    if kinds.is_null(kind):
        return np.full(len(column), NONE)
    if not holds_dates(kind):
        return None
    unit = kind.unit if kinds.is_timestamp(kind) else "D" if kinds.is_date32(kind) else "ms"
    whole = pa.int32() if kinds.is_date32(kind) else pa.int64()
    parts = [_from_chunk(chunk.cast(whole), unit) for chunk in column.chunks]
    found: Instants = np.concatenate([np.empty(0, dtype=np.int64), *parts])
    if kinds.is_timestamp(kind) and kind.tz is not None:  # its ticks count from 1970 in UTC
        found = np.where(found == NONE, NONE, instants.all_on_clock(found, zone))
    return found


def _from_chunk(ticks: pa.Array, unit: str) -> Instants:
    absent = np.from_dlpack(pc.cast(ticks.is_null(), pa.uint8())).astype(np.bool_)
    return np.where(absent, NONE, _microseconds(np.from_dlpack(pc.fill_null(ticks, 0)).astype(np.int64), unit))


def _from_ticks(times: Any) -> Instants:
    """Microseconds of the times of NumPy, which have a unit of their own and no zone."""
    absent = np.isnat(times)
    if np.datetime_data(times.dtype)[0] in ("Y", "M", "generic"):  # these have no fixed length
        times = times.astype("datetime64[D]")
    unit, step = np.datetime_data(times.dtype)
    return np.where(absent, NONE, _microseconds(np.where(absent, 0, times.view(np.int64)), unit, step))


def _microseconds(ticks: Instants, unit: str, step: int = 1) -> Instants:
    """Whole microseconds, rounded down. Ticks too far from 1970 are clipped first, to stay within 64 bits."""
    times, parts = _MICROSECONDS[unit]
    most = _FARTHEST // (times * step)
    return np.clip(ticks, -most, most) * (times * step) // parts
