"""Forecasts as records: what they hold, how they read, how they are drawn.

Nothing here computes a forecast, so that whoever only receives one needs none of what computes it.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from eremite.cards import Card
from eremite.charts import ErrorsChart, svg
from eremite.charts.words import list_columns
from eremite.errors import InputError
from eremite.forecast.record import ForecastRecord, line_of
from eremite.names import list_names, show_name
from eremite.outliers import OutlierDefinition, Subspace
from eremite.privacy import Privacy, exact, positive, shown
from eremite.release.by_group import Group
from eremite.release.words import definition_in_words, group_in_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class CountError:
    """The error expected for one epsilon: half of all releases are off by less than `median`, 95 % by `most`.

    Of counts from both sides, 95 % of the guaranteed intervals are no longer than `length`.
    """

    epsilon: Fraction
    delta: Fraction
    mechanism: str
    median: float
    most: float
    length: float | None = None


@dataclass(frozen=True, slots=True)
class CountForecast(ForecastRecord):
    """The expected errors of private counts, by epsilon, and the rows they were computed on. All of it is public."""

    definition: OutlierDefinition
    columns: tuple[str, ...]
    stand_in: str  # in words
    outliers: int | None  # of the stand-in; None if its rows have no radius of their own, as cautious ones
    errors: tuple[CountError, ...]

    def plot(self, within: object = None) -> "Figure":
        """A matplotlib figure of the errors over epsilon, with the wanted accuracy as a line. Needs eremite[plots]."""
        from eremite.plots.errors import draw_forecast
        from eremite.plots.words import forecast_frame

        # No count is off by more than there are rows, and no table has more than 2**32.
        wanted = None if within is None else float(min(positive(within, "within"), Fraction(2**32)))
        medians, mosts = [error.median for error in self.errors], [error.most for error in self.errors]
        figure = draw_forecast([float(error.epsilon) for error in self.errors], medians, mosts, self.outliers, wanted)
        noise = {f"{error.mechanism} noise": None for error in self.errors}
        title = f"How far off a private count of outliers in {list_columns(self.columns)} is expected to be"
        return forecast_frame(figure, title, self.definition, self.stand_in, noise)

    def _card(self) -> Card:
        picture = svg(errors_chart(self), "How far off a private count is expected to be, by epsilon")
        return replace(errors_card(self, {}), picture=picture)

    def _lines(self) -> list[dict[str, Any]]:
        return [line_of(error) for error in self.errors]


def errors_chart(forecast: CountForecast, within: float | None = None) -> ErrorsChart:
    """What a picture of the errors shows, with a wanted accuracy."""
    medians, mosts = zip(*((error.median, error.most) for error in forecast.errors), strict=True)
    return ErrorsChart(tuple(shown(error.epsilon) for error in forecast.errors), medians, mosts, within)


def errors_card(forecast: "CountForecast | MechanismComparison", more: dict[str, str]) -> Card:
    """Errors as a notebook shows them, and the facts they rest on."""
    rows = [
        (str(Privacy(e.epsilon, e.delta)), e.mechanism, f"{ceil(e.median):,}", f"{ceil(e.most):,}", length_in_words(e))
        for e in forecast.errors
    ]
    facts = {
        "outlier": definition_in_words(forecast.definition),
        "computed on": forecast.stand_in + outliers_in_words(forecast.outliers),
        "spent": "nothing; no private row was looked at",
    }
    title = f"How far off a private count in {list_names(forecast.columns)} is expected to be"
    heads = ("spending", "noise", "half off by at most", "95 % off by at most", "interval up to")
    return Card(title, facts | more, heads, rows)


def length_in_words(error: CountError) -> str:
    """How long the guaranteed interval is expected to be, with its ends, if there is one."""
    return "-" if error.length is None else f"{ceil(error.length):,}"


def outliers_in_words(outliers: int | None) -> str:
    """What follows the rows of a stand-in: how many of them are outliers, if that is known."""
    return "" if outliers is None else f", {outliers:,} of them outliers"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A mechanism that does not answer at some epsilons, and why."""

    mechanism: str
    epsilons: tuple[Fraction, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class MechanismComparison(ForecastRecord):
    """The expected errors of every mechanism, by epsilon, and the rows they were computed on. All of it is public."""

    definition: OutlierDefinition
    columns: tuple[str, ...]
    stand_in: str  # in words
    outliers: int | None  # of the stand-in, as in a `CountForecast`
    errors: tuple[CountError, ...]  # by mechanism, then by epsilon
    left_out: tuple[LeftOut, ...]

    def plot(self) -> "Figure":
        """A matplotlib figure: how far off 95 % of the counts are, a line for each mechanism. Needs eremite[plots]."""
        from eremite.plots.errors import draw_comparison
        from eremite.plots.words import forecast_frame

        points = [(error.mechanism, float(error.epsilon), error.most) for error in self.errors]
        deltas = sorted({f"delta {float(error.delta):g}" for error in self.errors if error.delta})
        title = f"How far off private counts in {list_columns(self.columns)} are expected to be (95 %)"
        figure = draw_comparison(points, self.outliers)
        return forecast_frame(figure, title, self.definition, self.stand_in, deltas)

    def _card(self) -> Card:
        reasons = [f"epsilon {', '.join(map(shown, one.epsilons))}: {one.reason}" for one in self.left_out]
        return errors_card(self, {"left out": " ".join(reasons)} if reasons else {})

    def _lines(self) -> list[dict[str, Any]]:
        return [line_of(error) for error in self.errors]


@dataclass(frozen=True, slots=True)
class GroupErrors:
    """The errors expected for one group, by epsilon, and the outliers that it has in the stand-in."""

    group: Group
    outliers: int | None  # of the stand-in, as in a `CountForecast`
    errors: tuple[CountError, ...]


@dataclass(frozen=True, slots=True)
class CountByForecast(ForecastRecord):
    """The expected errors of private counts by group, and the rows they were computed on. All of it is public."""

    definition: OutlierDefinition
    columns: tuple[str, ...]
    by: tuple[str, ...]
    stand_in: str  # in words
    groups: tuple[GroupErrors, ...]

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        """For which epsilons errors are given."""
        return tuple(error.epsilon for error in self.groups[0].errors)

    def _card(self) -> Card:
        rows = [
            (show_name(group_in_words(one.group)), _number(one.outliers), *(f"{ceil(e.most):,}" for e in one.errors))
            for one in self.groups
        ]
        facts = {
            "outlier": definition_in_words(self.definition),
            "computed on": self.stand_in,
            "shown": "95 % of the counts are off by at most this",
            "spent": "nothing; no private row was looked at",
        }
        title = (
            f"How far off private counts in {list_names(self.columns)}, by {list_names(self.by)}, are expected to be"
        )
        heads = (list_names(self.by), "outliers there", *(f"epsilon {shown(epsilon)}" for epsilon in self.epsilons))
        return Card(title, facts, heads, rows)

    def _lines(self) -> list[dict[str, Any]]:
        """A line for each group and epsilon."""
        return [
            {"group": one.group, "outliers": one.outliers} | line_of(error)
            for one in self.groups
            for error in one.errors
        ]


def _number(outliers: int | None) -> str:
    return "-" if outliers is None else f"{outliers:,}"


@dataclass(frozen=True, slots=True)
class RowsForecast(ForecastRecord):
    """The errors of private numbers of rows, by epsilon. They hold for every table."""

    rows_per_person: int
    errors: tuple[CountError, ...]

    def _card(self) -> Card:
        rows = [(shown(error.epsilon), f"{error.median:,.0f}", f"{error.most:,.0f}") for error in self.errors]
        facts = {
            "computed from": f"epsilon and rows_per_person, {self.rows_per_person:,}; the same for every table",
            "spent": "nothing; no private row was looked at",
        }
        heads = ("epsilon", "half of the answers off by at most", "95 % off by at most")
        return Card("How far off a private number of rows is", facts, heads, rows)

    def _lines(self) -> list[dict[str, Any]]:
        return [line_of(error) for error in self.errors]


@dataclass(frozen=True, slots=True)
class RadiusForecast(ForecastRecord):
    """The radius that fits a share on public or made-up rows, and how many of those rows are outliers with it."""

    definition: OutlierDefinition
    columns: tuple[str, ...]
    stand_in: str  # in words
    rows: int
    outliers: int

    def _card(self) -> Card:
        return Card(
            f"radius {self.definition.radius!r}: {self.outliers:,} outliers",
            {"computed on": self.stand_in, "spent": "nothing; no private row was looked at"},
        )

    def _lines(self) -> list[dict[str, Any]]:
        return [{"radius": self.definition.radius, "rows": self.rows, "outliers": self.outliers}]


@dataclass(frozen=True, slots=True)
class SubspacesChance:
    """The chances of a search for one epsilon. Ties count as right: sets with as many outliers are as good."""

    epsilon: Fraction
    delta: Fraction
    utility: str
    selection: str
    found: float  # the chance that the first set named has the most outliers
    all_found: float  # the chance that the h sets named are the h with the most
    share: float  # of the h named, how many are among the h with the most, on average
    missed: float  # how many outliers fewer the h named have than the h with the most, together, on average
    missed_error: float  # sampling error of `missed`, a 95 % half width


@dataclass(frozen=True, slots=True)
class SubspacesForecast(ForecastRecord):
    """The expected chances of private searches, by epsilon, and the rows they were simulated on. All of it is public.

    `sampling_error` is the most by which a chance or share is off with 95 %, for being simulated: a half width.
    """

    definition: OutlierDefinition
    family: str  # in words
    h: int
    stand_in: str  # in words
    best: tuple[tuple[Subspace, int], ...]  # the h sets of the stand-in with the most outliers, and how many
    runner_up: int | None  # outliers in the next set; None if all were named
    chances: tuple[SubspacesChance, ...]
    sampling_error: float

    def plot(self, probability: object = None) -> "Figure":
        """A matplotlib figure of the chances over epsilon, with the wanted one as a line. Needs eremite[plots].

        Bands are the sampling error.
        """
        from eremite.plots.chances import draw
        from eremite.plots.words import forecast_frame

        lines = [("all of them" if self.h > 1 else "the right set", [chance.all_found for chance in self.chances])]
        if self.h > 1:
            lines.append(("the first of them", [chance.found for chance in self.chances]))
        wanted = None if probability is None else float(checked_probability(probability))
        figure = draw([float(chance.epsilon) for chance in self.chances], lines, self.sampling_error, wanted)
        which = f"the {self.h:,} sets of columns" if self.h > 1 else "the set of columns"
        title = f"How likely a private search names {which} with the most outliers"
        ways = {f"{chance.utility}, {chance.selection}": None for chance in self.chances}
        notes = [*ways, "bands: sampling error (95 %)"]
        return forecast_frame(figure, title, self.definition, f"{self.stand_in}, {self.family}", notes)

    def _card(self) -> Card:
        several = self.h > 1
        heads = ("first set right", f"all {self.h} right", "share right") if several else ("set right",)
        rows = []
        for chance in self.chances:
            chances = (chance.found, chance.all_found, chance.share) if several else (chance.found,)
            cells = (f"{100 * each:.0f} %" for each in chances)
            rows.append((shown(chance.epsilon), *cells, f"{chance.missed:,.1f}"))
        facts = {
            "outlier": definition_in_words(self.definition),
            "searched": self.family,
            "computed on": self.stand_in,
            "spent": "nothing; no private row was looked at",
        }
        title = "How likely a private search names the right sets of columns"
        return Card(title, facts, ("epsilon", *heads, "outliers missed"), rows)

    def _lines(self) -> list[dict[str, Any]]:
        return [line_of(chance) for chance in self.chances]


def checked_probability(value: object) -> Fraction:
    """A probability that a forecast can be asked for."""
    wanted = exact(value, "probability")
    if not 0 < wanted < 1:
        raise InputError("probability must be above 0 and below 1.")
    return wanted


@dataclass(frozen=True, slots=True)
class ReportChance:
    """The chances of a report for one epsilon, as of a search, and the error of its counts."""

    epsilon: Fraction
    delta: Fraction
    found: float  # the chance that the first set named has the most outliers
    all_found: float  # the chance that the h sets named are the h with the most
    share: float  # of the h named, how many are among the h with the most, on average
    most: float  # 95 % of the counts in the h sets with the most outliers are off by at most this


@dataclass(frozen=True, slots=True)
class ReportForecast(ForecastRecord):
    """The expected chances and errors of private reports, by epsilon. All of it is public."""

    definition: OutlierDefinition
    family: str  # in words
    h: int
    stand_in: str  # in words
    best: tuple[tuple[Subspace, int], ...]  # the h sets of the stand-in with the most outliers, and how many
    runner_up: int | None  # outliers in the next set; None if all were named
    chances: tuple[ReportChance, ...]
    sampling_error: float  # the most by which a chance is off with 95 %, for being simulated

    def _card(self) -> Card:
        rows = [
            (shown(one.epsilon), f"{100 * one.found:.0f} %", f"{100 * one.all_found:.0f} %", f"{ceil(one.most):,}")
            for one in self.chances
        ]
        facts = {
            "outlier": definition_in_words(self.definition),
            "searched": self.family,
            "computed on": self.stand_in,
            "spent": "nothing; no private row was looked at",
        }
        heads = ("epsilon", "first set right", f"all {self.h} right", "95 % of the counts off by at most")
        return Card("How likely a private report is right", facts, heads, rows)

    def _lines(self) -> list[dict[str, Any]]:
        return [line_of(one) for one in self.chances]


@dataclass(frozen=True, slots=True)
class NamingChance:
    """The chance, for one epsilon, that all that is named is right. Ties count as right."""

    epsilon: Fraction
    all_found: float


@dataclass(frozen=True, slots=True)
class NamingForecast(ForecastRecord):
    """The expected chances of private detections or explanations, by epsilon. All of it is public."""

    definition: OutlierDefinition
    columns: tuple[str, ...]
    h: int
    stand_in: str  # in words
    chances: tuple[NamingChance, ...]
    sampling_error: float  # the most by which a chance is off with 95 %, for being simulated

    def _card(self) -> Card:
        rows = [(shown(one.epsilon), f"{100 * one.all_found:.0f} %") for one in self.chances]
        facts = {
            "outlier": definition_in_words(self.definition),
            "computed on": self.stand_in,
            "spent": "nothing; no private row was looked at",
        }
        return Card("How likely all that is named is right", facts, ("epsilon", "all right"), rows)

    def _lines(self) -> list[dict[str, Any]]:
        return [line_of(one) for one in self.chances]
