"""A picture of any release: what it says, what it cost, whom it protects. Of the rows it shows the value alone.

How far off a value is depends on the rows, so its error bar is one that was expected of such counts from public facts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, cast

from eremite.charts import (
    AnswersChart,
    CandidatesChart,
    Chart,
    CountChart,
    GroupsChart,
    RadiiChart,
    SetsChart,
)
from eremite.charts.records import LARGEST, MOST_CANDIDATES, MOST_GROUPS, MOST_SETS, Ends
from eremite.charts.words import list_columns, outlier
from eremite.errors import InputError
from eremite.names import quote_name, show_name
from eremite.outliers import OutlierDefinition
from eremite.privacy import shown
from eremite.release.by_group import ByGroup
from eremite.release.release import Release
from eremite.release.words import (
    chance_in_words,
    defined,
    drawn_sets_in_words,
    ends_of,
    error_in_words,
    explained_in_words,
    group_in_words,
    groups_in_words,
    mechanism_in_words,
    most_rows_off,
    protected_in_words,
    rows_error_in_words,
    sets_by_point,
    subject_in_words,
    sure_in_words,
    warning_in_words,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONGEST_NUMBER = 24


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
class Pictured:
    """What a picture of a release shows, the same in words, and what an outlier is, if it is about outliers."""

    chart: Chart
    title: str
    outlier: str = ""


def pictured(release: Release, forecast: Forecast | None = None) -> Pictured:
    """What a picture of the release shows; an `InputError` if there is none of its kind, or of its value."""
    if release.query not in _PICTURED:
        raise InputError(f"There is no picture of the query {quote_name(release.query, 28)}.")
    if forecast is not None and release.query != "count_outliers":
        raise InputError("Only the picture of a count takes a forecast.")
    return _PICTURED[release.query](release) if forecast is None else _count(release, forecast)


def picture(release: Release, forecast: Forecast | None = None) -> "Figure":
    """A figure with a title in words, which warns if need be, the answer, how far off it may be, and the guarantee."""
    from eremite.plots.charts import figure
    from eremite.plots.words import frame

    shown = pictured(release, forecast)
    title = f"{shown.title}. {warning}" if (warning := warning_in_words(release)) else shown.title
    return frame(figure(shown.chart), title, *filter(None, (shown.outlier, *_accuracy(release), _guarantee(release))))


def _accuracy(release: Release) -> list[str]:
    """What is guaranteed of the answer, and what was expected of it where the chart itself does not show it."""
    expected = release.expected
    sure = []
    if type(release.at_least) is int:
        sure = [f"true count: {sure_in_words(release)}"]
    elif release.reach_above is not None:
        sure = [f"true counts: {sure_in_words(release, 'the ends of its line')}"]
    of_counts = expected.error is not None and release.query in ("count_outliers_by", "outlier_report")
    error = [f"forecast: {error_in_words(release)}"] if of_counts else []
    chance = [] if expected.chance is None else [f"forecast: {chance_in_words(release)}"]
    return [*sure, *error, *chance]


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


def _groups(release: Release) -> Pictured:
    value = release.value
    if not isinstance(value, ByGroup):
        raise InputError("A picture of counts by group needs a release whose value is counts by group.")
    by = show_name(groups_in_words(release), 60)
    title = f"Outliers (with noise) in {list_columns(release.columns)}, by {by}{_first(MOST_GROUPS, len(value))}"
    chart = GroupsChart(tuple(map(group_in_words, value)), tuple(value.values()), _ends(release))
    return Pictured(chart, title, _outlier(release))


def _count(release: Release, forecast: Forecast | None = None) -> Pictured:
    title = f"{release.value:,} outliers (with noise) in {list_columns(release.columns)}"
    if release.reach_above is not None and forecast is None:
        ends = cast("tuple[int, int]", release.interval)
        said = "the true count lies within the bar, as often as is said below"
        return Pictured(CountChart(release.value, said=said, ends=ends), title, _outlier(release))
    half_width = release.expected.error if forecast is None else _expected(release, forecast)
    said = "" if half_width is None else f"forecast: 95 % of such counts are off by {half_width:,.0f} at most"
    return Pictured(CountChart(release.value, half_width, said), title, _outlier(release))


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


def _top_subspaces(release: Release) -> Pictured:
    chart = SetsChart((release.value,), release.columns)
    return Pictured(chart, _drawn(len(release.value)), _outlier(release))


def _outlier_report(release: Release) -> Pictured:
    value = release.value
    if not isinstance(value, tuple) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        raise InputError("A picture of a report needs a release whose value is sets of column names with counts.")
    sets, counts = tuple(names for names, _ in value), tuple(count for _, count in value)
    chart = SetsChart((sets,), release.columns, counts, _ends(release))
    return Pictured(chart, _drawn(len(sets)), _outlier(release))


def _ends(release: Release) -> Ends:
    """Of each count both ends, where they are guaranteed; none, if that is so of no count."""
    if release.reach_above is None:
        return ()
    ends, _ = ends_of(release)
    return tuple(None if one is None or one[1] is None else (one[0], one[1]) for one in ends)


def _drawn(sets: int) -> str:
    """What was drawn, and how much of it a picture shows."""
    return f"{drawn_sets_in_words(sets).capitalize()}{_first(MOST_SETS, sets)}"


def _first(shown: int, number: int, what: str = "") -> str:
    return f"; the first {shown} of {number:,}{what}" if number > shown else ""


def _detect_outliers(release: Release) -> Pictured:
    places, number = release.value, dict(release.parameters).get("candidates")
    chart = CandidatesChart(places, number if type(number) is int and 0 < number <= LARGEST else None)
    which = f"{len(places):,}" if chart.number is None else f"{len(places):,} of {chart.number:,}"
    where = list_columns(release.columns)
    title = f"Drawn as the {which} candidates with the fewest rows near, in {where}"
    return Pictured(chart, f"{title}{_first(MOST_CANDIDATES, len(places))}", _outlier(release))


def _explain_outlier(release: Release) -> Pictured:
    named = sets_by_point(release)
    chart = SetsChart(tuple(named), release.columns)
    title = explained_in_words(len(named), len(named[0])).capitalize()
    first = _first(len(chart.shown_points), len(named), " points")
    return Pictured(chart, f"{title}{first}", _outlier(release))


def _choose_radius(release: Release) -> Pictured:
    told, definition = dict(release.parameters), defined(release)
    chart = RadiiChart.of(definition.radius, told.get("radii"))
    share = show_name(str(told.get("share")), 28)
    where = list_columns(release.columns)
    title = f"Radius {definition.radius:g}, drawn for a share of {share} outliers in {where}"
    return Pictured(chart, title, outlier(definition.min_neighbors, None, within=definition.within))


def _count_rows(release: Release) -> Pictured:
    chart = CountChart(release.value, most_rows_off(release), rows_error_in_words(release))
    where = f" take part in questions about {list_columns(release.columns)}" if release.columns else ""
    return Pictured(chart, f"{release.value:,} rows (with noise){where}")


def _open_screen(release: Release) -> Pictured:
    chart = AnswersChart(release.value, dict(release.parameters).get("asked_before", 0))  # type: ignore[arg-type]
    said = chart.said
    title = f"{sum(said):,} of {len(said):,} candidates said to be outliers in {list_columns(release.columns)}"
    return Pictured(chart, title, _outlier(release))


_PICTURED: dict[str, Callable[[Release], Pictured]] = {
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
