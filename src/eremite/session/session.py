"""A private table behind a privacy budget."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, Self
from uuid import uuid4

from eremite.errors import InputError
from eremite.ledger import Account, BudgetTimeline, Cost, Ledger, MemoryStore, Reserved, Stored, open_ledger
from eremite.outliers import OutlierDefinition
from eremite.privacy import Privacy, checked_budget
from eremite.queries.count import compute_count, plan_count
from eremite.queries.detection import compute_detection, plan_detection
from eremite.queries.radius import compute_radius, plan_radius
from eremite.queries.report import compute_report, plan_report
from eremite.queries.screening import plan_screening
from eremite.queries.subspaces import Progress, Selection, Utility, compute_subspaces, family_of, plan_subspaces
from eremite.release import Parameter, Release, Value
from eremite.session.forecasts import Forecasts, Number
from eremite.session.request import Request
from eremite.session.screen import Screen
from eremite.table import Table


class Plan(Protocol):
    """What a question spends."""

    @property
    def privacy(self) -> Privacy: ...

    @property
    def cost(self) -> Cost: ...


class Session(Forecasts):
    """Answers questions about one table, and spends at most `epsilon` and `delta` on all of them together.

    Protected: every row, or all rows of a person if the table says how many those can be. Public: the number of rows,
    the columns, their bounds, every request and every `Release`. Every request is checked first, then charged, and only
    then is a row looked at: one that does not fit, or that the budget does not cover, costs nothing. A request under an
    id that was answered before gives that answer again, and costs nothing.

    The budget lives as long as the session; with a `ledger` (a file, a postgresql:// URL, or a `Ledger`) it outlives
    it, and all sessions on the same `dataset` share it. There the cap is the ledger's, once it has one.
    """

    def __init__(
        self,
        table: Table,
        *,
        epsilon: Number,
        delta: Number = 0,
        ledger: Ledger | str | Path | None = None,
        account: str = "analyst",
        dataset: str = "table",
        stand_in: Table | None = None,
    ) -> None:
        if not isinstance(table, Table):
            raise InputError("Session needs a Table; make one with Table.from_frame, or use eremite.open.")
        cap = checked_budget(epsilon, delta)
        super().__init__(table.bounds, table.n_rows, table.rows_per_person, stand_in)
        self._table = table
        self._account = Account(dataset, account)
        self._ledger = _ledger(ledger)
        self._ledger.open_dataset(dataset, cap, table.rows_per_person)

    @property
    def remaining(self) -> Privacy:
        """What one more release may ask for at most: of epsilon, if it has no delta, and of delta."""
        return self._ledger.remaining(self._account).privacy

    @property
    def remaining_in_words(self) -> str:
        """What is left of the account's budget and of the dataset's."""
        return self._ledger.remaining(self._account).words

    @property
    def budget_timeline(self) -> BudgetTimeline:
        """How the budget came to where it is: the dataset's and this account's. Its `plot()` draws it."""
        return self._ledger.timeline(self._account.dataset, self._account.analyst)

    def count_outliers(
        self,
        definition: OutlierDefinition,
        columns: Iterable[str] | None = None,
        *,
        epsilon: Number,
        delta: Number = 0,
        mechanism: str = "auto",
        request_id: str | None = None,
    ) -> Release:
        """How many rows are outliers in these columns (default all), with noise: an integer between 0 and N.

        Differentially private with `epsilon`, and `delta` if the mechanism uses one; which one runs is chosen from
        public facts. Proofs: `queries/count.proof.md`. Cost: two to three times that of an exact count.
        """
        plan = plan_count(self._table, definition, columns, epsilon, delta, mechanism)
        request = self._request(
            "count_outliers",
            plan.definition,
            plan.columns,
            plan,
            plan.mechanism,
        )
        return self._answer(request, request_id, lambda: compute_count(self._table, plan))

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
        request_id: str | None = None,
    ) -> Release:
        """The h sets of columns with the most outliers, in the order drawn, among a public family of them.

        The family is all sets of `size` columns, all of up to `max_size`, or a list. Differentially private with
        `epsilon`; a `delta` is used, for exponential draws composed by zCDP, where that gives each draw more. Proofs:
        `queries/subspaces.proof.md`. Cost: a count for each subspace, and a close look at those that may win.
        `progress` is told how many subspaces were counted: for the custodian, since how soon depends on the rows.
        """
        family = family_of(self._table, size, max_size, subspaces)
        plan = plan_subspaces(self._table, definition, family, h, epsilon, delta, utility, selection)
        request = self._request(
            "top_subspaces",
            plan.definition,
            family.columns,
            plan,
            f"{plan.utility}, {plan.selection}",
            parameters=(("h", h), ("family", family.in_words)),
            detail=repr(family),
        )
        return self._answer(request, request_id, lambda: compute_subspaces(self._table, plan, progress))

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
        request_id: str | None = None,
    ) -> Release:
        """The h sets of columns with the most outliers, each with its noisy count: one plan, one total.

        Half of `epsilon` finds the subspaces, the other half is shared by the h counts; together they spend `epsilon`,
        and `delta` if finding used it. Proof: R1 of `queries/subspaces.proof.md`. `progress` as in `top_subspaces`.
        """
        family = family_of(self._table, size, max_size, subspaces)
        plan = plan_report(self._table, definition, family, h, epsilon, delta)
        request = self._request(
            "outlier_report",
            definition,
            family.columns,
            plan,
            f"{plan.finding.utility}, {plan.finding.selection}; counts: auto",
            parameters=(("h", h), ("family", family.in_words)),
            detail=repr(family),
        )
        return self._answer(request, request_id, lambda: compute_report(self._table, plan, progress))

    def detect_outliers(
        self,
        definition: OutlierDefinition,
        *,
        candidates: Any,
        h: int,
        columns: Iterable[str] | None = None,
        epsilon: Number,
        request_id: str | None = None,
    ) -> Release:
        """Which h of the candidates have the fewest rows within the radius: their places from 0, in the order drawn.

        Candidates are public points in the table's own units, one a row. A frame (pandas, polars, Arrow, a mapping from
        names to lists, a structured array) has the chosen `columns` and no other, and is matched by name; an array or a
        list of rows has them in their order. With `candidates=None` they are the rows of the table, and the answer is
        close to a random pick; the release says how close. Differentially private with `epsilon`. Proofs:
        `queries/detection.proof.md`.
        """
        plan = plan_detection(self._table, definition, candidates, h, columns, epsilon)
        request = self._request(
            "detect_outliers",
            plan.definition,
            plan.columns,
            plan,
            plan.selection,
            parameters=(("h", h), ("candidates", plan.candidates_in_words)),
            detail="" if plan.candidates is None else hashlib.sha256(plan.candidates.tobytes()).hexdigest(),
        )
        return self._answer(request, request_id, lambda: compute_detection(self._table, plan))

    def choose_radius(
        self,
        min_neighbors: int,
        *,
        share: Number,
        columns: Iterable[str] | None = None,
        radii: Sequence[float] | None = None,
        epsilon: Number,
        request_id: str | None = None,
    ) -> Release:
        """At which radius is about this share of the rows outliers: one of a public list of radii, drawn privately.

        The value is the radius as a text, and the release's `definition` has it, ready to be counted with.
        Differentially private with `epsilon`. Proof: `queries/radius.proof.md`. Cost: a count for each radius, and a
        close look at those near the share.
        """
        plan = plan_radius(self._table, min_neighbors, columns, share, radii, epsilon)
        request = self._request(
            "choose_radius",
            plan.definitions[-1],
            plan.columns,
            plan,
            "permute-and-flip",
            parameters=(
                ("share", str(plan.share)),
                ("radii", tuple(repr(definition.radius) for definition in plan.definitions)),
            ),
        )
        return self._answer(request, request_id, lambda: compute_radius(self._table, plan))

    def is_outlier(
        self,
        definition: OutlierDefinition,
        *,
        most_yes: int,
        columns: Iterable[str] | None = None,
        epsilon: Number,
        request_id: str | None = None,
    ) -> Screen:
        """Open a screen that says of points, as they come, whether they would be outliers.

        As many "no" as it takes and `most_yes` times "yes", all together for one `epsilon`, charged now. Its answers
        are not kept, so a screen cannot be opened twice under one id. Proof: K3 of `queries/detection.proof.md`.
        """
        plan = plan_screening(self._table, definition, most_yes, columns, epsilon)
        request = self._request(
            "is_outlier",
            plan.definition,
            plan.columns,
            plan,
            "sparse vector",
            parameters=(("most_yes", plan.most_yes),),
        )
        number = _id(request_id)
        paid = self._ledger.reserve(self._account, number, request.fingerprint, request.cost, request.words)
        assert isinstance(paid, Reserved), "nothing is stored for a screen"  # noqa: S101 -- for the type checker
        return Screen(self._table, plan, request, number, paid.charged_at)

    def _request(
        self,
        query: str,
        definition: OutlierDefinition,
        columns: tuple[str, ...],
        plan: Plan,
        mechanism: str,
        parameters: tuple[tuple[str, Parameter], ...] = (),
        detail: str = "",
    ) -> Request:
        """The question that a plan answers, about this table."""
        return Request(
            query=query,
            definition=definition,
            columns=columns,
            privacy=plan.privacy,
            cost=plan.cost,
            mechanism=mechanism,
            neighbors=self._neighbors,
            facts=self._facts,
            parameters=parameters,
            detail=detail,
        )

    def _answer(self, request: Request, request_id: str | None, compute: Callable[[], Value]) -> Release:
        """Charge, compute, store, hand over, in this order: whatever is handed over was paid for, and can be again."""
        number = _id(request_id)
        paid = self._ledger.reserve(self._account, number, request.fingerprint, request.cost, request.words)
        if isinstance(paid, Stored):
            return Release.from_json(paid.release)
        release = request.release(compute(), number, paid.charged_at)
        self._ledger.store(self._account, number, release.to_json(), paid)
        return release

    @property
    def _facts(self) -> str:
        """Public; with other rows or bounds the same words ask something else."""
        return f"{self.n_rows} rows, {dict(self._bounds)}"

    @property
    def _neighbors(self) -> str:
        if self.rows_per_person == 1:
            return "one row replaced"
        return f"all rows of one person replaced, {self.rows_per_person} at most"

    def close(self) -> None:
        """Let go of the ledger's files and connections: an SQLite file has every charge then, without its log.

        A session may be used in a `with` statement, which closes it. The next question would open the ledger again.
        """
        self._ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Session({self._table!r}, remaining: {self.remaining})"


def _ledger(given: Ledger | str | Path | None) -> Ledger:
    if isinstance(given, Ledger):
        return given
    return Ledger(MemoryStore()) if given is None else open_ledger(given)


def _id(given: str | None) -> str:
    """A request id: the one that was given, or a new one."""
    if given is not None and not isinstance(given, str):
        raise InputError("request_id must be a text.")
    return uuid4().hex if given is None else given
