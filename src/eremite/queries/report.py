"""Where outliers gather and how many there are: subspaces first, then a count in each (the paper's Scenario 2)."""

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import ClassVar

from eremite.ledger import Cost
from eremite.outliers import Subspace
from eremite.privacy import Privacy, checked_delta, checked_epsilon
from eremite.queries.count import CountPlan, CountQuery, per_row
from eremite.queries.fields import Epsilon
from eremite.queries.plan import Progress, WithDefinition
from eremite.queries.reach import Between
from eremite.queries.subspaces import FamilyFields, SubspacesPlan, SubspacesQuery
from eremite.release import Parameters, Value
from eremite.table import DeclaredTable
from eremite.tiles import AnyTable

#: The share of epsilon that finding the subspaces gets, with all of delta; the counts share the rest evenly.
FINDING_SHARE = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuery(FamilyFields):
    """In which sets of columns are the most outliers, and how many in each. Give one of size, max_size, subspaces."""

    name: ClassVar[str] = "outlier_report"

    epsilon: Epsilon

    def plan(self, table: DeclaredTable) -> "ReportPlan":
        """Check the question and split its budget, from public facts only."""
        privacy = Privacy(checked_epsilon(self.epsilon), checked_delta(self.delta))
        share = privacy.epsilon * FINDING_SHARE
        asked = {field.name: getattr(self, field.name) for field in fields(FamilyFields)}
        finding = SubspacesQuery(**(asked | {"epsilon": share, "delta": privacy.delta})).plan(table)
        each_count = checked_epsilon((privacy.epsilon - share) / self.h)
        per_row(Privacy(each_count), table.rows_per_person)  # refuses now what would not fit later
        query = replace(self, subspaces=finding.query.subspaces, epsilon=privacy.epsilon, delta=privacy.delta)
        return ReportPlan(query, finding, each_count)


@dataclass(frozen=True, slots=True)
class ReportPlan(WithDefinition):
    """One total for all steps: what finding spends, and h times what a count spends (claim R1)."""

    query: ReportQuery
    finding: SubspacesPlan
    each_count: Fraction  # epsilon

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that subspaces are made of."""
        return self.finding.columns

    @property
    def privacy(self) -> Privacy:
        """The sum of all steps."""
        return self.finding.privacy + Privacy(self.finding.h * self.each_count)

    @property
    def cost(self) -> Cost:
        """The cost as the ledger counts it: finding, and h pure counts."""
        rho = self.finding.cost.rho + self.finding.h * self.each_count**2 / 2
        return Cost(epsilon=self.privacy.epsilon, delta=self.privacy.delta, rho=rho)

    @property
    def mechanism(self) -> str:
        """How a subspace is drawn; counts have the mechanism that `auto` chooses for them."""
        return self.finding.mechanism

    @property
    def parameters(self) -> Parameters:
        """How many are named, among which, and how they are scored."""
        return self.finding.parameters

    def compute(self, table: AnyTable, progress: Progress | None = None) -> Value | Between:
        """The subspaces in the order drawn, each with its noisy count."""
        found = self.finding.compute(table, progress)
        counted = [self.of_set(subspace, table).counted(table) for subspace in found]
        value = tuple((subspace, count) for subspace, (count, _) in zip(found, counted, strict=True))
        return Between.of(value, [drawn for _, drawn in counted])

    def of_set(self, subspace: Subspace, table: DeclaredTable) -> CountPlan:
        """How the outliers in one set of columns are counted. Public."""
        return CountQuery(definition=self.definition, columns=subspace, epsilon=self.each_count).plan(table)
