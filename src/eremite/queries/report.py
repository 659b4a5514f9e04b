"""Where outliers gather and how many there are: subspaces first, then a count in each (the paper's Scenario 2)."""

from dataclasses import dataclass
from fractions import Fraction

from eremite.ledger import Cost
from eremite.outliers import OutlierDefinition, Subspace, Subspaces
from eremite.privacy import Privacy, checked_delta, checked_epsilon
from eremite.queries.count import compute_count, per_row, plan_count
from eremite.queries.subspaces import Progress, SubspacesPlan, compute_subspaces, plan_subspaces
from eremite.table import Table

#: The share of epsilon that finding the subspaces gets, with all of delta; the counts share the rest evenly.
FINDING_SHARE = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class ReportPlan:
    """One total for all steps: what finding spends, and h times what a count spends (claim R1)."""

    finding: SubspacesPlan
    each_count: Fraction  # epsilon

    @property
    def privacy(self) -> Privacy:
        """The sum of all steps."""
        return self.finding.privacy + Privacy(self.finding.h * self.each_count)

    @property
    def cost(self) -> Cost:
        """As the ledger counts it: finding, and h pure counts."""
        rho = self.finding.cost.rho + self.finding.h * self.each_count**2 / 2
        return Cost(epsilon=self.privacy.epsilon, delta=self.privacy.delta, rho=rho)


def plan_report(
    table: Table, definition: OutlierDefinition, family: Subspaces, h: int, epsilon: object, delta: object
) -> ReportPlan:
    """Check a request and split its budget. Of the table only the public facts are looked at."""
    privacy = Privacy(checked_epsilon(epsilon), checked_delta(delta))
    share = privacy.epsilon * FINDING_SHARE
    finding = plan_subspaces(table, definition, family, h, share, privacy.delta, "auto", "permute-and-flip")
    each_count = checked_epsilon((privacy.epsilon - share) / h)
    per_row(Privacy(each_count), table.rows_per_person)  # refuses now what would not fit later
    return ReportPlan(finding, each_count)


def compute_report(
    table: Table, plan: ReportPlan, progress: Progress | None = None
) -> tuple[tuple[Subspace, int], ...]:
    """The subspaces in the order drawn, each with its noisy count."""
    found = compute_subspaces(table, plan.finding, progress)
    return tuple((subspace, _count(table, plan, subspace)) for subspace in found)


def _count(table: Table, plan: ReportPlan, subspace: Subspace) -> int:
    definition = plan.finding.definition
    return compute_count(table, plan_count(table, definition, subspace, plan.each_count, 0, "auto"))
