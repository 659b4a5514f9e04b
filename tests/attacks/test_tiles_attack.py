"""What leaves of a table in tiles must be what leaves of one in memory: also refusals, and when they come."""

from eremite.outliers import OutlierDefinition
from eremite.queries.groups import CountByQuery
from eremite.table import Table
from eremite.table.rules import CellRules
from tests.refusals import refused
from tests.tiled import tiled

_WITHIN = tuple(f"x{i}" for i in range(62))


def _tables():
    columns = {"a": [0.1, 0.2, 0.9], "by": [0, 1, 2]} | {name: [0, 1, 1] for name in _WITHIN}
    rules = CellRules.of({"a": (0, 1)}, categories={"by": [0, 1, 2]} | {name: [0, 1] for name in _WITHIN})
    return Table.from_columns(columns, rules, place="the frame"), tiled(columns, rules)


def test_groups_and_strata_with_more_codes_than_fit_are_refused_wherever_the_rows_are() -> None:
    for table in _tables():
        assert "too many combinations" in refused(lambda table=table: table.groups(["a"], ["by"], _WITHIN))


def test_groups_and_strata_with_more_codes_than_fit_are_refused_before_they_are_charged() -> None:
    definition = OutlierDefinition(min_neighbors=1, radius=0.1, within=_WITHIN)
    for table in _tables():
        query = CountByQuery(definition=definition, by=["by"], epsilon=1)
        assert "too many combinations" in refused(lambda table=table, query=query: query.plan(table))
