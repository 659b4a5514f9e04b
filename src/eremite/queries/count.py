"""How many rows are outliers in these columns (`count.proof.md`)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from eremite.errors import InputError
from eremite.intervals import as_arb, at_most
from eremite.ledger import Cost
from eremite.mechanisms import Mechanism
from eremite.outliers import OutlierDefinition, count_outliers
from eremite.privacy import SMALLEST_EPSILON, Privacy, checked_delta, checked_epsilon, shown
from eremite.queries.choice import NAMES, by_name, chosen, is_pure
from eremite.queries.fit import require_fit
from eremite.sensitivity import count_with_bound, most_moved
from eremite.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPlan:
    """A count that can be answered: what it asks, what it spends, with which noise. Made from public facts only."""

    definition: OutlierDefinition
    columns: tuple[str, ...]
    privacy: Privacy  # of a person, with all rows this person has
    mechanism: str
    noise: Mechanism

    @property
    def cost(self) -> Cost:
        """As the ledger counts it."""
        return Cost.approximate(self.privacy.epsilon, self.privacy.delta)


def plan_count(
    table: Table,
    definition: OutlierDefinition,
    columns: Iterable[str] | None,
    epsilon: object,
    delta: object,
    mechanism: str,
) -> CountPlan:
    """Check a request and choose its mechanism. Of the table only the public facts are looked at."""
    privacy = Privacy(checked_epsilon(epsilon), checked_delta(delta))
    names = table.choose(columns)
    require_fit(definition, table.n_rows)
    if mechanism not in NAMES:
        raise InputError(f"mechanism must be one of {', '.join(NAMES)}.")
    each_row = per_row(privacy, table.rows_per_person)
    most = most_moved(table.n_rows, len(names), definition.min_neighbors)
    name = chosen(each_row, most) if mechanism == "auto" else mechanism
    return CountPlan(
        definition=definition,
        columns=names,
        privacy=Privacy(privacy.epsilon) if is_pure(name) else privacy,
        mechanism=name,
        noise=by_name(name, each_row),
    )


def compute_count(table: Table, plan: CountPlan) -> int:
    """The noisy count, between 0 and N. Differentially private with `plan.privacy`, once that has been charged."""
    points = table.points(plan.columns)
    decay = plan.noise.decay
    if decay is None:
        count = count_outliers(points, plan.definition)
        bound = Fraction(most_moved(table.n_rows, len(plan.columns), plan.definition.min_neighbors))
    else:
        count, bound = count_with_bound(points, plan.definition, decay)
    return min(max(plan.noise.draw(count, bound), 0), table.n_rows)


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
