"""A picture of any release: what it says, what it cost, whom it protects. Of the rows it shows the value alone.

How far off a value is depends on the rows, so no release has an error bar of its own; a forecast may lend it one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from eremite.errors import InputError
from eremite.names import quote_name, show_name
from eremite.outliers import OutlierDefinition
from eremite.plots import answers, candidates, count, groups, radii, sets
from eremite.plots.words import frame, list_columns, outlier
from eremite.privacy import shown
from eremite.release.by_group import ByGroup
from eremite.release.release import Release
from eremite.release.words import (
    defined,
    drawn_sets_in_words,
    explained_in_words,
    group_in_words,
    groups_in_words,
    mechanism_in_words,
    most_rows_off,
    protected_in_words,
    rows_error_in_words,
    sets_by_point,
    subject_in_words,
)

if TYPE_CHECKING:  # eremite.plots says what to install where it is missing
    from matplotlib.figure import Figure

_LONGEST_NUMBER = 24
_MOST_ASKED = 10**12
_MOST_CANDIDATES = 10**15


class CountError(Protocol):
    """What a forecast says for one epsilon."""

    @property
    def epsilon(self) -> Fraction: ...

    @property
    def delta(self) -> Fraction: ...

    @property
    def mechanism(self) -> str: ...

    @property
    def most(self) -> float: ...


class Forecast(Protocol):
    """What was to be expected of a count, computed on rows that are not private."""

    @property
    def definition(self) -> OutlierDefinition: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def errors(self) -> Sequence[CountError]: ...


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure, what it shows in words, and what an outlier is, if it is about outliers."""

    figure: "Figure"
    title: str
    outlier: str = ""


def picture(release: Release, forecast: Forecast | None = None) -> "Figure":
    """A figure with a title in words, the answer, and a footer with the guarantee."""
    if release.query not in _DRAWN:
        raise InputError(f"There is no picture of the query {quote_name(release.query, 28)}.")
    if forecast is not None and release.query != "count_outliers":
        raise InputError("Only the picture of a count takes a forecast.")
    drawn = _DRAWN[release.query](release) if forecast is None else _count(release, forecast)
    return frame(drawn.figure, drawn.title, *filter(None, (drawn.outlier, _guarantee(release))))


def _guarantee(release: Release) -> str:
    spent = _spent(release.epsilon, release.delta)
    return f"protects {protected_in_words(release)}; {spent}; {show_name(mechanism_in_words(release), 60)}"


def _spent(epsilon: Fraction, delta: Fraction) -> str:
    return f"epsilon {_cut(epsilon)}" + (f", delta {_cut(delta)}" if delta else "")


def _cut(number: Fraction) -> str:
    text = shown(number)
    return text if len(text) <= _LONGEST_NUMBER else f"about {float(number):.6g}"


def _outlier(release: Release) -> str:
    definition = defined(release)
    return outlier(definition.min_neighbors, definition.radius, *subject_in_words(release), definition.within)


def _groups(release: Release) -> Drawn:
    value: Any = release.value
    if not isinstance(value, ByGroup):
        raise InputError("A picture of counts by group needs a release whose value is counts by group.")
    title = f"Outliers (with noise) in {list_columns(release.columns)}, by {show_name(groups_in_words(release), 60)}"
    return Drawn(
        groups.draw([group_in_words(group) for group in value], list(value.values())), title, _outlier(release)
    )


def _count(release: Release, forecast: Forecast | None = None) -> Drawn:
    half_width = None if forecast is None else _expected(release, forecast)
    value: Any = release.value  # of a count, a number
    title = f"{value:,} outliers (with noise) in {list_columns(release.columns)}"
    return Drawn(count.draw(value, half_width), title, _outlier(release))


