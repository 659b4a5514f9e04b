"""A private table behind a privacy budget."""

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from uuid import uuid4

from eremite.errors import InputError
from eremite.ledger import MemoryLedger
from eremite.outliers import OutlierDefinition
from eremite.privacy import Privacy, checked_delta, positive
from eremite.queries import compute_count, plan_count
from eremite.release import Release
from eremite.table import Table, open_table, read_description
from eremite.version import __version__

#: Taken as written: 0.1 is 1/10.
Number = Fraction | Decimal | float | int | str


class Session:
    """Answers questions about one table, and spends at most `epsilon` and `delta` on all of them together.

    Protected: every row, or all rows of a person if the table says how many those can be. Public: the number of rows,
    the columns, their bounds, every request and every `Release`. The budget lives as long as the session.
    """

    def __init__(self, table: Table, *, epsilon: Number, delta: Number = 0) -> None:
        if not isinstance(table, Table):
            raise InputError("Session needs a Table; make one with Table.from_frame, or use eremite.open.")
        self._table = table
        self._ledger = MemoryLedger(Privacy(positive(epsilon, "epsilon"), checked_delta(delta)))

    @property
    def remaining(self) -> Privacy:
        """What is left of the budget."""
        return self._ledger.remaining

    @property
    def n_rows(self) -> int:
        """N, which is public."""
        return self._table.n_rows

    @property
    def rows_per_person(self) -> int:
        """How many rows one person may have, which is public."""
        return self._table.rows_per_person

    def count_outliers(
        self,
        definition: OutlierDefinition,
        columns: Iterable[str] | None = None,
        *,
        epsilon: Number,
        delta: Number = 0,
        mechanism: str = "auto",
    ) -> Release:
        """How many rows are outliers in these columns (default all), with noise: an integer between 0 and N.

        Differentially private with `epsilon`, and `delta` if the mechanism uses one; charged before a row is looked at.
        The mechanism is chosen from public facts. A request that does not fit, or that the budget does not cover,
        costs nothing. Proofs: `queries/count.proof.md`. Cost: two to three times that of an exact count.
        """
        plan = plan_count(self._table, definition, columns, epsilon, delta, mechanism)
        self._ledger.charge(plan.privacy)
        charged_at = datetime.now(UTC)
        return Release(
            value=compute_count(self._table, plan),
            query="count_outliers",
            columns=plan.columns,
            definition=plan.definition,
            epsilon=plan.privacy.epsilon,
            delta=plan.privacy.delta,
            mechanism=plan.mechanism,
            neighbours=_neighbours(self._table.rows_per_person),
            request_id=uuid4().hex,
            time=charged_at,
            version=__version__,
        )

    def __repr__(self) -> str:
        return f"Session({self._table!r}, remaining: {self.remaining})"


def open_session(path: str | Path) -> Session:
    """A session on the table of a description file, with the budget set there."""
    description = read_description(path)
    budget = description.budget
    if budget is None:
        raise InputError(f"{path} sets no budget; add [budget] with epsilon before asking.")
    return Session(open_table(description), epsilon=budget.epsilon, delta=budget.delta)


def _neighbours(rows_per_person: int) -> str:
    if rows_per_person == 1:
        return "one row replaced"
    return f"all rows of one person replaced, {rows_per_person} at most"
