"""Panels of releases: what one says, what it spent, what it protects.

Everything but the value is public. How accurate the value is depends on the rows, and is not said.
"""

from collections.abc import Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite import Release, Session
from eremite.cli.candidates import PublicPoints
from eremite.names import list_names, show_name
from eremite.privacy import exact, shown
from eremite.release.words import (
    candidates_in_words,
    close_draws_in_words,
    defined,
    explained_in_words,
    group_in_words,
    groups_in_words,
    mechanism_in_words,
    neighbors_in_words,
    outlier_in_words,
    protection_in_words,
    rows_error_in_words,
    rows_in_words,
    searched_in_words,
    sets_by_point,
    sets_in_words,
    spent_in_words,
    subject_in_words,
)


def count_panel(release: Release, session: Session) -> Panel:
    """A noisy count."""
    of = f" of {session.n_rows:,}" if release.neighbors == "replace" else ""
    answer = f"about {release.value:,}{of} rows are outliers in {list_names(release.columns)}"
    facts = {
        "outlier": outlier_in_words(release),
        "error": f"eremite forecast with the same options{_strata(release)} tells how far off such counts are, "
        "for free",
    }
    return _panel("count", release, session, _strong(answer), facts, f"noise: {mechanism_in_words(release)}")


def groups_panel(release: Release, session: Session) -> Panel:
    """A noisy count for each group."""
    value: Any = release.value
    answer = f"outliers in {list_names(release.columns)}, by {groups_in_words(release)}, each count with noise"
    lines = [(f"about {count:,}", show_name(group_in_words(group))) for group, count in value.items()]
    facts = {
        "outlier": f"{outlier_in_words(release)}; only rows of the same group are neighbors",
        "error": "eremite forecast count with the same --by tells how far off such counts are, for free",
    }
    noise = f"noise: {mechanism_in_words(release)}"
    return _panel("count", release, session, _listed(answer, lines), facts, noise)


def subspaces_panel(release: Release, session: Session) -> Panel:
    """Sets of columns in the order drawn, with their noisy counts if it is a report."""
    value: Any = release.value
    drawn = f"draws: {mechanism_in_words(release)}"
    lines: list[tuple[str, ...]]
    if release.query == "outlier_report":
        counts = f", {'each ' * (len(value) != 1)}with its noisy count among {session.facts.rows_in_words}"
        lines = [(f"about {count:,}", list_names(subspace)) for subspace, count in value]
    else:
        counts, lines = "", [(list_names(subspace),) for subspace in value]
    # The sentence is about the draw: the sets with the most outliers are likely, not certain, to be drawn.
    which, order = ("set", "") if len(value) == 1 else (f"{len(value):,} sets", ", in the order drawn")
    answer = f"drawn as the {which} of columns with the most outliers{order}{counts}"
    facts = {"searched": searched_in_words(release), "outlier": outlier_in_words(release)}
    title = "report" if release.query == "outlier_report" else "subspaces"
    return _panel(title, release, session, _numbered(answer, lines), facts, drawn)


def detect_panel(release: Release, session: Session, points: PublicPoints | None) -> Panel:
    """Candidates in the order drawn, numbered from 1: points with their values, or rows of the table by number."""
    value: Any = release.value
    one, _ = subject_in_words(release)
    where = list_names(release.columns)
    # The sentence is about the draw: it does not say whether one is an outlier, or how many rows are near.
    if len(value) == 1:
        answer = f"drawn as the {one} with the fewest rows near it in {where}"
    else:
        answer = f"drawn as the {len(value):,} {one}s with the fewest rows near them in {where}, in the order drawn"
    lines: list[tuple[str, ...]] = [(f"row {place + 1:,}",) for place in value]
    if points is not None:
        lines = [(f"candidate {place + 1:,}", points.in_words(place)) for place in value]
    facts = {
        "candidates": candidates_in_words(release),
        "outlier": outlier_in_words(release),
    }
    drawn = f"draws: {mechanism_in_words(release)}"
    return _panel("detect", release, session, _numbered(answer, lines), facts, drawn)


def explain_panel(release: Release, session: Session, points: PublicPoints) -> Panel:
    """For each point, numbered from 1, its values and the sets of columns in the order drawn."""
    named = sets_by_point(release)
    # The sentence is about the draw: it does not say whether a point is an outlier, or how many rows are near.
    order = "" if len(named[0]) == 1 else ", in the order drawn"
    lines = [(sets_in_words(sets), points.in_words(place)) for place, sets in enumerate(named)]
    facts = {
        "searched": searched_in_words(release),
        "alone": outlier_in_words(release),
        "draws": close_draws_in_words(release),
    }
    answer = f"{explained_in_words(len(named), len(named[0]))}{order}"
    drawn = f"draws: {mechanism_in_words(release)}"
    return _panel("explain", release, session, _numbered(answer, lines), facts, drawn)


def radius_panel(release: Release, session: Session) -> Panel:
    """A radius for a share of outliers."""
    share = shown(exact(dict(release.parameters)["share"], "share"))
    definition = defined(release)
    answer = (
        f"radius {release.value!r}, drawn as the one with a share of {share} outliers in {list_names(release.columns)}"
    )
    facts = {"outlier": f"a row with fewer than {neighbors_in_words(definition)} within the radius"}
    return _panel("radius", release, session, _strong(answer), facts, f"draws: {mechanism_in_words(release)}")


def rows_panel(release: Release, session: Session) -> Panel:
    """A noisy number of rows. How far off it may be is public."""
    facts, drawn = {"error": rows_error_in_words(release)}, f"noise: {mechanism_in_words(release)}"
    return _panel("rows", release, session, _strong(rows_in_words(release)), facts, drawn)


def _panel(
    title: str, release: Release, session: Session, answer: RenderableType, facts: dict[str, str], drawn: str
) -> Panel:
    """The answer, what it means, and what it cost."""
    cost = {
        "spent": f"{spent_in_words(release)}; {drawn}",
        "left": f"{session.remaining} for all later questions; see eremite budget",
        "protects": protection_in_words(release),
    }
    content = Group(answer, Text(), _aligned((facts | cost).items()))
    return Panel(content, title=title, title_align="left", padding=(1, 2))


def _strong(text: str) -> Text:
    return Text(text, style="bold")


def _listed(answer: str, lines: Iterable[tuple[str, ...]]) -> Group:
    """The answer, and lines below it."""
    return Group(_strong(answer), Text(), _aligned(lines))


def _numbered(answer: str, lines: Iterable[tuple[str, ...]]) -> Group:
    """The answer, and lines below it, numbered from 1."""
    return Group(_strong(answer), Text(), _aligned((f"{i}.", *line) for i, line in enumerate(lines, 1)))


def _aligned(rows: Iterable[tuple[str, ...]]) -> Grid:
    """Texts in columns, the last one wrapped. rich does not read them as markup, whatever a name holds."""
    grid = Grid.grid(padding=(0, 2, 0, 0))
    for row in rows:
        grid.add_row(*map(Text, row))
    return grid


def _strata(release: Release) -> str:
    """How a forecast takes the columns of --within, which it has for an accuracy."""
    return ", --within as --strata," if defined(release).within else ""