def _expected(release: Release, forecast: Forecast) -> float:
    """The 95 % half-width that was forecast for just this request."""
    if (forecast.definition, forecast.columns) != (release.definition, release.columns):
        raise InputError("The forecast is of other columns or another definition than the release; forecast for these.")
    for error in forecast.errors:
        if (error.epsilon, error.delta, error.mechanism) == (release.epsilon, release.delta, release.mechanism):
            return error.most
    raise InputError(
        f"The forecast has no {_spent(release.epsilon, release.delta)} with {show_name(release.mechanism, 28)}, "
        "which the release was made with; forecast for that."
    )


def _top_subspaces(release: Release) -> Drawn:
    named = sets.checked(release.value)
    return Drawn(sets.draw(named, None, release.columns), _named(len(named), sets.MOST_SETS), _outlier(release))


def _outlier_report(release: Release) -> Drawn:
    named, counts = sets.checked_with_counts(release.value)
    return Drawn(sets.draw(named, counts, release.columns), _named(len(named), sets.MOST_SETS), _outlier(release))


def _named(drawn: int, shown: int) -> str:
    """What was drawn, and how much of it a picture shows."""
    first = f"; the first {shown} of {drawn:,}" if drawn > shown else ""
    return f"{drawn_sets_in_words(drawn).capitalize()}{first}"


def _detect_outliers(release: Release) -> Drawn:
    places, number = candidates.checked(release.value), dict(release.parameters).get("candidates")
    public = number if type(number) is int and 0 < number <= _MOST_CANDIDATES else None
    which = f"{len(places):,}" if public is None else f"{len(places):,} of {public:,}"
    first = f"; the first {candidates.MOST} of {len(places):,}" if len(places) > candidates.MOST else ""
    title = f"Drawn as the {which} candidates with the fewest rows near, in {list_columns(release.columns)}{first}"
    return Drawn(candidates.draw(places, public), title, _outlier(release))


def _explain_outlier(release: Release) -> Drawn:
    named = sets_by_point(release)
    title = explained_in_words(len(named), len(named[0])).capitalize()
    if named == [release.value]:
        return Drawn(sets.draw(named[0], None, release.columns), title, _outlier(release))
    shown = sets.points_shown(named)
    first = f"; the first {shown} of {len(named):,} points" if shown < len(named) else ""
    return Drawn(sets.draw_by_point(named[:shown], release.columns), f"{title}{first}", _outlier(release))


def _choose_radius(release: Release) -> Drawn:
    told, definition = dict(release.parameters), defined(release)
    figure = radii.draw(definition.radius, radii.checked(told.get("radii")))
    share = show_name(str(told.get("share")), 28)
    where = list_columns(release.columns)
    title = f"Radius {definition.radius:g}, drawn for a share of {share} outliers in {where}"
    return Drawn(figure, title, outlier(definition.min_neighbors, None, within=definition.within))


def _count_rows(release: Release) -> Drawn:
    value: Any = release.value  # of a count, a number
    figure = count.draw(value, most_rows_off(release), rows_error_in_words(release))
    where = f" take part in questions about {list_columns(release.columns)}" if release.columns else ""
    return Drawn(figure, f"{value:,} rows (with noise){where}")


def _open_screen(release: Release) -> Drawn:
    said, before = answers.checked(release.value), dict(release.parameters).get("asked_before", 0)
    if type(before) is not int or not 0 <= before <= _MOST_ASKED:
        raise InputError("A picture of a screen needs a release that says how many were asked before.")
    title = f"{sum(said):,} of {len(said):,} candidates said to be outliers in {list_columns(release.columns)}"
    return Drawn(answers.draw(said, before), title, _outlier(release))


_DRAWN: dict[str, Callable[[Release], Drawn]] = {
    "count_outliers": _count,
    "count_outliers_by": _groups,
    "top_subspaces": _top_subspaces,
    "outlier_report": _outlier_report,
    "detect_outliers": _detect_outliers,
    "explain_outlier": _explain_outlier,
    "choose_radius": _choose_radius,
    "count_rows": _count_rows,
    "open_screen": _open_screen,
}
