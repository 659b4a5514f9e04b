"""What to expect of an answer before it is computed, to be shown beside it: from its plan and public facts alone.

Takes milliseconds as a rule and a few seconds at worst, whatever the number of rows is.
"""

from dataclasses import dataclass
from math import ceil

from eremite.forecast.count import expected_error
from eremite.forecast.groups import expected_in, parts_of
from eremite.forecast.stand_in import StandIn, made_up, public_rows_for
from eremite.queries import Plan
from eremite.queries.count import CountPlan
from eremite.queries.groups import CountByPlan
from eremite.queries.rows import RowsPlan
from eremite.table import Facts, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """How far off an answer may be, as far as public rows or made-up ones tell. All of it is public."""

    error: float | None = None  # 95 % of such counts are off by at most this; of several counts, the largest
    chance: float | None = None  # the probability that all that was drawn is right
    source: str  # on which rows it was computed, in words


def expected_of(plan: Plan, facts: Facts, stand_in: Table | None = None) -> Expected | None:
    """What to expect of the answer that follows this plan; None if nothing can be said.

    Args:
        plan: How the question will be answered; decided from public facts.
        facts: What is public about the private table.
        stand_in: Public rows with the same columns and rules; without them, rows are made up.
    """
    match plan:
        case CountPlan():
            rows = _rows_to_count(facts, stand_in)
            return Expected(error=expected_error(rows, plan)[1].most, source=rows.words)
        case CountByPlan():
            rows = _rows_to_count(facts, stand_in)
            errors = (expected_in(rows, plan, part)[1].most for part in parts_of(rows, plan))
            return Expected(error=max(errors), source=rows.words)
        case RowsPlan():
            return Expected(error=float(ceil(plan.noise.half_width())), source="epsilon alone, whatever the rows are")
        case _:
            return None


def _rows_to_count(facts: Facts, stand_in: Table | None) -> StandIn:
    return made_up(facts, "cautious") if stand_in is None else public_rows_for(facts, stand_in)
