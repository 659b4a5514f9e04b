"""What to expect of an answer before it is computed, to be shown beside it: from its plan and public facts alone.

Takes milliseconds as a rule and a few seconds at worst, whatever the number of rows is.
"""

from dataclasses import replace
from math import ceil, floor

import numpy as np

from eremite.forecast.count import expected_error, words_for
from eremite.forecast.draws import Field
from eremite.forecast.graded import GRADED, field_of_counts, graded_field
from eremite.forecast.groups import expected_in, parts_of
from eremite.forecast.points import (
    detection_chance,
    explanation_chance,
    made_up_near,
    near_candidates,
    near_points,
)
from eremite.forecast.report import count_error
from eremite.forecast.stand_in import StandIn, made_up, public_rows, public_rows_for
from eremite.forecast.subspaces import MOST_LOOKS, MOST_SETS, RUNS, chance_of
from eremite.outliers.counting import outliers_among
from eremite.queries import Plan
from eremite.queries.count import CountPlan
from eremite.queries.detection import DetectionPlan
from eremite.queries.explain import ExplainPlan
from eremite.queries.groups import CountByPlan
from eremite.queries.reach import Capped, CappedPair, CappedPairAndRows
from eremite.queries.report import ReportPlan
from eremite.queries.rows import RowsPlan
from eremite.queries.subspaces import SubspacesPlan
from eremite.release.expected import UNKNOWN, Expected
from eremite.sensitivity.relation import Relation
from eremite.table import Facts, Table

_MOST_COUNTED = 500  # sets of columns in which public rows are counted: a few seconds
_MOST_SCORES = 5_000_000  # in all simulated draws of a search together
_FEW_RUNS = 200
_LARGEST_ERROR = 1e15
_WHATEVER_THE_ROWS = "epsilon, min_neighbors and the number of columns alone, whatever the rows are"


def expected_of(plan: Plan, facts: Facts, stand_in: Table | None = None) -> Expected:
    """What to expect of the answer that follows this plan; `UNKNOWN` if nothing can be said.

    Args:
        plan: How the question will be answered; decided from public facts.
        facts: What is public about the private table.
        stand_in: Public rows with the same columns and rules; without them, rows are made up.
    """
    match plan:
        case CountPlan(noise=CappedPair() | CappedPairAndRows()) | CountByPlan(noise=CappedPair()):
            return UNKNOWN  # their intervals hold for every table
        case CountPlan():
            rows = _rows_to_count(facts, stand_in)
            return _error(expected_error(rows, plan)[1].most, _source(plan, rows))
        case CountByPlan():
            rows = _rows_to_count(facts, stand_in)
            errors = (expected_in(rows, plan, part)[1].most for part in parts_of(rows, plan))
            return _error(max(errors), _source(plan, rows))
        case SubspacesPlan():
            return _of_search(plan, facts, stand_in)
        case ReportPlan():
            return _of_report(plan, facts, stand_in)
        case DetectionPlan():
            rows = _rows_near(facts, stand_in, among_rows=plan.candidates is None)
            return _chance(detection_chance(plan, near_candidates(rows, plan)), rows.words)
        case ExplainPlan():
            rows = _rows_near(facts, stand_in)
            return _chance(explanation_chance(plan, near_points(rows, plan)), rows.words)
        case RowsPlan():
            return _error(plan.noise.half_width(), "epsilon alone, whatever the rows are")
        case _:  # a radius, a screening
            return UNKNOWN


def _error(most: float, source: str) -> Expected:
    """Rounded up, as counts are whole."""
    return Expected(error=ceil(min(most, _LARGEST_ERROR)), error_from=source)


def _source(plan: CountPlan | CountByPlan, rows: StandIn) -> str:
    """Where the error comes from: noise that is scaled by the global sensitivity is the same for all rows."""
    by_the_rows = isinstance(plan.noise, Capped | CappedPair | CappedPairAndRows) or plan.noise.decay is not None
    return words_for(rows, [plan]) if by_the_rows else _WHATEVER_THE_ROWS


def _chance(chance: float, source: str) -> Expected:
    """A chance that was simulated or computed, to three digits after the point, rounded down."""
    return Expected(chance=floor(1000 * chance) / 1000, chance_from=source)


def _of_search(plan: SubspacesPlan, facts: Facts, stand_in: Table | None) -> Expected:
    """The chance of a search, simulated with the counts of public rows, or made-up ones, and cautious profiles."""
    sets = plan.family.count
    if sets > MOST_SETS or plan.h * sets > MOST_LOOKS:
        return UNKNOWN
    of, words = _counts_in_sets(plan, facts, stand_in)
    runs = max(_FEW_RUNS, min(RUNS, _MOST_SCORES // (sets * plan.h)))
    return _chance(chance_of(of, plan, runs).all_found, words)


def _counts_in_sets(plan: SubspacesPlan, facts: Facts, stand_in: Table | None) -> tuple[Field, str]:
    relation = Relation(facts.neighbors, facts.rows)
    if stand_in is None or plan.family.count > _MOST_COUNTED:
        return graded_field(plan.family, plan.definition, relation), GRADED
    rows = public_rows_for(facts, stand_in)
    within = plan.definition.within
    counts = [
        outliers_among(rows.rows.part(one, within), rows.scaled(plan.definition, len(one))) * rows.stands_for
        for one in plan.family
    ]
    return field_of_counts(plan.family, plan.definition, relation, np.array(counts, dtype=np.int64)), rows.words


def _of_report(plan: ReportPlan, facts: Facts, stand_in: Table | None) -> Expected:
    """The chance of its search, and the error of a count in a set of the most columns it may name."""
    found, rows = _of_search(plan.finding, facts, stand_in), _rows_to_count(facts, stand_in)
    largest = max(plan.finding.family.one_of_each_size, key=len)
    counted = plan.of_set(largest, rows.table)
    if isinstance(counted.noise, CappedPair):
        return found
    error = _error(count_error(rows, plan, [largest]), _source(counted, rows))
    return replace(error, chance=found.chance, chance_from=found.chance_from)


def _rows_to_count(facts: Facts, stand_in: Table | None) -> StandIn:
    return made_up(facts, "cautious") if stand_in is None else public_rows_for(facts, stand_in)


def _rows_near(facts: Facts, stand_in: Table | None, *, among_rows: bool = False) -> StandIn:
    """All public rows: counting those near a few points takes little."""
    if stand_in is None:
        return made_up_near(facts, among_rows=among_rows)
    return StandIn(stand_in, public_rows(stand_in).words)
