"""What is public about the noise of a count of bounded reach: its exact figures, whatever the rows are."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
#: Of one count; of several counts, one for each, in the order of the value.
Each: TypeAlias = T | tuple[T | None, ...] | None

_QUERIES = ("count_outliers", "count_outliers_by", "outlier_report")
#: The largest reach: no table has more rows.
MOST_REACH = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicNoise:
    """Figures of noise whose scale is public; None where the noise depends on the rows, or was made in another way.

    Of the counts of groups, and of the sets of a report, there is a tuple with one for each, in their order, if any of
    them has it.
    """

    reach: Each[int] = None  # how many rows one place may change the count by
    reach_above: Each[int] = None  # the same from above, where both sides were drawn
    noise_scale: Each[float] = None  # in rows, rounded up
    noise_half_width: Each[int] = None  # 95 % of all such answers are within it of the capped count
    at_least: Each[int] = None  # 95 times in 100, the true count is no less, whatever the rows are
    interval: Each[tuple[int, int | None]] = None  # so often, the true count lies between, whatever the rows are
    confidence: Each[float] = None  # how often
    rows: Each[int] = None  # of one count: how many rows take part, with noise of the same draw, where that was asked
    rows_within: Each[int] = None  # as often, the true number is within so many of it

    @classmethod
    def of_each(cls, figures: "Sequence[PublicNoise]") -> "PublicNoise":
        """The figures of several counts; `UNKNOWN` if none of them has any."""
        if all(one == UNKNOWN for one in figures):
            return UNKNOWN
        each = {name: tuple(getattr(one, name) for one in figures) for name in NAMES}
        return cls(**{name: some for name, some in each.items() if any(one is not None for one in some)})

    def to_json(self) -> dict[str, Any]:
        """The fields as a release has them in its JSON."""
        return {name: getattr(self, name) for name in NAMES}

    @classmethod
    def parsed(cls, given: Sequence[Any], query: str, value: Any) -> "PublicNoise":
        """The figures in the JSON of a release, which may be from before there were any; an error if they are none.

        They are given in the order of `NAMES`, with tuples for lists.
        """
        if all(figure is None for figure in given):
            return UNKNOWN
        if query not in _QUERIES:
            raise ValueError
        one = query == "count_outliers"
        counts = [value] if one else [count for _, count in value]
        unknown = (None,) * len(counts)
        each = [tuple(given)] if one else list(zip(*(unknown if some is None else some for some in given), strict=True))
        if len(each) != len(counts) or not all(map(_fits, each, counts)) or not any(map(_known, each)):
            raise ValueError
        return cls(**dict(zip(NAMES, given, strict=True)))


NAMES = tuple(field.name for field in fields(PublicNoise))
#: Nothing is public.
UNKNOWN = PublicNoise()


def _known(figures: tuple[Any, ...]) -> bool:
    return figures != (None,) * len(NAMES)


def _fits(figures: tuple[Any, ...], count: Any) -> bool:
    """Whether these are the figures of one count, or none at all."""
    if not _known(figures):
        return True
    reach, above, scale, half_width, at_least, interval, confidence, rows, within = figures
    whole = all(type(number) is int for number in (reach, at_least, count))
    numeric = isinstance(scale, int | float) and not isinstance(scale, bool)
    return (
        whole
        and numeric
        and 1 <= reach <= MOST_REACH
        and scale > 0
        and isfinite(scale)
        and at_least >= 0
        and _fits_interval(interval, confidence)
        and ((rows is None and within is None) or (above is not None and _is_whole(rows, 0) and _is_whole(within, 0)))
        and (_is_from_below(half_width, at_least, count) if above is None else _is_of_both(above, half_width, interval))
    )


def _is_from_below(half_width: Any, at_least: int, count: int) -> bool:
    return _is_whole(half_width, 1) and at_least <= count


def _is_of_both(above: Any, half_width: Any, interval: Any) -> bool:
    return _is_whole(above, 1, MOST_REACH) and half_width is None and interval is not None and interval[1] is not None


def _fits_interval(interval: Any, confidence: Any) -> bool:
    """Whether it is one; there was none before there were any."""
    if interval is None:
        return confidence is None
    if not (isinstance(interval, tuple) and len(interval) == 2 and isinstance(confidence, float)):
        return False
    low, high = interval
    return 0.5 <= confidence < 1 and _is_whole(low, 0) and (high is None or _is_whole(high, low))


def _is_whole(number: Any, least: int, most: int | None = None) -> bool:
    return type(number) is int and number >= least and (most is None or number <= most)
