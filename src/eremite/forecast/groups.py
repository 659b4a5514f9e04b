"""How far off private counts by group would be: the noise of each group of the stand-in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

from eremite.cards import Card
from eremite.forecast.count import CountError, expected_count, several, with_progress
from eremite.forecast.record import ForecastRecord, line_of
from eremite.forecast.stand_in import StandIn
from eremite.names import list_names, show_name
from eremite.outliers import OutlierDefinition
from eremite.privacy import shown
from eremite.queries import ForecastCountByQuery, Progress
from eremite.queries.groups import CountByPlan, of_groups
from eremite.release.by_group import Group
from eremite.release.words import definition_in_words, group_in_words
from eremite.table import Part


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


def forecast_count_by(
    stand_in: StandIn, query: ForecastCountByQuery, progress: Progress | None = None
) -> CountByForecast:
    """For each group and epsilon, the noise of the mechanism that would run. Looks at the stand-in alone.

    `progress` is called with the number of groups forecast so far.
    """
    table = stand_in.table
    query = replace(query, columns=table.choose(query.columns))
    plans = [query.at(epsilon).plan(table) for epsilon in several(query.epsilon)]
    first = plans[0]
    parts = parts_of(stand_in, first)
    seen = with_progress(([expected_in(stand_in, plan, part) for plan in plans] for part in parts), progress)
    groups = tuple(
        GroupErrors(name[0] if len(name) == 1 else name, errors[0][0], tuple(error for _, error in errors))
        for name, errors in zip(first.groups, seen, strict=True)
    )
    return CountByForecast(query.definition, first.columns, first.by, stand_in.words, groups)


def parts_of(stand_in: StandIn, plan: CountByPlan) -> Sequence[Part | None]:
    """The groups of the stand-in; None for each where rows are made up for the question."""
    if stand_in.cautious:
        return [None] * len(plan.groups)
    return stand_in.rows.groups(plan.columns, plan.by, plan.definition.within)


def expected_in(stand_in: StandIn, plan: CountByPlan, part: Part | None) -> tuple[int | None, CountError]:
    """The outliers of a group of the stand-in, and the error of its count."""
    relation = of_groups(stand_in.table)
    outliers, bound = expected_count(stand_in, part, plan.definition, plan.columns, plan.noise, relation)
    median, most = (plan.noise.half_width(share) * bound for share in (0.5, 0.95))
    return outliers, CountError(plan.privacy.epsilon, Fraction(0), plan.mechanism, median, most)
