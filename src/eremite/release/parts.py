"""The parts of an answer as lines of a table, with names for its columns."""

from collections.abc import Callable
from typing import Any

from eremite.release.release import Release
from eremite.release.words import ends_of, sets_by_point

Line = dict[str, Any]


def parts(release: Release) -> list[Line]:
    """A line for each part, in the order of the answer; positions of candidates and points are from 0."""
    return _PARTS.get(release.query, _one)(release)


def _one(release: Release) -> list[Line]:
    return [{"value": release.value}]


def _count(release: Release) -> list[Line]:
    rows = {} if release.rows is None else {"rows": release.rows}
    return [line | rows for line in _with_ends(release, [{"outliers": release.value}])]


def _groups(release: Release) -> list[Line]:
    by = dict(release.parameters).get("by")
    names = [str(name) for name in by] if isinstance(by, tuple) else ["group"]
    lines = [
        dict(zip(names, group if isinstance(group, tuple) else (group,), strict=True)) | {"outliers": count}
        for group, count in release.value.items()
    ]
    return _with_ends(release, lines)


def _subspaces(release: Release) -> list[Line]:
    return [{"rank": rank, "columns": names} for rank, names in enumerate(release.value, 1)]


def _report(release: Release) -> list[Line]:
    ranked = enumerate(release.value, 1)
    lines = [{"rank": rank, "columns": names, "outliers": count} for rank, (names, count) in ranked]
    return _with_ends(release, lines)


def _with_ends(release: Release, lines: list[Line]) -> list[Line]:
    """The lines of counts with what each is at least, and the two ends that it lies between, where they are known."""
    least = release.at_least if isinstance(release.at_least, tuple) else (release.at_least,)
    if least == (None,):
        return lines
    lines = [line | {"at_least": one} for line, one in zip(lines, least, strict=True)]
    if release.reach_above is None:
        return lines
    ends, _ = ends_of(release)
    between = [one or (None, None) for one in ends]
    return [line | {"low": low, "high": high} for line, (low, high) in zip(lines, between, strict=True)]


def _detection(release: Release) -> list[Line]:
    return [{"rank": rank, "position": place} for rank, place in enumerate(release.value, 1)]


def _explanation(release: Release) -> list[Line]:
    return [
        {"point": point, "rank": rank, "columns": names}
        for point, sets in enumerate(sets_by_point(release))
        for rank, names in enumerate(sets, 1)
    ]


def _radius(release: Release) -> list[Line]:
    return [{"radius": release.value}]


def _rows(release: Release) -> list[Line]:
    return [{"rows": release.value}]


def _screen(release: Release) -> list[Line]:
    first = dict(release.parameters).get("asked_before")
    start = first if type(first) is int else 0
    return [{"position": place, "outlier": said} for place, said in enumerate(release.value, start)]


_PARTS: dict[str, Callable[[Release], list[Line]]] = {
    "count_outliers": _count,
    "count_outliers_by": _groups,
    "top_subspaces": _subspaces,
    "outlier_report": _report,
    "detect_outliers": _detection,
    "explain_outlier": _explanation,
    "choose_radius": _radius,
    "count_rows": _rows,
    "open_screen": _screen,
}
