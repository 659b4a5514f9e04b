"""Whether this machine has room for a question, from public facts: looked at before anything is charged."""

from collections.abc import Iterator

from eremite.queries.count import CountPlan
from eremite.queries.groups import CountByPlan
from eremite.queries.plan import Plan
from eremite.queries.reach import ByReach, Capped
from eremite.queries.report import ReportPlan
from eremite.reach import require_room
from eremite.table import DeclaredTable
from eremite.tiles import TiledTable


def require_room_for(plan: Plan, table: DeclaredTable) -> None:
    """Refuse a question whose counts of bounded reach may take more memory than this machine has.

    Of a table elsewhere, as many rows come here as this machine shall have room for.
    """
    rows = table.most_low_rows if isinstance(table, TiledTable) else table.facts.rows
    for count in _counts(plan, table):
        if isinstance(count.noise, ByReach):
            both = not isinstance(count.noise, Capped)
            require_room(rows, len(count.columns), count.definition.min_neighbors, both_sides=both)


def _counts(plan: Plan, table: DeclaredTable) -> Iterator[CountPlan | CountByPlan]:
    """The counts that a question may make."""
    if isinstance(plan, CountPlan | CountByPlan):
        yield plan
    if isinstance(plan, ReportPlan):
        yield from (plan.of_set(one, table) for one in plan.finding.family.one_of_each_size)
