"""How far off private counts by group would be: the noise of each group of the stand-in."""

from collections.abc import Sequence
from dataclasses import replace

from eremite.forecast.count import expected_in_part, several, with_progress, words_for
from eremite.forecast.records import CountByForecast, CountError, GroupErrors
from eremite.forecast.stand_in import StandIn
from eremite.queries import ForecastCountByQuery, Progress
from eremite.queries.groups import CountByPlan, of_groups
from eremite.table import Part


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
    return CountByForecast(query.definition, first.columns, first.by, words_for(stand_in, plans), groups)


def parts_of(stand_in: StandIn, plan: CountByPlan) -> Sequence[Part | None]:
    """The groups of the stand-in; None for each where rows are made up for the question."""
    if stand_in.cautious:
        return [None] * len(plan.groups)
    return stand_in.rows.groups(plan.columns, plan.by, plan.definition.within)


def expected_in(stand_in: StandIn, plan: CountByPlan, part: Part | None) -> tuple[int | None, CountError]:
    """The outliers of a group of the stand-in, and the error of its count."""
    return expected_in_part(stand_in, part, plan, of_groups(stand_in.table))
