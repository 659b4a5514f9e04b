"""A private table behind a privacy budget."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from uuid import uuid4

from numpy.typing import ArrayLike

from eremite.errors import InputError
from eremite.ledger import MemoryLedger
from eremite.outliers import OutlierDefinition
from eremite.privacy import Privacy, checked_budget
from eremite.queries.count import compute_count, plan_count
from eremite.queries.detection import compute_detection, plan_detection
from eremite.queries.report import compute_report, plan_report
from eremite.queries.screening import plan_screening
from eremite.queries.subspaces import Progress, Selection, Utility, compute_subspaces, family_of, plan_subspaces
from eremite.release import Parameter, Release, Value
from eremite.session.screen import Screen
from eremite.table import Table
from eremite.version import __version__

#: Taken as written: 0.1 is 1/10.
Number = Fraction | Decimal | float | int | str


class Session:
    """Answers questions about one table, and spends at most `epsilon` and `delta` on all of them together.

    Protected: every row, or all rows of a person if the table says how many those can be. Public: the number of rows,
    the columns, their bounds, every request and every `Release`. Every request is checked first, then charged, and only
    then is a row looked at: one that does not fit, or that the budget does not cover, costs nothing. The budget lives
    as long as the session.
    """

    def __init__(self, table: Table, *, epsilon: Number, delta: Number = 0) -> None:
        if not isinstance(table, Table):
            raise InputError("Session needs a Table; make one with Table.from_frame, or use eremite.open.")
        self._table = table
        self._ledger = MemoryLedger(checked_budget(epsilon, delta))

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

        Differentially private with `epsilon`, and `delta` if the mechanism uses one; which one runs is chosen from
        public facts. Proofs: `queries/count.proof.md`. Cost: two to three times that of an exact count.
        """
        plan = plan_count(self._table, definition, columns, epsilon, delta, mechanism)
        return self._release(
            "count_outliers",
            plan.definition,
            plan.columns,
            plan.privacy,
            plan.mechanism,
            lambda: compute_count(self._table, plan),
        )

    def top_subspaces(
        self,
        definition: OutlierDefinition,
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: Number,
        delta: Number = 0,
        utility: Utility = "auto",
        selection: Selection = "permute-and-flip",
        progress: Progress | None = None,
    ) -> Release:
        """The h sets of columns with the most outliers, in the order drawn, among a public family of them.

        The family is all sets of `size` columns, all of up to `max_size`, or a list. Differentially private with
        `epsilon`; a `delta` is used, for exponential draws composed by zCDP, where that gives each draw more. Proofs:
        `queries/subspaces.proof.md`. Cost: a count for each subspace, and a close look at those that may win.
        `progress` is told how many subspaces were counted: for the custodian, since how soon depends on the rows.
        """
        family = family_of(self._table, size, max_size, subspaces)
        plan = plan_subspaces(self._table, definition, family, h, epsilon, delta, utility, selection)
        return self._release(
            "top_subspaces",
            plan.definition,
            family.columns,
            plan.privacy,
            f"{plan.utility}, {plan.selection}",
            lambda: compute_subspaces(self._table, plan, progress),
            h=h,
            family=family.in_words,
        )

    def outlier_report(
        self,
        definition: OutlierDefinition,
        h: int,
        *,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: Number,
        delta: Number = 0,
        progress: Progress | None = None,
    ) -> Release:
        """The h sets of columns with the most outliers, each with its noisy count: one plan, one total.

        Half of `epsilon` finds the subspaces, the other half is shared by the h counts; together they spend `epsilon`,
        and `delta` if finding used it. Proof: R1 of `queries/subspaces.proof.md`. `progress` as in `top_subspaces`.
        """
        family = family_of(self._table, size, max_size, subspaces)
        plan = plan_report(self._table, definition, family, h, epsilon, delta)
        return self._release(
            "outlier_report",
            definition,
            family.columns,
            plan.privacy,
            f"{plan.finding.utility}, {plan.finding.selection}; counts: auto",
            lambda: compute_report(self._table, plan, progress),
            h=h,
            family=family.in_words,
        )

    def detect_outliers(
        self,
        definition: OutlierDefinition,
        *,
        candidates: ArrayLike | None,
        h: int,
        columns: Iterable[str] | None = None,
        epsilon: Number,
    ) -> Release:
        """Which h of the candidates have the fewest rows within the radius: their places from 0, in the order drawn.

        Candidates are public points in the table's own units, one a row, a column for each of `columns`. With
        `candidates=None` they are the rows of the table, and the answer is close to a random pick; the release says how
        close. Differentially private with `epsilon`. Proofs: `queries/detection.proof.md`.
        """
        plan = plan_detection(self._table, definition, candidates, h, columns, epsilon)
        return self._release(
            "detect_outliers",
            plan.definition,
            plan.columns,
            plan.privacy,
            plan.selection,
            lambda: compute_detection(self._table, plan),
            h=h,
            candidates=plan.candidates_in_words,
        )

    def is_outlier(
        self,
        definition: OutlierDefinition,
        *,
        most_yes: int,
        columns: Iterable[str] | None = None,
        epsilon: Number,
    ) -> Screen:
        """Open a screen that says of points, as they come, whether they would be outliers.

        As many "no" as it takes and `most_yes` times "yes", all together for one `epsilon`, charged now. Proof: K3 of
        `queries/detection.proof.md`.
        """
        plan = plan_screening(self._table, definition, most_yes, columns, epsilon)
        self._ledger.charge(plan.privacy)
        return Screen(self._table, plan, self._neighbours)

    def _release(
        self,
        query: str,
        definition: OutlierDefinition,
        columns: tuple[str, ...],
        privacy: Privacy,
        mechanism: str,
        compute: Callable[[], Value],
        **parameters: Parameter,
    ) -> Release:
        """Charge, then compute. The time is that of the charge: how long the rest took depends on the rows."""
        self._ledger.charge(privacy)
        charged_at = datetime.now(UTC)
        return Release(
            value=compute(),
            query=query,
            columns=columns,
            definition=definition,
            epsilon=privacy.epsilon,
            delta=privacy.delta,
            mechanism=mechanism,
            neighbours=self._neighbours,
            parameters=tuple(parameters.items()),
            request_id=uuid4().hex,
            time=charged_at,
            version=__version__,
        )

    @property
    def _neighbours(self) -> str:
        if self.rows_per_person == 1:
            return "one row replaced"
        return f"all rows of one person replaced, {self.rows_per_person} at most"

    def __repr__(self) -> str:
        return f"Session({self._table!r}, remaining: {self.remaining})"
