"""How likely a private search names the right sets of columns, and which epsilon that needs.

The draws of the plan that a release would follow are simulated on the stand-in, many times with a seed. Nothing here
has looked at a private row.
"""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

import numpy as np

from eremite.errors import InputError
from eremite.forecast.count import several
from eremite.forecast.draws import Field, Ints, drawing_of, field_of
from eremite.forecast.graded import graded_field
from eremite.forecast.ladder import least_epsilon
from eremite.forecast.records import SubspacesChance, SubspacesForecast, checked_probability
from eremite.forecast.stand_in import SEED, StandIn
from eremite.outliers import Subspace, Subspaces
from eremite.privacy import LARGEST_EPSILON, shown
from eremite.queries import EpsilonForSubspacesQuery, ForecastSubspacesQuery, Progress
from eremite.queries.fit import relation_of
from eremite.queries.subspaces import SubspacesPlan

#: Searches simulated for each epsilon.
RUNS = 2_500
#: Sets of columns, and rows in all of them together, that a forecast looks at.
MOST_SETS = 10_000
MOST_ROWS = 10**9
#: Sets looked at in all draws of one search together.
MOST_LOOKS = 10**6

_AT_ONCE = 2_000_000  # scores in memory
_WIDTH = 1.96  # standard errors on either side of 95 %


def forecast_subspaces(
    stand_in: StandIn, query: ForecastSubspacesQuery, progress: Progress | None = None
) -> SubspacesForecast:
    """For each epsilon, how often the search that would run names the right sets. Looks at the stand-in alone.

    Cost: one close look at every set of columns of the stand-in, whatever the number of epsilons; simulating takes a
    second for each epsilon and a thousand sets, about. `progress` is called with the number of sets looked at.
    """
    epsilons = several(query.epsilon)
    require_bounded(query.at(epsilons[0]).plan(stand_in.table), stand_in)
    plans = [query.at(epsilon).plan(stand_in.table) for epsilon in epsilons]
    of, family = look_at(stand_in, plans[0], progress), plans[0].family
    best, runner_up = best_sets(of, family, query.h)
    return SubspacesForecast(
        definition=query.definition,
        family=family.in_words,
        h=query.h,
        stand_in=stand_in.words,
        best=best,
        runner_up=runner_up,
        chances=tuple(chance_of(of, plan) for plan in plans),
        sampling_error=sampling_error(RUNS),
    )


def best_sets(of: Field, family: Subspaces, h: int) -> tuple[tuple[tuple[Subspace, int], ...], int | None]:
    """The h sets with the most outliers and how many, and how many the next set has, if there is one."""
    falling = np.argsort(-of.counts, kind="stable")[: h + 1].tolist()
    sets, counts = list(family), of.counts.tolist()
    return tuple((sets[i], counts[i]) for i in falling[:h]), counts[falling[h]] if h < len(counts) else None


def sampling_error(runs: int) -> float:
    """The most by which a simulated chance is off with 95 %."""
    return _WIDTH / 2 / sqrt(runs)


def epsilon_for_subspaces(
    stand_in: StandIn, query: EpsilonForSubspacesQuery, progress: Progress | None = None
) -> Fraction:
    """The least epsilon, rounded up to two digits, for which all h sets named are right with this probability.

    As far as the simulation tells, which has a sampling error. Cost: as `forecast_subspaces` for ten epsilons.
    """
    wanted = checked_probability(query.probability)
    first = query.at(LARGEST_EPSILON).plan(stand_in.table)
    require_bounded(first, stand_in)
    of = look_at(stand_in, first, progress)
    return epsilon_for(wanted, lambda epsilon: chance_of(of, query.at(epsilon).plan(stand_in.table)).all_found)


def epsilon_for(wanted: Fraction, chance: Callable[[Fraction], float]) -> Fraction:
    """The least epsilon of two digits at which the chance is as wanted."""
    epsilon = least_epsilon(lambda epsilon: chance(epsilon) >= wanted)
    if epsilon is None:
        raise InputError(
            f"No epsilon up to {LARGEST_EPSILON} names the right ones with probability {shown(wanted)}, as far as the "
            "stand-in tells; ask for fewer, among fewer candidates, or with another radius."
        )
    return epsilon


def require_bounded(plan: SubspacesPlan, stand_in: StandIn) -> None:
    """Refuse a forecast that would look at too many sets, or draw too often."""
    family, n = plan.family, 0 if stand_in.cautious else stand_in.rows.all_rows()
    if family.count > MOST_SETS or family.count * n > MOST_ROWS:
        raise InputError(
            f"A forecast would look closely at {n:,} rows in {family.count:,} sets of columns, and stops at "
            f"{MOST_SETS:,} sets and {MOST_ROWS:,} rows in all; choose a smaller size, list some sets, or take fewer "
            "rows."
        )
    if plan.h * family.count > MOST_LOOKS:
        raise InputError(
            f"Naming {plan.h:,} of {family.count:,} sets of columns takes more than the {MOST_LOOKS:,} looks that a "
            "simulated search may take; name fewer, or choose a smaller size."
        )


def look_at(stand_in: StandIn, plan: SubspacesPlan, progress: Progress | None = None) -> Field:
    """Look at every candidate, as closely as the plan's utility needs; serves every epsilon."""
    family = plan.family
    if stand_in.cautious:
        return graded_field(family, plan.definition, relation_of(stand_in.table))
    of = field_of(stand_in, plan.definition, family, plan.utility != "paper", progress)
    if family.count > 1 and of.counts.min() == of.counts.max():
        raise InputError(
            f"Each of the {family.count:,} sets of columns has {of.counts[0]:,} outliers in the stand-in, so there is "
            "nothing to find; choose another radius or other rows."
        )
    return of


def chance_of(of: Field, plan: SubspacesPlan, runs: int = RUNS) -> SubspacesChance:
    """Simulate the search that follows this plan."""
    named = of.counts[_picks(of, plan, runs)]  # h counts, one row a run
    best = np.sort(of.counts)[::-1][: plan.h]
    right, missed = right_ones(named, best), best.sum() - named.sum(axis=1)
    return SubspacesChance(
        epsilon=plan.privacy.epsilon,
        delta=plan.privacy.delta,
        utility=plan.utility,
        selection=plan.selection,
        found=float(np.mean(named[:, 0] == best[0])),
        all_found=float(np.mean(right == plan.h)),
        share=float(np.mean(right) / plan.h),
        missed=float(missed.mean()),
        missed_error=float(_WIDTH * missed.std() / sqrt(runs)),
    )


def _picks(of: Field, plan: SubspacesPlan, runs: int) -> Ints:
    """Some runs at a time, as many as fit."""
    at_once = max(1, _AT_ONCE // len(of.counts))
    parts = [min(at_once, runs - start) for start in range(0, runs, at_once)]
    drawing = drawing_of(plan)
    return np.concatenate([drawing.picks(of, part, SEED + turn) for turn, part in enumerate(parts, 1)])


def right_ones(named: Ints, best: Ints) -> Ints:
    """How many of the named are among the best: above the last of the best, or as many as tie with it and have room."""
    above, tied = (named > best[-1]).sum(axis=1), (named == best[-1]).sum(axis=1)
    return np.asarray(above + np.minimum(tied, np.count_nonzero(best == best[-1])))
