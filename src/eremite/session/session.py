"""A private table behind a privacy budget."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from datetime import datetime
from pathlib import Path
from typing import Any, Self, overload
from uuid import uuid4

from eremite.cards import Card, Shown
from eremite.errors import InputError
from eremite.forecast import expected_of
from eremite.ledger import Account, BudgetTimeline, Ledger, MemoryStore, Reserved, Stored, open_ledger, utc_now
from eremite.names import show_name
from eremite.outliers import OutlierDefinition
from eremite.page import PublicTable, answers_page
from eremite.privacy import Privacy, checked_budget
from eremite.queries import (
    CountByQuery,
    CountQuery,
    DetectQuery,
    ExplainQuery,
    Progress,
    RadiusQuery,
    ReportQuery,
    RowsQuery,
    ScreenQuery,
    SubspacesQuery,
)
from eremite.queries.fields import Number, Selection, Utility
from eremite.queries.screening import ScreeningPlan
from eremite.release import (
    CountByRelease,
    CountRelease,
    DetectRelease,
    Expected,
    ExplainRelease,
    RadiusRelease,
    Release,
    ReportRelease,
    RowsRelease,
    SubspacesRelease,
)
from eremite.release.expected import UNKNOWN
from eremite.session.duration import expected_seconds
from eremite.session.forecasts import Forecasts
from eremite.session.request import Paid, Prepared, Request
from eremite.session.room import require_room_for
from eremite.session.screen import Screen, after_charge
from eremite.table import Table
from eremite.tiles import AnyTable, TiledTable

#: The questions that one release answers.
ReleasedQuery = (
    CountQuery | CountByQuery | SubspacesQuery | ReportQuery | DetectQuery | ExplainQuery | RadiusQuery | RowsQuery
)

_MOST_EXPECTED = 256  # questions whose expectations are kept


class Session(Forecasts, Shown):
    """Answers questions about one table, and spends at most `epsilon` and `delta` on all of them together.

    Protected: every row, or all rows of a person if the table says how many those can be. Public: what was declared
    about the table, the number of its rows unless its neighbors are "add-remove", every request and every `Release`.
    Every request is checked first, then charged, and only
    then is a row looked at: a request that does not fit, or that the budget does not cover, costs nothing. A request
    under an id that was answered before gives that answer again, and costs nothing.

    The budget lives as long as the session; with a `ledger` it outlives the session, and all sessions on the same
    `dataset` share it. There the cap is the ledger's, once it has one.

    Args:
        table: The rows to protect.
        epsilon: The cap on all releases together, taken as written: 0.1 is 1/10.
        delta: The cap beside epsilon; above 0 it allows zCDP composition and Gaussian noise.
        ledger: Where the budget is kept: a file, a postgresql:// URL, or a `Ledger`. Default: in memory.
        account: Whose budget is spent, within the dataset's.
        dataset: The name the ledger knows the table by.
        stand_in: Public rows with the same columns and bounds, for forecasts.
        expectations: Whether releases say how far off they may be, from public facts; that takes a moment, once for
            each question.
        clock: Gives the time of a charge, unless `ledger` is a `Ledger`, which has its own.
        new_id: Gives a request id where none was passed.
    """

    def __init__(
        self,
        table: AnyTable,
        *,
        epsilon: Number,
        delta: Number = 0,
        ledger: Ledger | str | Path | None = None,
        account: str = "analyst",
        dataset: str = "table",
        stand_in: Table | None = None,
        expectations: bool = True,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        if not isinstance(table, AnyTable):
            raise InputError("Session needs a Table; make one with Table.from_frame, or use eremite.open.")
        cap = checked_budget(epsilon, delta)
        super().__init__(table.facts, stand_in)
        self._table = table
        self._account = Account(dataset, account)
        self._ledger = _ledger(ledger, clock)
        self._new_id = new_id
        self._expectations = expectations
        self._expected: dict[str, Expected] = {}  # by the fingerprint of the question
        self._ledger.open_dataset(dataset, cap, table.rows_per_person, neighbors=table.neighbors)

    def of_account(self, account: str) -> Self:
        """The same table, ledger and expectations for another account."""
        other = copy(self)
        other._account = Account(self._account.dataset, account)
        return other

    @property
    def remaining(self) -> Privacy:
        """What one more release may ask for at most: the epsilon of a release without delta, and the delta."""
        return self._ledger.remaining(self._account).privacy

    @property
    def remaining_in_words(self) -> str:
        """What is left of the account's budget and of the dataset's."""
        return self._ledger.remaining(self._account).words

    def page(self, *, request_id: str | None = None) -> str:
        """All answers of this account as one self-contained HTML page: to show, to mail, to print.

        It has what was asked, the answers with their pictures, what each cost and protects, how to read it, and what is
        left. Nothing about the rows is on it but released values. Spends nothing, looks at no private row.

        Args:
            request_id: Show only the answer under this id.
        """
        table = PublicTable.of(self._account.dataset, self.facts)
        return answers_page(table, self._ledger, account=self._account.analyst, request_id=request_id)

    @property
    def budget_timeline(self) -> BudgetTimeline:
        """How the budgets of the dataset and of this account developed. Its `plot()` draws them."""
        return self._ledger.timeline(self._account.dataset, self._account.analyst)

    @overload
    def ask(
        self, query: CountQuery, *, request_id: str | None = None, progress: Progress | None = None
    ) -> CountRelease: ...

    @overload
    def ask(
        self, query: CountByQuery, *, request_id: str | None = None, progress: Progress | None = None
    ) -> CountByRelease: ...

    @overload
    def ask(
        self, query: SubspacesQuery, *, request_id: str | None = None, progress: Progress | None = None
    ) -> SubspacesRelease: ...

    @overload
    def ask(
        self, query: ReportQuery, *, request_id: str | None = None, progress: Progress | None = None
    ) -> ReportRelease: ...

    @overload
    def ask(
        self, query: DetectQuery, *, request_id: str | None = None, progress: Progress | None = None
    ) -> DetectRelease: ...

    @overload
    def ask(
        self, query: ExplainQuery, *, request_id: str | None = None, progress: Progress | None = None
    ) -> ExplainRelease: ...

    @overload
    def ask(
        self, query: RadiusQuery, *, request_id: str | None = None, progress: Progress | None = None
    ) -> RadiusRelease: ...

    @overload
    def ask(
        self, query: RowsQuery, *, request_id: str | None = None, progress: Progress | None = None
    ) -> RowsRelease: ...

    @overload
    def ask(
        self, query: ReleasedQuery, *, request_id: str | None = None, progress: Progress | None = None
    ) -> Release: ...

    @overload
    def ask(self, query: ScreenQuery, *, request_id: str | None = None) -> Screen: ...

    def ask(
        self,
        query: ReleasedQuery | ScreenQuery,
        *,
        request_id: str | None = None,
        progress: Progress | None = None,
    ) -> Release | Screen:
        """Check the question, charge it, compute the answer, store it and return it, in this order.

        Whatever is returned was paid for, and can be asked for again under its request id. All other methods that ask
        build a query record and call this one.

        Args:
            query: The question, as a record: `CountQuery`, `CountByQuery`, `SubspacesQuery`, `ReportQuery`,
                `DetectQuery`, `ExplainQuery`, `RadiusQuery`, `RowsQuery`, or `ScreenQuery`, whose answer is an open
                `Screen`.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.
            progress: Called with how much is done so far: sets of columns or groups that were counted, points that were
                looked at, looks at radii, or steps of a count. For the custodian: the pace depends on the rows.

        Raises:
            InputError: The question does not fit the table, or the id was used for another question.
            BudgetRefused: The budget does not cover the question: `needed` is what it would spend, `remaining` what is
                left. Both are None if the budget is not the reason.
        """
        if progress is not None and not callable(progress):
            raise InputError("progress must be a function that takes a number.")
        _require_question(query, "ask")
        paid = self.charge(self.prepare(query, request_id=request_id))
        if isinstance(paid, Release):
            return paid
        request = paid.prepared.request
        if isinstance(request.plan, ScreeningPlan):
            return Screen(request.plan, request, paid.prepared.request_id, paid.charged_at)
        return self.compute(paid, progress)

    def prepare(self, query: ReleasedQuery | ScreenQuery, *, request_id: str | None = None) -> Prepared:
        """Check a question and say how far off its answer may be, from public facts alone. Charges nothing.

        A question is refused if the rows are at a server that does not answer, or if this machine has no room for it.
        `ask` prepares, charges and computes. A service does the three apart: it charges all questions of a turn before
        it computes the first, so that when a charge appears depends on no row.
        """
        _require_question(query, "prepare")
        number = self._id(request_id)
        request = Request(query.plan(self._table), self._table)
        require_room_for(request.plan, self._table)
        if isinstance(self._table, TiledTable):
            self._table.source.require_answer()
        return Prepared(request, number, self._expected_of(request))

    def charge(self, prepared: Prepared) -> Paid | Release:
        """Charge a prepared question, or return the release that is stored under its id."""
        request, number = prepared.request, prepared.request_id
        asked = (request.fingerprint, request.plan.cost, request.question, request.former_fingerprint)
        outcome = self._ledger.reserve(self._account, number, *asked)
        if isinstance(outcome, Stored):
            return Release.from_json(outcome.release)
        return Paid(prepared, outcome.charged_at)

    def compute(self, paid: Paid, progress: Progress | None = None) -> Release:
        """Compute the answer to a question that was charged, store it and return it.

        The ledger stores one release of a request that was charged and none of others, and nothing is returned unless
        it is stored.
        """
        prepared = paid.prepared
        plan = prepared.request.plan
        if isinstance(plan, ScreeningPlan):
            raise InputError("A screen is computed when it is asked; open it with Session.ask.")
        value = after_charge(lambda: plan.compute(self._table, progress))
        release = prepared.request.release(value, prepared.request_id, paid.charged_at, expected=prepared.expected)
        self._ledger.store(self._account, prepared.request_id, release.to_json(), Reserved(paid.charged_at))
        return release

    def _expected_of(self, request: Request) -> Expected:
        """How far off the answer may be, from public facts; computed before anything is charged, once a question."""
        if not self._expectations:
            return UNKNOWN
        known = self._expected.get(request.fingerprint)
        if known is None:
            try:
                known = expected_of(request.plan, self._facts, self._stand_in)
            except Exception:
                known = UNKNOWN
            if len(self._expected) >= _MOST_EXPECTED:
                self._expected.clear()
            self._expected[request.fingerprint] = known
        return known

    def new_request_id(self) -> str:
        """An id for a request, for those who want to know it before they ask: it outlives an interrupted question."""
        return self._new_id()

    def expected_seconds(self, query: ReleasedQuery | ScreenQuery) -> float:
        """About how long a question would take to compute on this machine. Spends nothing, looks at no row.

        From public facts alone: the numbers of rows, columns, sets, radii and points, the definition, and the speed of
        the machine. How long it really takes depends on how the rows lie: a table whose rows gather in a few places
        takes less, by ten times and more.
        """
        _require_question(query, "expected_seconds")
        return expected_seconds(query.plan(self._table), self._facts)

    def count_outliers(
        self,
        definition: OutlierDefinition,
        columns: Iterable[str] | None = None,
        *,
        epsilon: Number,
        delta: Number = 0,
        mechanism: str = "auto",
        reach: int | None = None,
        confidence: Number | None = None,
        rows: bool | None = None,
        request_id: str | None = None,
    ) -> CountRelease:
        """How many rows are outliers in these columns, with noise: an integer between 0 and N.

        Differentially private with `epsilon`, and `delta` if the mechanism uses one. Proofs: `queries/count.proof.md`.

        A count of bounded reach lets no place count for more than `reach` rows, so its noise has a public scale for
        every table. In few columns, "auto" draws a count from below and one from above at once, for the same epsilon:
        the true count lies in `interval`, `confidence` of the time, for every table. In more columns it draws one from
        below alone: 95 % of all answers are within `noise_half_width` of the capped count, 95 times in 100 the
        true count is `at_least` so large or larger, and how many outliers were left out is private. Cost: all neighbors
        are counted, and a linear program is solved over rows in crowded places; from below alone, an exact count, and a
        program over crowded outliers. With other mechanisms, two to three times an exact count.

        Args:
            definition: When a row is an outlier.
            columns: The columns that count; default: all.
            epsilon: What to spend, taken as written: 0.1 is 1/10, "1/3" a third.
            delta: What to spend beside epsilon; 0 is pure.
            mechanism: The noise; "auto" chooses by public facts.
            reach: How many rows one place may change the count by, for "auto", "reach", "reach-pair" and
                "reach-gaussian": with less, there is less noise, and more is left out. Default: chosen from public
                facts.
            confidence: How often `interval` shall hold the true count, from 0.5 to 0.999. Default: 0.95.
            rows: Whether the release shall tell too how many rows take part, where rows come and go: `rows`, nearly for
                free. For counts from both sides.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.
        """
        query = CountQuery(
            definition=definition,
            columns=columns,
            epsilon=epsilon,
            delta=delta,
            mechanism=mechanism,
            reach=reach,
            confidence=confidence,
            rows=rows,
        )
        return self.ask(query, request_id=request_id)

    def count_outliers_by(
        self,
        definition: OutlierDefinition,
        *,
        by: str | Sequence[str],
        columns: Iterable[str] | None = None,
        epsilon: Number,
        reach: int | None = None,
        confidence: Number | None = None,
        request_id: str | None = None,
    ) -> CountByRelease:
        """Count the outliers of each group of rows, among the group's own rows: a noisy number for each declared value.

        The release's `value` maps each group to its count: `value["A"]`, or `value["f", "A"]` for two columns. All
        counts together are differentially private with `epsilon`. Proof: `queries/groups.proof.md`. Cost: as a count of
        each group. With counts of bounded reach, `interval` and `at_least` say of each group what they say of one
        count; that all of them hold at once is less likely.

        Args:
            definition: When a row is an outlier; its neighbors are rows of its group.
            by: The column with categories whose values make the groups, or a list of such columns.
            columns: The columns that count; default: all.
            epsilon: What to spend on all groups together, taken as written.
            reach: How many rows one place of a group may change its count by. Default: chosen from public facts.
            confidence: How often the `interval` of one group shall hold its true count. Default: 0.95.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.
        """
        query = CountByQuery(
            definition=definition, by=by, columns=columns, epsilon=epsilon, reach=reach, confidence=confidence
        )
        return self.ask(query, request_id=request_id)

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
    ) -> SubspacesRelease:
        """The h sets of columns with the most outliers, in the order drawn, among a public family of them.

        Differentially private with `epsilon`; a `delta` is used, for exponential draws composed by zCDP, where that
        gives each draw more. Proofs: `queries/subspaces.proof.md`. Cost: a count for each subspace, and a close look at
        those that may win.

        Args:
            definition: When a row is an outlier.
            h: How many sets to name.
            size: Search all sets of this many columns.
            max_size: Search all sets of up to this many columns.
            subspaces: Search these sets. Give one of size, max_size and subspaces.
            epsilon: What to spend, taken as written.
            delta: What to spend beside epsilon; 0 is pure.
            utility: How sets are scored: "compared", "centered", "dampened" or "paper"; "auto" chooses by public
                facts.
            selection: How one is drawn: "permute-and-flip" or "exponential".
            progress: Called with the number of sets counted so far. For the custodian: the pace depends on the rows.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.
        """
        query = SubspacesQuery(
            definition=definition,
            h=h,
            size=size,
            max_size=max_size,
            subspaces=subspaces,
            epsilon=epsilon,
            delta=delta,
            utility=utility,
            selection=selection,
        )
        return self.ask(query, request_id=request_id, progress=progress)

    def outlier_report(
        self,
        definition: OutlierDefinition,
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: Number,
        delta: Number = 0,
        progress: Progress | None = None,
        request_id: str | None = None,
    ) -> ReportRelease:
        """The h sets of columns with the most outliers, each with its noisy count: one plan, one total.

        Half of `epsilon` finds the subspaces, the h counts share the other half; together they spend `epsilon`, and
        `delta` if finding used it. Proof: R1 of `queries/subspaces.proof.md`.

        Args:
            definition: When a row is an outlier.
            h: How many sets to name.
            size: Search all sets of this many columns.
            max_size: Search all sets of up to this many columns.
            subspaces: Search these sets. Give one of size, max_size and subspaces.
            epsilon: What to spend in all, taken as written.
            delta: What to spend beside epsilon; 0 is pure.
            progress: Called with the number of sets counted so far. For the custodian: the pace depends on the rows.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.
        """
        query = ReportQuery(
            definition=definition,
            h=h,
            size=size,
            max_size=max_size,
            subspaces=subspaces,
            epsilon=epsilon,
            delta=delta,
        )
        return self.ask(query, request_id=request_id, progress=progress)

    def detect_outliers(
        self,
        definition: OutlierDefinition,
        *,
        candidates: Any,
        h: int,
        columns: Iterable[str] | None = None,
        epsilon: Number,
        request_id: str | None = None,
    ) -> DetectRelease:
        """Which h of the candidates have the fewest rows within the radius: their positions from 0, in the order drawn.

        Differentially private with `epsilon`. Proofs: `queries/detection.proof.md`.

        Args:
            definition: When a candidate would be an outlier.
            candidates: Public points in the table's own units, one per row. A frame (pandas, polars, Arrow, a mapping
                from names to lists, a structured array) has the chosen `columns` and no other, and is matched by name;
                an array or a list of rows has them in their order. None: the rows of the table, where the answer is
                close to a random pick.
            h: How many candidates to name.
            columns: The columns that count; default: all.
            epsilon: What to spend, taken as written.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.
        """
        query = DetectQuery(definition=definition, candidates=candidates, h=h, columns=columns, epsilon=epsilon)
        return self.ask(query, request_id=request_id)

    def explain_outlier(
        self,
        definition: OutlierDefinition,
        *,
        point: Any,
        h: int,
        max_size: int,
        columns: Iterable[str] | None = None,
        epsilon: Number,
        request_id: str | None = None,
    ) -> ExplainRelease:
        """In which columns a public point stands alone: h sets of columns, in the order drawn.

        A set is likelier to be drawn the fewer rows lie within the radius of the point in its columns; sets with fewer
        than `min_neighbors` are alike, and of sets that are alike the smaller one is likelier. No set contains one that
        was drawn before it. The value holds the sets; for a table of points, such a value for each. All draws together
        are differentially private with `epsilon`, of which each has an equal share. Proof: `queries/explain.proof.md`.
        Cost: one pass over the rows for each point, with an addition for each column of each set.

        Args:
            definition: When a point stands alone: when fewer than `min_neighbors` rows lie within `radius`.
            point: A public point in the table's own units: a list of numbers in the order of `columns`, or a mapping
                from names to numbers. Or several points, as for `detect_outliers`: a frame, an array or a list of rows.
            h: How many sets to name for each point, at most as many as there are columns.
            max_size: Search all sets of up to this many columns.
            columns: The columns that sets are made of; default: all.
            epsilon: What to spend on all points together, taken as written.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.
        """
        query = ExplainQuery(
            definition=definition, point=point, h=h, max_size=max_size, columns=columns, epsilon=epsilon
        )
        return self.ask(query, request_id=request_id)

    def choose_radius(
        self,
        min_neighbors: int,
        *,
        share: Number,
        columns: Iterable[str] | None = None,
        radii: Sequence[float] | None = None,
        within: Sequence[str] | None = None,
        epsilon: Number,
        request_id: str | None = None,
    ) -> RadiusRelease:
        """At which radius is about this share of the rows outliers: one of a public list of radii, drawn privately.

        The release's `definition` has the radius, ready to be counted with. Differentially private with `epsilon`.
        Proof: `queries/radius.proof.md`. Cost: a count for each radius, and a close look at those near the share.

        Args:
            min_neighbors: A row with fewer other rows near it is an outlier.
            share: Which part of the rows shall be outliers: 0.01 or "1/100". Where their number is private, of
                `rows_about`.
            columns: The columns that count; default: all.
            radii: The public list to choose from; default: 0.001 to 0.4.
            within: Columns with categories; only rows that agree on them are neighbors.
            epsilon: What to spend, taken as written.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.
        """
        query = RadiusQuery(
            min_neighbors=min_neighbors, share=share, columns=columns, radii=radii, within=within, epsilon=epsilon
        )
        return self.ask(query, request_id=request_id)

    def count_rows(
        self,
        columns: Iterable[str] | None = None,
        *,
        epsilon: Number,
        request_id: str | None = None,
    ) -> RowsRelease:
        """How many rows there are, with noise; with `columns`, how many of them take part in questions about these.

        An integer, 0 or more. Differentially private with `epsilon`. 95 % of all answers are off by ln(20) / epsilon,
        rounded up, at most; with m rows a person, by m times as much. Where the number is public, the question is
        refused. Proof: `queries/rows.proof.md`.

        Args:
            columns: Count the rows that no rule leaves out in these columns; default: all rows.
            epsilon: What to spend, taken as written.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.
        """
        return self.ask(RowsQuery(columns=columns, epsilon=epsilon), request_id=request_id)

    def open_screen(
        self,
        definition: OutlierDefinition,
        *,
        most_yes: int,
        columns: Iterable[str] | None = None,
        epsilon: Number,
        request_id: str | None = None,
    ) -> Screen:
        """Open a screen that says of points, as they come, whether they would be outliers.

        It answers "no" as often as needed and "yes" `most_yes` times, all together for one `epsilon`, charged now. Its
        answers are not kept, so a screen cannot be opened twice under one id. Proof: K3 of
        `queries/detection.proof.md`.

        Args:
            definition: When a point would be an outlier.
            most_yes: How many answers may be yes.
            columns: The columns that count; default: all.
            epsilon: What to spend on all answers together, taken as written.
            request_id: Id of the request.
        """
        query = ScreenQuery(definition=definition, most_yes=most_yes, columns=columns, epsilon=epsilon)
        return self.ask(query, request_id=request_id)

    def _id(self, given: str | None) -> str:
        if given is not None and not isinstance(given, str):
            raise InputError("request_id must be a text.")
        return self.new_request_id() if given is None else given

    def close(self) -> None:
        """Close the ledger's files and connections; an SQLite file then holds every charge, without its log.

        A session may be used in a `with` statement, which closes it. The next question opens the ledger again.
        """
        self._ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _card(self) -> Card:
        """What is public: whose budget this is, what is left of it, and the facts of the table."""
        table = self._table._card()
        facts = {
            "dataset": show_name(self._account.dataset),
            "account": show_name(self._account.analyst),
            "left": self.remaining_in_words,
            "forecasts": "from made-up rows" if self._stand_in is None else "from the stand-in",
        }
        title = f"Session with {self.remaining} left for one more release; {table.title[0].lower()}{table.title[1:]}"
        return Card(title, {**facts, **table.facts}, table.heads, table.rows)

    def __repr__(self) -> str:
        return f"Session({self._table!r}, remaining: {self.remaining})"


def _require_question(query: object, method: str) -> None:
    if not isinstance(query, ReleasedQuery | ScreenQuery):
        raise InputError(f"Session.{method} takes a question such as CountQuery; forecasts go to Session.forecast.")


def _ledger(given: Ledger | str | Path | None, clock: Callable[[], datetime]) -> Ledger:
    if isinstance(given, Ledger):
        return given
    return Ledger(MemoryStore(), clock) if given is None else open_ledger(given, clock=clock)
