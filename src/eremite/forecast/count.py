"""How far off a private count would be, and which epsilon an accuracy needs.

The noise is that of the mechanism that would run, for the bound that the stand-in has. It tells what to expect of a
private table as far as the stand-in is like it; nothing here has looked at one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

from eremite.cards import Card
from eremite.charts import ErrorsChart, svg
from eremite.charts.words import list_columns
from eremite.errors import InputError
from eremite.forecast.ladder import least_epsilon
from eremite.forecast.record import ForecastRecord, line_of
from eremite.forecast.stand_in import StandIn
from eremite.names import list_names
from eremite.outliers import OutlierDefinition
from eremite.privacy import LARGEST_EPSILON, Privacy, positive, shown
from eremite.queries import EpsilonForCountQuery, ForecastCountQuery
from eremite.queries.count import CountPlan, counted
from eremite.queries.fields import Number
from eremite.queries.fit import relation_of
from eremite.release.words import definition_in_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eremite.forecast.comparison import MechanismComparison


@dataclass(frozen=True, slots=True)
class CountError:
    """The error expected for one epsilon: half of all releases are off by less than `median`, 95 % by `most`."""

    epsilon: Fraction
    delta: Fraction
    mechanism: str
    median: float
    most: float


@dataclass(frozen=True, slots=True)
class CountForecast(ForecastRecord):
    """The expected errors of private counts, by epsilon, and the rows they were computed on. All of it is public."""

    definition: OutlierDefinition
    columns: tuple[str, ...]
    stand_in: str  # in words
    outliers: int  # of the stand-in
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
        (str(Privacy(e.epsilon, e.delta)), e.mechanism, f"{e.median:,.0f}", f"{e.most:,.0f}") for e in forecast.errors
    ]
    facts = {
        "outlier": definition_in_words(forecast.definition),
        "computed on": f"{forecast.stand_in}, {forecast.outliers:,} of them outliers",
        "spent": "nothing; no private row was looked at",
    }
    title = f"How far off a private count in {list_names(forecast.columns)} is expected to be"
    heads = ("spending", "noise", "half of the counts off by", "95 % off by at most")
    return Card(title, facts | more, heads, rows)


def forecast_count(stand_in: StandIn, query: ForecastCountQuery) -> CountForecast:
    """For each epsilon, the noise of the mechanism that would run. Spends nothing; looks at the stand-in alone."""
    query = replace(query, columns=stand_in.table.choose(query.columns))
    plans = [query.at(epsilon, query.mechanism).plan(stand_in.table) for epsilon in several(query.epsilon)]
    if not plans:
        raise InputError("Give at least one epsilon to forecast for.")
    seen = [expected_error(stand_in, plan) for plan in plans]
    errors = tuple(error for _, error in seen)
    return CountForecast(query.definition, plans[0].columns, stand_in.words, seen[0][0], errors)


def epsilon_for_count(stand_in: StandIn, query: EpsilonForCountQuery) -> Fraction:
    """The least epsilon, rounded up to two digits, for which 95 % of the counts would be off by `within` at most."""
    wanted = positive(query.within, "within")
    query = replace(query, columns=stand_in.table.choose(query.columns))

    def suffices(epsilon: Fraction) -> bool:
        return expected_error(stand_in, query.at(epsilon, query.mechanism).plan(stand_in.table))[1].most <= wanted

    epsilon = least_epsilon(suffices)
    if epsilon is None:
        raise InputError(
            f"No epsilon up to {LARGEST_EPSILON} gives counts within {shown(wanted)}, as far as the stand-in tells; "
            "ask for less accuracy, a larger radius or fewer columns."
        )
    return epsilon


def several(epsilon: Number | Sequence[Number]) -> Sequence[Number]:
    """The epsilons as a list; a single one, also as text, is a list of one."""
    return epsilon if isinstance(epsilon, list | tuple) else [epsilon]  # type: ignore[list-item]


def expected_error(stand_in: StandIn, plan: CountPlan) -> tuple[int, CountError]:
    """The outliers of the stand-in, and the error of a release that follows the plan."""
    table, noise = stand_in.table, plan.noise
    part = table.part(plan.columns, plan.definition.within)
    outliers, bound = counted(part, plan.definition, noise, relation_of(table))
    # A count is clamped to the number of rows where that is public.
    furthest = table.facts.rows if table.neighbors == "replace" else inf
    median, widest = (min(noise.half_width(share) * float(bound), furthest) for share in (0.5, 0.95))
    return outliers, CountError(plan.privacy.epsilon, plan.privacy.delta, plan.mechanism, median, widest)
