"""How many outliers each group of rows has, among its own rows (`groups.proof.md`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from eremite.errors import InputError
from eremite.ledger import Cost
from eremite.names import quote_name
from eremite.privacy import Privacy, checked_epsilon
from eremite.queries.choice import both_sides, chosen, for_bound
from eremite.queries.count import Noise, noisy, per_row
from eremite.queries.fields import FROM_JSON, By, Columns, Confidence, Definition, Epsilon, Reach
from eremite.queries.fit import relation_of, require_fit
from eremite.queries.plan import Progress, WithDefinition
from eremite.queries.reach import (
    PAIR,
    Between,
    BothSides,
    checked_confidence,
    for_groups,
    for_groups_of_pairs,
    require_interval,
    require_reach,
)
from eremite.reach import usual_reach, usual_reach_above
from eremite.release import ByGroup, Parameters, Value
from eremite.sensitivity.relation import Relation
from eremite.table import DeclaredTable
from eremite.tiles import AnyTable


@dataclass(frozen=True, slots=True, kw_only=True)
class CountByQuery:
    """How many outliers each group of rows has: one count for each declared value, or combination of values."""

    name: ClassVar[str] = "count_outliers_by"
    __pydantic_config__ = FROM_JSON

    definition: Definition
    by: By
    columns: Columns = None
    epsilon: Epsilon
    reach: Reach = None
    confidence: Confidence = None

    def plan(self, table: DeclaredTable) -> "CountByPlan":
        """Check the question and choose its mechanism, from public facts only."""
        privacy = Privacy(checked_epsilon(self.epsilon))
        columns, by = table.choose(self.columns), checked_by(self.by, table)
        require_fit(self.definition, table)
        for name in by:
            if name in self.definition.within:
                raise InputError(
                    f"Column {quote_name(name)} is in both by and within; rows of a group agree on it anyway, so leave "
                    "it out of within."
                )
        table.combinations((*by, *self.definition.within))  # refuses too many before anything is charged
        require_reach(self.reach, "auto", columns)
        confidence = checked_confidence(self.confidence)
        asked, groups = replace(self, by=by, columns=columns, epsilon=privacy.epsilon), table.group_names(by)
        if self.confidence is not None:
            asked = replace(asked, confidence=confidence)
        mechanism, noise = _noise(asked, privacy, table, len(groups))
        require_interval(self.confidence, mechanism, noise)
        return CountByPlan(
            query=asked, groups=groups, privacy=privacy, mechanism=mechanism, noise=noise, confidence=confidence
        )


def _noise(asked: CountByQuery, privacy: Privacy, table: DeclaredTable, groups: int) -> tuple[str, Noise]:
    """The noise of each group, with the name of its mechanism."""
    relation, columns = of_groups(table), len(tuple(asked.columns or ()))
    each = Privacy(per_row(privacy, table.rows_per_person).epsilon / steps_of(table))
    k = asked.definition.min_neighbors
    name = "reach" if asked.reach is not None else chosen(each, relation, columns, k)
    if name != "reach":
        return name, for_bound(name, each, relation, columns, k)
    rows = max(1, relation.rows // groups)
    reach = asked.reach or usual_reach(rows, columns, asked.definition, each.epsilon, relation.neighbors)
    protected = (privacy.epsilon, table.neighbors, table.rows_per_person, groups)
    if not both_sides(relation, columns, asked.definition.radius):
        return name, for_groups(reach, *protected)
    return PAIR, for_groups_of_pairs(reach, usual_reach_above(rows, columns, each.epsilon), *protected)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountByPlan(WithDefinition):
    """Counts of groups that can be answered, and the noise that each of them gets."""

    query: CountByQuery
    groups: tuple[tuple[str | int | bool, ...], ...]
    privacy: Privacy
    mechanism: str
    noise: Noise
    confidence: Fraction  # how often the interval of one group holds its true count

    @property
    def by(self) -> tuple[str, ...]:
        """The columns whose values make a group."""
        return tuple(self.query.by)

    @property
    def cost(self) -> Cost:
        """The cost as the ledger counts it: all groups together (claim B1)."""
        return Cost.pure(self.privacy.epsilon)

    @property
    def parameters(self) -> Parameters:
        """The columns whose values make a group."""
        return (("by", self.by),)

    def compute(self, table: AnyTable, progress: Progress | None = None) -> Value | Between:
        """A noisy count for each group, 0 or more. Differentially private with `privacy`, once charged."""
        parts = table.groups(self.columns, self.by, self.definition.within)
        counts, drawn = list[int](), list[BothSides | None]()
        for part in parts:
            count, bounds = noisy(part, self.definition, self.noise, of_groups(table), self.confidence)
            counts.append(max(count, 0))
            drawn.append(bounds)
            if progress is not None:
                progress(len(counts))
        return Between.of(ByGroup.of(self.groups, counts), drawn)


def checked_by(by: object, table: DeclaredTable) -> tuple[str, ...]:
    """The columns of `by`, one or several, each with categories."""
    names: Sequence[str] = [by] if isinstance(by, str) else by  # type: ignore[assignment]
    if not isinstance(names, list | tuple) or not names:
        raise InputError("by must be a column with categories, or a list of such columns.")
    return table.choose_within(names)


def of_groups(table: DeclaredTable) -> Relation:
    """Rows come to a group and go, whatever the relation between tables is: the size of a group is private."""
    return Relation("add-remove", relation_of(table).rows)


def steps_of(table: DeclaredTable) -> int:
    """Into how many steps of coming and going a step between tables falls: a replaced row leaves and enters a group."""
    return 2 if table.neighbors == "replace" else 1
