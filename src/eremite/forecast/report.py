"""How likely a private report names the right sets of columns, how far off its counts would be, and which epsilon.

The search of the report is simulated as for `forecast_subspaces`, with the share of epsilon that it gets.
"""

from fractions import Fraction

from eremite.forecast.count import expected_error, several
from eremite.forecast.draws import Field
from eremite.forecast.records import ReportChance, ReportForecast, checked_probability
from eremite.forecast.stand_in import StandIn
from eremite.forecast.subspaces import (
    RUNS,
    best_sets,
    chance_of,
    epsilon_for,
    look_at,
    require_bounded,
    sampling_error,
)
from eremite.outliers import Subspace
from eremite.privacy import LARGEST_EPSILON
from eremite.queries import EpsilonForReportQuery, ForecastReportQuery, Progress
from eremite.queries.report import ReportPlan


def forecast_report(stand_in: StandIn, query: ForecastReportQuery, progress: Progress | None = None) -> ReportForecast:
    """For each epsilon, how often the search of the report names the right sets, and the error of its counts.

    Looks at the stand-in alone. Cost: as `forecast_subspaces`, and h counts for each epsilon.
    """
    plans = [query.at(epsilon).plan(stand_in.table) for epsilon in several(query.epsilon)]
    require_bounded(plans[0].finding, stand_in)
    of, family = look_at(stand_in, plans[0].finding, progress), plans[0].finding.family
    best, runner_up = best_sets(of, family, query.h)
    return ReportForecast(
        definition=query.definition,
        family=family.in_words,
        h=query.h,
        stand_in=stand_in.words,
        best=best,
        runner_up=runner_up,
        chances=tuple(_chance(stand_in, of, plan, best) for plan in plans),
        sampling_error=sampling_error(RUNS),
    )


def epsilon_for_report(stand_in: StandIn, query: EpsilonForReportQuery, progress: Progress | None = None) -> Fraction:
    """The least epsilon, rounded up to two digits, for which all sets of a report are right with this probability."""
    wanted = checked_probability(query.probability)
    first = query.at(LARGEST_EPSILON).plan(stand_in.table).finding
    require_bounded(first, stand_in)
    of = look_at(stand_in, first, progress)
    return epsilon_for(wanted, lambda epsilon: chance_of(of, query.at(epsilon).plan(stand_in.table).finding).all_found)


def _chance(stand_in: StandIn, of: Field, plan: ReportPlan, best: tuple[tuple[Subspace, int], ...]) -> ReportChance:
    found = chance_of(of, plan.finding)
    privacy = plan.privacy
    most = count_error(stand_in, plan, [columns for columns, _ in best])
    return ReportChance(privacy.epsilon, privacy.delta, found.found, found.all_found, found.share, most)


def count_error(stand_in: StandIn, plan: ReportPlan, sets: list[Subspace]) -> float:
    """95 % of the counts of a report in any of these sets are off by at most this."""
    if stand_in.cautious:  # the same for all sets of a size
        sets = list({len(one): one for one in sets}.values())
    return max(expected_error(stand_in, plan.of_set(one, stand_in.table))[1].most for one in sets)
