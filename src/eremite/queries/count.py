"""How many rows are outliers in these columns (`count.proof.md`)."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from eremite.engines import d_of
from eremite.errors import InputError
from eremite.intervals import as_arb, at_most
from eremite.ledger import Cost
from eremite.mechanisms import BoundedMechanism, Mechanism, ReachGaussian
from eremite.outliers import OutlierDefinition
from eremite.outliers.counting import outliers_among
from eremite.privacy import SMALLEST_EPSILON, Privacy, checked_delta, checked_epsilon, shown
from eremite.queries.choice import NAMES, both_sides, chosen, for_bound, is_pure
from eremite.queries.fields import (
    FROM_JSON,
    Columns,
    Confidence,
    Definition,
    Delta,
    Epsilon,
    MechanismName,
    Reach,
    RowsToo,
)
from eremite.queries.fit import relation_of, require_choice, require_fit
from eremite.queries.plan import Progress, WithDefinition
from eremite.queries.reach import NAMES as BY_REACH
from eremite.queries.reach import (
    PAIR,
    Between,
    BothSides,
    ByReach,
    Capped,
    CappedPairAndRows,
    checked_confidence,
    for_count,
    for_pair,
    for_pair_and_rows,
    require_interval,
    require_reach,
)
from eremite.reach import usual_reach, usual_reach_above
from eremite.release import Parameters, Value
from eremite.sensitivity import count_with_bound
from eremite.sensitivity.relation import Relation
from eremite.table import DeclaredTable
from eremite.tiles import AnyPart, AnyTable

Noise = BoundedMechanism | ByReach


@dataclass(frozen=True, slots=True, kw_only=True)
class CountQuery:
    """How many rows are outliers."""

    name: ClassVar[str] = "count_outliers"
    __pydantic_config__ = FROM_JSON

    definition: Definition
    columns: Columns = None
    epsilon: Epsilon
    delta: Delta = 0
    mechanism: MechanismName = "auto"
    reach: Reach = None
    confidence: Confidence = None
    rows: RowsToo = None

    def plan(self, table: DeclaredTable) -> "CountPlan":
        """Check the question and choose its mechanism, from public facts only."""
        privacy = Privacy(checked_epsilon(self.epsilon), checked_delta(self.delta))
        columns = table.choose(self.columns)
        require_fit(self.definition, table)
        require_choice("mechanism", self.mechanism, NAMES)
        require_reach(self.reach, self.mechanism, columns)
        if self.rows and table.neighbors == "replace":
            raise InputError(
                'rows is for neighbors "add-remove": here the number of rows is public, and free; leave it out.'
            )
        confidence = checked_confidence(self.confidence)
        asked = replace(
            self,
            columns=columns,
            epsilon=privacy.epsilon,
            delta=privacy.delta,
            confidence=None if self.confidence is None else confidence,
            rows=self.rows or None,
        )
        name, noise = _noise(asked, privacy, table)
        if self.rows and not isinstance(noise, CappedPairAndRows):
            raise InputError(
                f"rows is for counts from both sides, and this one gets {name}: leave it out, and ask count_rows."
            )
        require_interval(self.confidence, name, noise)
        return CountPlan(
            query=asked,
            privacy=Privacy(privacy.epsilon) if is_pure(name) else privacy,
            mechanism=name,
            noise=noise,
            confidence=confidence,
        )


def _noise(asked: CountQuery, privacy: Privacy, table: DeclaredTable) -> tuple[str, Noise]:
    """The noise of a count whose columns are settled, with the name of its mechanism."""
    each_row, relation = per_row(privacy, table.rows_per_person), relation_of(table)
    columns, name = len(tuple(asked.columns or ())), asked.mechanism
    k = asked.definition.min_neighbors
    if name == "auto":
        name = "reach" if asked.reach is not None else chosen(each_row, relation, columns, k)
    if name not in (*BY_REACH, PAIR):
        return name, for_bound(name, each_row, relation, columns, k)
    reach = asked.reach or usual_reach(relation.rows, columns, asked.definition, each_row.epsilon, table.neighbors)
    names = BY_REACH if asked.mechanism == "auto" and privacy.delta else (name,)
    one_side = None if name == PAIR else for_count(names, reach, privacy, table.neighbors, table.rows_per_person)
    at_will = asked.mechanism == "auto" and both_sides(relation, columns, asked.definition.radius)
    if one_side is not None and (one_side.mechanism == "reach-gaussian" or not at_will):
        return one_side.mechanism, one_side
    above = usual_reach_above(relation.rows, columns, each_row.epsilon)
    if asked.rows:
        return PAIR, for_pair_and_rows(reach, above, privacy.epsilon, table.rows_per_person)
    return PAIR, for_pair(reach, above, privacy.epsilon, table.neighbors, table.rows_per_person)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPlan(WithDefinition):
    """A count that can be answered, and the noise it gets."""

    query: CountQuery
    privacy: Privacy
    mechanism: str
    noise: Noise
    confidence: Fraction  # how often the interval holds the true count
    parameters: ClassVar[Parameters] = ()

    @property
    def cost(self) -> Cost:
        """The cost as the ledger counts it."""
        if isinstance(self.noise, Capped) and isinstance(self.noise.noise, ReachGaussian):
            return Cost(epsilon=self.privacy.epsilon, delta=self.privacy.delta, rho=self.noise.noise.rho)
        return Cost.approximate(self.privacy.epsilon, self.privacy.delta)

    def compute(self, table: AnyTable, progress: Progress | None = None) -> Value | Between:
        """The noisy count, 0 or more, and at most N where N is public. Private with `privacy`, once charged."""
        count, drawn = self.counted(table, progress)
        return Between.of(count, [drawn])

    def counted(self, table: AnyTable, progress: Progress | None = None) -> tuple[int, BothSides | None]:
        """The same count, and what was drawn, if from both sides."""
        part = table.part(self.columns, self.definition.within)
        count, drawn = noisy(part, self.definition, self.noise, relation_of(table), self.confidence, progress)
        return clamped(count, table), drawn


def noisy(
    part: AnyPart,
    definition: OutlierDefinition,
    noise: Noise,
    relation: Relation,
    confidence: Fraction,
    progress: Progress | None = None,
) -> tuple[int, BothSides | None]:
    """The count of the rows that take part, with its noise, not clamped; and what was drawn, if from both sides.

    Then it lies in the interval that holds the true count so often.
    """
    if not isinstance(noise, ByReach):
        return noise.draw(*counted(part, definition, noise, relation, progress)), None
    count, drawn = noise.draw(part, definition, relation.rows, confidence)
    if progress is not None:
        progress(1)
    return count, drawn


def counted(
    part: AnyPart, definition: OutlierDefinition, noise: Mechanism, relation: Relation, progress: Progress | None = None
) -> tuple[int, Fraction]:
    """The exact count of the rows that take part, and the bound that the noise is scaled by. As private as the rows."""
    if noise.decay is not None:
        return count_with_bound(part.points, definition, noise.decay, relation, part.starts, progress)
    bound, count = relation.most_moved(d_of(part.points), definition.min_neighbors), outliers_among(part, definition)
    if progress is not None:
        progress(1)
    return count, Fraction(bound)


def clamped(drawn: int, table: DeclaredTable) -> int:
    """A drawn count as it is released: 0 or more, and at most N where that is public."""
    at_least = max(drawn, 0)
    return min(at_least, table.n_rows) if table.neighbors == "replace" else at_least


def per_row(privacy: Privacy, rows_per_person: int) -> Privacy:
    """What one row may spend so that m of them together spend `privacy` (claim P2).

    epsilon / m, and delta (e^(epsilon / m) - 1) / (e^epsilon - 1), rounded down.
    """
    m = rows_per_person
    epsilon = privacy.epsilon / m
    if epsilon < SMALLEST_EPSILON:
        raise InputError(
            f"With {m} rows a person, epsilon {shown(privacy.epsilon)} leaves a row less than 0.000001: "
            "the answer would be nothing but noise; ask for more."
        )
    if m == 1 or privacy.delta == 0:
        return Privacy(epsilon, privacy.delta)
    share = at_most(lambda: (as_arb(epsilon).exp() - 1) / (as_arb(privacy.epsilon).exp() - 1), 64)
    return Privacy(epsilon, privacy.delta * share)
