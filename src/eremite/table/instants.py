"""Dates and times as whole microseconds since 1970-01-01 00:00, on the clock of the declared time zone.

A date is the midnight it begins with. A time without a zone is read off that clock as it is; one with a zone is
converted to that clock. So every instant has one number, dates are whole days apart, and the hour that a clock repeats
in autumn counts once. What is finer than a microsecond is cut off.
"""

import re
from datetime import UTC as UTC_ZONE
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError
from eremite.names import quote_name

SECOND = 1_000_000  # microseconds
HOUR = 3_600 * SECOND
DAY = 24 * HOUR
UTC = "UTC"
_START = datetime(1970, 1, 1)  # on the clock of any zone
# Zones are asked for offsets between these seconds, in which every `datetime` stays within its range.
_FIRST, _LAST = (int((datetime(year, 1, 1) - _START).total_seconds()) for year in (2, 9999))
_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)


def require_zone(name: object) -> ZoneInfo:
    """The time zone of this name, as in "Europe/Berlin"."""
    try:
        return ZoneInfo(name if isinstance(name, str) else "")
    except (ValueError, OSError, KeyError):  # an unknown zone is a KeyError, a folder of zones an OSError
        shown = quote_name(name) if isinstance(name, str) else type(name).__name__
    raise InputError(f'time_zone {shown} is not a time zone; give its name, as in "Europe/Berlin", or "UTC".')


def microseconds(moment: date, zone: ZoneInfo) -> int:
    """The microseconds of a date or datetime."""
    time = moment if isinstance(moment, datetime) else datetime(moment.year, moment.month, moment.day)
    # Built anew: a subclass, such as that of pandas, may keep more than microseconds.
    plain = datetime(time.year, time.month, time.day, time.hour, time.minute, time.second, time.microsecond)
    clock = (plain - _START) // timedelta(microseconds=1)
    offset = time.utcoffset()
    return clock if offset is None else on_clock(clock - offset // timedelta(microseconds=1), zone)


def from_iso(text: str, zone: ZoneInfo) -> int | None:
    """The microseconds of a text such as 2020-01-31 or 2020-01-31T12:30:00.5+02:00; None for any other text."""
    if not _ISO.fullmatch(text):
        return None
    try:
        return microseconds(datetime.fromisoformat(text), zone)
    except ValueError:
        return None


def on_clock(utc: int, zone: ZoneInfo) -> int:
    """What the clock of the zone shows at an instant of UTC."""
    return int(all_on_clock(np.array([utc], dtype=np.int64), zone)[0])


def all_on_clock(utc: NDArray[np.int64], zone: ZoneInfo) -> NDArray[np.int64]:
    """The same for many instants, each on its own.

    All instants of an hour share the offset that holds when the hour begins and when it ends; if these differ, each
    second is asked for its own.
    """
    if zone.key == UTC:
        return utc
    hours, places = np.unique(utc // HOUR, return_inverse=True)
    first, last = (np.array([_offset(int(hour + end) * 3600, zone) for hour in hours]) for end in (0, 1))
    offsets: NDArray[np.int64] = first[places]
    for place in np.flatnonzero((first != last)[places]):
        offsets[place] = _offset(int(utc[place]) // SECOND, zone)
    return utc + offsets


def _offset(second: int, zone: ZoneInfo) -> int:
    within = min(max(second, _FIRST), _LAST)
    moment = _START.replace(tzinfo=UTC_ZONE) + timedelta(seconds=within)
    offset = moment.astimezone(zone).utcoffset()
    return 0 if offset is None else offset // timedelta(microseconds=1)


def shown(days: float) -> str:
    """The date, or date and time, of a number of days since 1970."""
    moment = _START + timedelta(microseconds=round(days * DAY))
    return moment.date().isoformat() if moment.time() == _START.time() else moment.isoformat()
