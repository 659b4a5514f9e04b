"""How far off a private count would be, and which epsilon an accuracy needs.

The noise is that of the mechanism that would run, for the bound that the stand-in has. It tells what to expect of a
private table as far as the stand-in is like it; nothing here has looked at one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import TypeVar

from eremite.errors import InputError
from eremite.forecast.capped import (
    Excess,
    cautious_words_of_reach,
    errors_of_pair,
    excess_of,
    held_back,
    off_by,
    usual_excess_of,
    usually_held_back,
)
from eremite.forecast.cautious import expected_bound
from eremite.forecast.ladder import least_epsilon
from eremite.forecast.records import CountError, CountForecast
from eremite.forecast.stand_in import StandIn
from eremite.mechanisms import BoundedMechanism
from eremite.outliers import OutlierDefinition
from eremite.privacy import LARGEST_EPSILON, positive, shown
from eremite.queries import EpsilonForCountQuery, ForecastCountQuery, Progress
from eremite.queries.count import CountPlan, counted
from eremite.queries.fields import Number
from eremite.queries.fit import relation_of
from eremite.queries.groups import CountByPlan
from eremite.queries.reach import Capped, CappedPair, CappedPairAndRows
from eremite.sensitivity.relation import Relation
from eremite.table import Part

T = TypeVar("T")


def forecast_count(stand_in: StandIn, query: ForecastCountQuery, progress: Progress | None = None) -> CountForecast:
    """For each epsilon, the noise of the mechanism that would run. Spends nothing; looks at the stand-in alone.

    `progress` is called with the number of epsilons forecast so far.
    """
    query = replace(query, columns=stand_in.table.choose(query.columns))
    how = query.mechanism, query.reach, query.confidence
    plans = [query.at(epsilon, *how).plan(stand_in.table) for epsilon in several(query.epsilon)]
    seen = with_progress((expected_error(stand_in, plan) for plan in plans), progress)
    errors = tuple(error for _, error in seen)
    return CountForecast(query.definition, plans[0].columns, words_for(stand_in, plans), seen[0][0], errors)


def epsilon_for_count(stand_in: StandIn, query: EpsilonForCountQuery, progress: Progress | None = None) -> Fraction:
    """The least epsilon, rounded up to two digits, for which 95 % of the counts would be off by `within` at most.

    `progress` is called with the number of epsilons tried so far, about ten in the end.
    """
    wanted = positive(query.within, "within")
    query = replace(query, columns=stand_in.table.choose(query.columns))

    def suffices(epsilon: Fraction) -> bool:
        plan = query.at(epsilon, query.mechanism, query.reach).plan(stand_in.table)
        return expected_error(stand_in, plan)[1].most <= wanted

    epsilon = least_epsilon(suffices, progress)
    if epsilon is None:
        raise InputError(
            f"No epsilon up to {LARGEST_EPSILON} gives counts within {shown(wanted)}, as far as the stand-in tells; "
            "ask for less accuracy, a larger radius or fewer columns."
        )
    return epsilon


def words_for(stand_in: StandIn, plans: Sequence[CountPlan | CountByPlan]) -> str:
    """The rows in words that the errors of these plans rest on."""
    by_reach = [isinstance(plan.noise, Capped | CappedPair) for plan in plans]
    if not stand_in.cautious or not any(by_reach):
        return stand_in.words
    crowded = cautious_words_of_reach(stand_in.table.facts.rows)
    return crowded if all(by_reach) else f"{crowded}; other mechanisms: {stand_in.words}"


def with_progress(found: Iterable[T], progress: Progress | None) -> list[T]:
    """All that is found, counted as it is found."""
    seen: list[T] = []
    for one in found:
        seen.append(one)
        if progress:
            progress(len(seen))
    return seen


def several(epsilon: Number | Sequence[Number]) -> Sequence[Number]:
    """The epsilons to forecast for, at least one, as a list; a single one, also as text, is a list of one."""
    if not isinstance(epsilon, list | tuple):
        return [epsilon]  # type: ignore[list-item]
    if not epsilon:
        raise InputError("Give at least one epsilon to forecast for.")
    return epsilon


def expected_error(stand_in: StandIn, plan: CountPlan) -> tuple[int | None, CountError]:
    """The outliers of the stand-in, if it has any rows of its own, and the error of a release that follows the plan."""
    table, definition = stand_in.table, plan.definition
    part = None if stand_in.cautious else stand_in.rows.part(plan.columns, definition.within)
    # A count is clamped to the number of rows where that is public.
    furthest = table.facts.rows if table.neighbors == "replace" else inf
    return expected_in_part(stand_in, part, plan, relation_of(table), furthest)


def expected_in_part(
    stand_in: StandIn, part: Part | None, plan: CountPlan | CountByPlan, relation: Relation, furthest: float = inf
) -> tuple[int | None, CountError]:
    """The outliers of a part of the stand-in, if it has rows, and the error of a count there, no count further off."""
    noise, definition, columns = plan.noise, plan.definition, plan.columns
    length = None
    assert not isinstance(noise, CappedPairAndRows)  # a forecast asks for the count alone  # noqa: S101
    if isinstance(noise, CappedPair):
        groups = len(plan.groups) if isinstance(plan, CountByPlan) else 1
        of_one = replace(relation, rows=relation.rows // groups)
        excess = _expected_excess(stand_in, part, plan, noise, of_one)
        errors = errors_of_pair(noise, excess, plan.confidence)
        outliers, widths = excess.outliers, [errors.off_by(share) for share in (0.5, 0.95)]
        length = errors.length(0.95)
    elif isinstance(noise, Capped):
        groups = len(plan.groups) if isinstance(plan, CountByPlan) else 1
        outliers, left_out = _expected_capped(
            stand_in, part, plan, noise, replace(relation, rows=relation.rows // groups)
        )
        widths = [off_by(noise, left_out, share) for share in (0.5, 0.95)]
    else:
        outliers, bound = expected_count(stand_in, part, definition, columns, noise, relation)
        widths = [noise.half_width(share) * bound for share in (0.5, 0.95)]
    median, widest = (min(width, furthest) for width in widths)
    length = None if length is None else min(length, furthest)
    return outliers, CountError(plan.privacy.epsilon, plan.privacy.delta, plan.mechanism, median, widest, length)


def _expected_excess(
    stand_in: StandIn, part: Part | None, plan: CountPlan | CountByPlan, pair: CappedPair, relation: Relation
) -> Excess:
    """The outliers of the stand-in, and how far the two sides of a count would be from those of the table."""
    columns = len(plan.columns)
    if part is None:
        return usual_excess_of(columns, pair, relation)
    return excess_of(part, stand_in.scaled(plan.definition, columns), pair, relation).times(stand_in.stands_for)


def _expected_capped(
    stand_in: StandIn, part: Part | None, plan: CountPlan | CountByPlan, capped: Capped, relation: Relation
) -> tuple[int | None, float]:
    """The outliers of a part of the stand-in, and how many would not be counted of the table that it stands for."""
    columns = len(plan.columns)
    if part is None:
        return None, usually_held_back(columns, capped, relation)
    outliers, left_out = held_back(part, stand_in.scaled(plan.definition, columns), capped, relation)
    return outliers, left_out * stand_in.stands_for


def expected_count(
    stand_in: StandIn,
    part: Part | None,
    definition: OutlierDefinition,
    columns: Sequence[str],
    noise: BoundedMechanism,
    relation: Relation,
) -> tuple[int | None, float]:
    """The outliers of a part of the stand-in, and the bound that its noise would be scaled by.

    Without a part, of the rows that are made up for the question.
    """
    if part is not None:
        outliers, bound = counted(part, stand_in.scaled(definition, len(columns)), noise, relation)
        if stand_in.stands_for > 1:  # where the density varies within a wider ball, its rows tell too little
            bound = max(bound, counted(part, definition, noise, relation)[1])
        return outliers, float(bound)
    if noise.decay is None:
        return None, float(relation.most_moved(len(columns), definition.min_neighbors))
    return None, expected_bound(definition.min_neighbors, len(columns), noise.decay, relation)
