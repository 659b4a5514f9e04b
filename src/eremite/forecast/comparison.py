"""The expected error of a private count with each mechanism, on the same public or made-up rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from eremite.cards import Card
from eremite.charts.words import list_columns
from eremite.errors import InputError
from eremite.forecast.count import CountError, errors_card, expected_error, forecast_count, with_progress
from eremite.forecast.record import ForecastRecord, line_of
from eremite.forecast.stand_in import StandIn
from eremite.outliers import OutlierDefinition
from eremite.privacy import shown
from eremite.queries import CompareMechanismsQuery, ForecastCountQuery, Progress
from eremite.queries.choice import NAMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MECHANISMS = tuple(name for name in NAMES if name != "auto")


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


def compare_mechanisms(
    stand_in: StandIn, query: CompareMechanismsQuery, progress: Progress | None = None
) -> MechanismComparison:
    """Forecast with each mechanism; one that does not hold for an epsilon is left out, with the reason.

    Spends nothing; looks at the stand-in alone. Cost: a count with its bound for each pair.
    `progress` is called with the number of pairs forecast so far.
    """
    query = replace(query, columns=stand_in.table.choose(query.columns))
    fields = {field.name: getattr(query, field.name) for field in dataclass_fields(query)}
    whole = forecast_count(stand_in, ForecastCountQuery(**fields))  # refuses what no mechanism takes
    asked = [error.epsilon for error in whole.errors]
    pairs = [(epsilon, name) for name in _MECHANISMS for epsilon in asked]
    outcomes = with_progress((_outcome(stand_in, query, *pair) for pair in pairs), progress)
    return MechanismComparison(
        whole.definition,
        whole.columns,
        whole.stand_in,
        whole.outliers,
        tuple(outcome for outcome in outcomes if isinstance(outcome, CountError)),
        _joined([outcome for outcome in outcomes if isinstance(outcome, LeftOut)]),
    )


def _outcome(
    stand_in: StandIn, query: CompareMechanismsQuery, epsilon: Fraction, mechanism: str
) -> CountError | LeftOut:
    try:
        return expected_error(stand_in, query.at(epsilon, mechanism).plan(stand_in.table))[1]
    except InputError as error:
        return LeftOut(mechanism, (epsilon,), str(error))


def _joined(all_left_out: Sequence[LeftOut]) -> tuple[LeftOut, ...]:
    """Join what is left out for the same mechanism and reason."""
    epsilons: dict[tuple[str, str], tuple[Fraction, ...]] = {}
    for one in all_left_out:
        key = one.mechanism, one.reason
        epsilons[key] = epsilons.get(key, ()) + one.epsilons
    return tuple(LeftOut(name, which, reason) for (name, reason), which in epsilons.items())
