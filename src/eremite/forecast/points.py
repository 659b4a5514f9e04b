"""How likely a detection names the right candidates and an explanation the right columns, and which epsilon that needs.

Both draw by the number of rows near public points. On public rows these numbers are known. Without any, they are made
up: those that should be named have no row near, and all others ten times k. In the tables of the benchmark, with a
radius at which one row in a hundred is an outlier, three rows in four have more. Draws among the rows themselves count
no more than k neighbors: there one row in a hundred has none, and all others k. Draws are simulated, many times with a
seed.

theory     here
n_S        near
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from eremite.forecast.count import several
from eremite.forecast.draws import draws
from eremite.forecast.records import NamingChance, NamingForecast, checked_probability
from eremite.forecast.stand_in import SEED, StandIn
from eremite.forecast.subspaces import RUNS, epsilon_for, right_ones, sampling_error
from eremite.outliers.near import neighbors_of_rows, rows_near, rows_near_in_sets
from eremite.privacy import LARGEST_EPSILON
from eremite.queries import (
    EpsilonForDetectQuery,
    EpsilonForExplainQuery,
    ForecastDetectQuery,
    ForecastExplainQuery,
)
from eremite.queries.detection import DetectionPlan
from eremite.queries.explain import ExplainPlan
from eremite.table import Facts, Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
P = TypeVar("P", DetectionPlan, ExplainPlan)

_CROWD = 10
_SHARE_OF_OUTLIERS = 0.01  # of the rows, where they are drawn among
_NEAR_POINTS = f"made-up numbers: no row near those that should be named, {_CROWD} times min_neighbors near all others"
_NEAR_ROWS = (
    "made-up numbers: no row near those that should be named (one row in a hundred, at least one), "
    "min_neighbors near all others"
)
_AT_ONCE = 2_000_000  # scores in memory
_FEW_RUNS = 200  # of draws among very many candidates


def forecast_detect(stand_in: StandIn, query: ForecastDetectQuery) -> NamingForecast:
    """For each epsilon, how likely the h candidates with the fewest rows near them are named; of rows, h outliers."""
    plans = [query.at(epsilon).plan(stand_in.table) for epsilon in several(query.epsilon)]
    near = near_candidates(stand_in, plans[0])
    return _forecast(stand_in, plans, lambda plan: detection_chance(plan, near))


def epsilon_for_detect(stand_in: StandIn, query: EpsilonForDetectQuery) -> Fraction:
    """The least epsilon, rounded up to two digits, for which all candidates named are right with this probability."""
    wanted, table = checked_probability(query.probability), stand_in.table
    near = near_candidates(stand_in, query.at(LARGEST_EPSILON).plan(table))
    return epsilon_for(wanted, lambda epsilon: detection_chance(query.at(epsilon).plan(table), near))


def forecast_explain(stand_in: StandIn, query: ForecastExplainQuery) -> NamingForecast:
    """For each epsilon, how likely the h sets in which each point stands most alone are named for it."""
    plans = [query.at(epsilon).plan(stand_in.table) for epsilon in several(query.epsilon)]
    near = near_points(stand_in, plans[0])
    return _forecast(stand_in, plans, lambda plan: explanation_chance(plan, near))


def epsilon_for_explain(stand_in: StandIn, query: EpsilonForExplainQuery) -> Fraction:
    """The least epsilon, rounded up to two digits, for which all sets named are right with this probability."""
    wanted, table = checked_probability(query.probability), stand_in.table
    near = near_points(stand_in, query.at(LARGEST_EPSILON).plan(table))
    return epsilon_for(wanted, lambda epsilon: explanation_chance(query.at(epsilon).plan(table), near))


def _forecast(stand_in: StandIn, plans: Sequence[P], chance: Callable[[P], float]) -> NamingForecast:
    first = plans[0]
    chances = tuple(NamingChance(plan.privacy.epsilon, chance(plan)) for plan in plans)
    return NamingForecast(first.definition, first.columns, first.h, stand_in.words, chances, sampling_error(RUNS))


def made_up_near(facts: Facts, *, among_rows: bool = False) -> StandIn:
    """A stand-in without rows, where nothing is known of them: for draws among public points, or among the rows."""
    return StandIn(Table.for_planning(facts), _NEAR_ROWS if among_rows else _NEAR_POINTS, cautious=True)


def near_candidates(stand_in: StandIn, plan: DetectionPlan) -> Ints:
    """Rows of the stand-in near each candidate; of its own rows, their degrees up to k."""
    definition = plan.definition
    if stand_in.cautious:
        return _made_up_candidates(stand_in, plan)
    rows = stand_in.rows
    part = rows.part(plan.columns, definition.within)
    if plan.candidates is None:
        return neighbors_of_rows(part, definition, rows.all_rows())
    return rows_near(plan.candidates, plan.strata, part, definition.radius, rows.all_rows())


def _made_up_candidates(stand_in: StandIn, plan: DetectionPlan) -> Ints:
    if plan.candidates is None:
        rows = stand_in.table.facts.rows
        k = plan.definition.min_neighbors
        return np.where(np.arange(min(rows, 10_000)) < max(1, _SHARE_OF_OUTLIERS * min(rows, 10_000)), 0, k)
    near = np.full(len(plan.candidates), _CROWD * plan.definition.min_neighbors)
    near[: plan.h] = 0
    return near


def detection_chance(plan: DetectionPlan, near: Ints) -> float:
    """The chance that the h candidates named have the fewest rows near; among rows, that those named are outliers."""
    if plan.candidates is None:
        return _chance_among_rows(plan, near)
    best = np.sort(-near)[::-1][: plan.h]
    right = 0
    for runs, rng in _batches(len(near)):
        scores = np.broadcast_to(-near.astype(np.float64), (runs, len(near))).copy()
        named = -near[draws(scores, float(plan.rate), plan.h, "permute-and-flip", rng)]
        right += int(np.count_nonzero(right_ones(named, best) == plan.h))
    return right / _runs(len(near))


def _chance_among_rows(plan: DetectionPlan, degrees: Ints) -> float:
    """By the weights of the draws; a few draws of many rows do not change them."""
    k = plan.definition.min_neighbors
    weights = np.exp(-np.minimum(degrees, k) / k * float(plan.each) / 2)
    return float((weights[degrees < k].sum() / weights.sum()) ** plan.h)


def near_points(stand_in: StandIn, plan: ExplainPlan) -> Ints:
    """Rows of the stand-in near each point in each set of columns."""
    family, place = list(plan.family), {name: at for at, name in enumerate(plan.columns)}
    numbers = [[place[name] for name in names] for names in family]
    if stand_in.cautious:
        alone = set(range(plan.h))
        crowd = _CROWD * plan.definition.min_neighbors
        return np.array([[0 if alone & set(one) else crowd for one in numbers]])
    part = stand_in.rows.part_by_cell(plan.columns, plan.definition.within)
    return rows_near_in_sets(plan.points, plan.strata, part, numbers, plan.definition.radius)


def explanation_chance(plan: ExplainPlan, near: Ints) -> float:
    """The chance that the h sets named for every point have the best scores that h sets can have."""
    each = [_explanation_chance(plan, one) for one in near]
    return float(prod(each)) if len(each) > 1 else each[0] ** len(plan.points)


def _explanation_chance(plan: ExplainPlan, near: Ints) -> float:
    family = list(plan.family)
    scores = np.array([float(plan.score(names, count)) for names, count in zip(family, near.tolist(), strict=True)])
    holds = np.array([[name in names for name in plan.columns] for names in family])
    best = _named(np.broadcast_to(scores, (1, len(scores))), holds, plan.h, None, 1)
    wanted = np.sort(scores[best[0]])
    right, rate = 0, float(plan.rate)
    for runs, rng in _batches(len(scores)):
        drawn = _named(np.broadcast_to(scores, (runs, len(scores))), holds, plan.h, rng, rate)
        right += int(np.count_nonzero((np.sort(scores[drawn], axis=1) == wanted).all(axis=1)))
    return right / _runs(len(scores))


def _named(scores: Floats, holds: NDArray[np.bool_], h: int, rng: np.random.Generator | None, rate: float) -> Ints:
    """h draws in each run, none of which contains a set drawn before (claim X2 of `explain.proof.md`).

    Without a generator, the best set is taken each time.
    """
    scores = scores.copy()
    drawn = np.empty((len(scores), h), dtype=np.int64)
    for turn in range(h):
        noise = 0 if rng is None else rng.exponential(size=scores.shape) / rate
        drawn[:, turn] = (scores + noise).argmax(axis=1)
        for one in np.unique(drawn[:, turn]):
            containing = holds[:, holds[one]].all(axis=1)
            scores[np.ix_(drawn[:, turn] == one, containing)] = -np.inf
    return drawn


def _runs(candidates: int) -> int:
    return max(_FEW_RUNS, min(RUNS, 10 * _AT_ONCE // candidates))


def _batches(candidates: int) -> list[tuple[int, np.random.Generator]]:
    """Some runs at a time, as many as fit in memory, each with its own seed."""
    runs, at_once = _runs(candidates), max(1, _AT_ONCE // candidates)
    parts = [min(at_once, runs - start) for start in range(0, runs, at_once)]
    return [(part, np.random.default_rng(SEED + turn)) for turn, part in enumerate(parts, 1)]
