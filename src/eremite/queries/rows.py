"""How many rows there are, or take part in questions about some columns (`rows.proof.md`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from eremite.errors import InputError
from eremite.ledger import Cost
from eremite.mechanisms import GlobalLaplace
from eremite.privacy import Privacy, checked_epsilon
from eremite.queries.count import per_row
from eremite.queries.fields import FROM_JSON, Epsilon, PartColumns
from eremite.queries.plan import Progress
from eremite.release import Parameters, Value
from eremite.table import DeclaredTable
from eremite.tiles import AnyTable

_LEAST = Fraction(1)  # the sensitivity of a number of rows


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsQuery:
    """How many rows there are, or take part in questions about some columns."""

    name: ClassVar[str] = "count_rows"
    __pydantic_config__ = FROM_JSON

    columns: PartColumns = None
    epsilon: Epsilon

    def plan(self, table: DeclaredTable) -> "RowsPlan":
        """Check the question, from public facts only. A number that is public is refused, and costs nothing."""
        privacy = Privacy(checked_epsilon(self.epsilon))
        columns = () if self.columns is None else table.choose(self.columns)
        _require_private(table, columns)
        return RowsPlan(
            query=replace(self, columns=columns or None, epsilon=privacy.epsilon),
            privacy=privacy,
            noise=GlobalLaplace(per_row(privacy, table.rows_per_person).epsilon),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsPlan:
    """A number of rows that can be released, and the noise it gets."""

    query: RowsQuery
    privacy: Privacy
    noise: GlobalLaplace
    mechanism: ClassVar[str] = "global-laplace"
    parameters: ClassVar[Parameters] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in which rows take part; none if all rows are counted."""
        return tuple(self.query.columns or ())

    @property
    def cost(self) -> Cost:
        """The cost as the ledger counts it."""
        return Cost.pure(self.privacy.epsilon)

    def definition_of(self, value: Value) -> None:
        """None: the question is not about outliers."""

    def compute(self, table: AnyTable, progress: Progress | None = None) -> int:
        """The noisy number, at least 0. Differentially private with `privacy`, once that has been charged."""
        return max(self.noise.draw(table.rows_taking_part(self.columns), _LEAST), 0)


def _require_private(table: DeclaredTable, columns: Sequence[str]) -> None:
    """Where a row may be replaced only, the number of rows is public; not that of rows that are left out."""
    if table.neighbors != "replace" or any(table.rules.leaves_out(name) for name in columns):
        return
    where = "" if not columns else ", and none is left out in these columns"
    raise InputError(
        f'The number of rows is public, because neighbors is "replace": there are {table.n_rows:,}{where}. '
        "There is nothing to spend epsilon on."
    )
