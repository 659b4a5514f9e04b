"""A release as a notebook shows it."""

from collections.abc import Sequence
from typing import Any

from eremite.errors import InputError
from eremite.html import card
from eremite.names import list_names, show_name
from eremite.release.release import Release
from eremite.release.words import (
    candidates_in_words,
    close_draws_in_words,
    drawn_sets_in_words,
    explained_in_words,
    group_in_words,
    groups_in_words,
    mechanism_in_words,
    outlier_in_words,
    protection_in_words,
    rows_error_in_words,
    rows_in_words,
    searched_in_words,
    sets_by_point,
    sets_in_words,
    spent_in_words,
)

_MOST_LINES = 20


def release_html(release: Release) -> str:
    """The answer as a sentence, its parts as a table if it has several, and what it cost and protects."""
    title, heads, rows = _answer(release)
    facts = {} if release.definition is None else {"outlier": outlier_in_words(release)}
    if release.query == "count_rows":
        facts["error"] = rows_error_in_words(release)
    if release.query in ("top_subspaces", "outlier_report", "explain_outlier"):
        facts["searched"] = searched_in_words(release)
    if release.query == "explain_outlier":
        facts["draws"] = close_draws_in_words(release)
    if release.query == "detect_outliers":
        facts["candidates"] = candidates_in_words(release)
    facts |= {
        "spent": f"{spent_in_words(release)}; {mechanism_in_words(release)}",
        "protects": protection_in_words(release),
        "request id": show_name(release.request_id),
    }
    left_out = [("...",) + ("",) * (len(heads) - 1)] if len(rows) > _MOST_LINES else []
    return card(title, facts, heads, [*rows[:_MOST_LINES], *left_out])


_Answer = tuple[str, tuple[str, ...], Sequence[tuple[str, ...]]]


def _names(names: Any) -> str:
    return list_names([str(name) for name in names])


def _count(release: Release) -> _Answer:
    return f"about {release.value:,} rows are outliers in {_names(release.columns)}", (), []


def _groups(release: Release) -> _Answer:
    value: Any = release.value
    title = f"outliers in {_names(release.columns)}, by {groups_in_words(release)}"
    rows = [(show_name(group_in_words(group)), f"about {count:,}") for group, count in value.items()]
    return title, (groups_in_words(release), "outliers"), rows


def _subspaces(release: Release) -> _Answer:
    value: Any = release.value
    rows = [(f"{rank}", _names(names)) for rank, names in enumerate(value, 1)]
    return drawn_sets_in_words(len(rows)), ("order drawn", "columns"), rows


def _report(release: Release) -> _Answer:
    value: Any = release.value
    rows = [(f"{rank}", _names(names), f"about {count:,}") for rank, (names, count) in enumerate(value, 1)]
    return drawn_sets_in_words(len(rows)), ("order drawn", "columns", "outliers"), rows


def _detection(release: Release) -> _Answer:
    value: Any = release.value
    title = f"drawn as the candidates with the fewest rows near them in {_names(release.columns)}"
    rows = [(f"{rank}", f"{position:,}") for rank, position in enumerate(value, 1)]
    return title, ("order drawn", "position, from 0"), rows


def _explanation(release: Release) -> _Answer:
    named = sets_by_point(release)
    title = explained_in_words(len(named), len(named[0]))
    if named == [release.value]:
        return title, ("order drawn", "columns"), [(f"{rank}", _names(names)) for rank, names in enumerate(named[0], 1)]
    rows = [(f"{position:,}", sets_in_words(sets)) for position, sets in enumerate(named)]
    return title, ("position of the point, from 0", "columns, in the order drawn"), rows


def _radius(release: Release) -> _Answer:
    share = dict(release.parameters).get("share")
    return f"radius {release.value!r}, drawn for a share of {share} outliers in {_names(release.columns)}", (), []


def _rows(release: Release) -> _Answer:
    return rows_in_words(release), (), []


def _screen(release: Release) -> _Answer:
    value: Any = release.value
    title = f"{sum(value):,} of {len(value):,} candidates said to be outliers in {_names(release.columns)}"
    return title, (), []


def _answer(release: Release) -> _Answer:
    """The answer; a value of a shape that no release of ours has is shown as it is."""
    try:
        return _ANSWERS[release.query](release)
    except (KeyError, TypeError, ValueError, AttributeError, InputError):
        return _plain(release)


def _plain(release: Release) -> _Answer:
    return f"{show_name(release.query)}: {release.value!r}", (), []


_ANSWERS = {
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
