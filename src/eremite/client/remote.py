"""A session with a table that a service has."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self, overload

from eremite.cards import Card, Shown
from eremite.client.asking import Asking, new_request_id
from eremite.client.bodies import fields_of, is_forecast
from eremite.client.forecasts import RemoteForecasts
from eremite.client.jobs import AnyAnswer, Job, job_of
from eremite.client.refusals import privacy_of
from eremite.errors import EremiteError, InputError, ServiceError
from eremite.names import list_names, show_name
from eremite.privacy import Privacy
from eremite.release import Release

if TYPE_CHECKING:
    from eremite.outliers import OutlierDefinition
    from eremite.queries import (
        CountByQuery,
        CountQuery,
        DetectQuery,
        ExplainQuery,
        RadiusQuery,
        ReportQuery,
        RowsQuery,
        SubspacesQuery,
    )
    from eremite.queries.fields import Number, Selection, Utility
    from eremite.release import (
        CountByRelease,
        CountRelease,
        DetectRelease,
        ExplainRelease,
        RadiusRelease,
        ReportRelease,
        RowsRelease,
        SubspacesRelease,
    )


class RemoteSession(RemoteForecasts, Shown):
    """Answers questions about one dataset of a service, with the methods of `Session`; `eremite.connect` opens it.

    The rows stay with the service, which checks, charges and computes. Every question has a request id, which is made
    before it is sent; if a connection breaks, the question is sent again under that id, and charged once. Answers are
    the same `Release` objects, forecasts the same records, and refusals the same exceptions; what has to do with the
    service itself is a `ServiceError`.
    """

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)

    @property
    def dataset(self) -> str:
        """The dataset that is asked about."""
        return self._asking.dataset

    @property
    def address(self) -> str:
        """Where the service is."""
        return self._asking.wire.address

    @property
    def public_facts(self) -> dict[str, Any]:
        """Everything public about the dataset: columns with their bounds, categories, numbers of rows."""
        return self._asking.wire.get(self._asking.place).require(200).fields

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, which are public."""
        return tuple(self.public_facts.get("columns", ()))

    @property
    def n_rows(self) -> int:
        """N, where it is public."""
        rows = self.public_facts.get("n_rows")
        if type(rows) is not int:
            raise InputError('The number of rows is private with neighbors = "add-remove"; ask count_rows.')
        return rows

    @property
    def rows_per_person(self) -> int:
        """How many rows one person may have, which is public."""
        return int(self.public_facts["rows_per_person"])

    @property
    def remaining(self) -> Privacy:
        """What one more release may ask for at most: the epsilon of a release without delta, and the delta."""
        left = privacy_of(self._budget().get("remaining"))
        if left is None:
            raise ServiceError("The service states the budget in a way that this version does not know.")
        return left

    @property
    def remaining_in_words(self) -> str:
        """What is left of the account's budget and of the dataset's."""
        return str(self._budget().get("words", ""))

    def releases(self) -> list[Release]:
        """All releases of this account about the dataset, the oldest first. Spends nothing."""
        found: list[Release] = []
        before: object = None  # pages are newest first; without an end, there is one page
        while True:
            page = self._asking.wire.get(f"{self._asking.place}/releases", before=before).require(200).fields
            if not isinstance(page.get("releases"), list):
                raise ServiceError("The service lists releases in a way that this version does not know.")
            found += [Release.from_json(json.dumps(one)) for one in page["releases"]]
            before = page.get("before")
            if not isinstance(before, str | int) or not page["releases"]:
                return sorted(found, key=lambda release: release.time)

    def jobs(self) -> list[Job]:
        """What this account has asked about the dataset and the service still knows, newest first."""
        listed = self._asking.wire.get("/v1/jobs").require(200).fields.get("jobs")
        if not isinstance(listed, list):
            raise ServiceError("The service lists jobs in a way that this version does not know.")
        return [job for job in map(job_of, listed) if job.dataset == self.dataset]

    def answer(self, which: Job | str) -> AnyAnswer:
        """The answer to a question that was asked before, when it is there: of a job, or by request id. Spends nothing.

        Args:
            which: A job, its id, or the id of the request.
        """
        job = self._found(which)
        if job is not None:
            return self._asking.follow(job)
        for release in self.releases():
            if release.request_id == which:
                return release
        raise InputError("Nothing was asked under this id, as far as the service knows.")

    def cancel(self, which: Job | str) -> Job:
        """Cancel a question that was not charged yet; an `InputError` if it was, or if there is none.

        Args:
            which: A job, its id, or the id of the request.
        """
        job = self._found(which)
        if job is None:
            raise InputError("Nothing was asked under this id, as far as the service knows.")
        return self._asking.cancel(job.id)

    def _found(self, which: Job | str) -> Job | None:
        if isinstance(which, Job):
            return which
        return next((job for job in self.jobs() if which in (job.id, job.request_id)), None)

    @overload
    def ask(self, query: "CountQuery", *, request_id: str | None = None) -> "CountRelease": ...

    @overload
    def ask(self, query: "CountByQuery", *, request_id: str | None = None) -> "CountByRelease": ...

    @overload
    def ask(self, query: "SubspacesQuery", *, request_id: str | None = None) -> "SubspacesRelease": ...

    @overload
    def ask(self, query: "ReportQuery", *, request_id: str | None = None) -> "ReportRelease": ...

    @overload
    def ask(self, query: "DetectQuery", *, request_id: str | None = None) -> "DetectRelease": ...

    @overload
    def ask(self, query: "ExplainQuery", *, request_id: str | None = None) -> "ExplainRelease": ...

    @overload
    def ask(self, query: "RadiusQuery", *, request_id: str | None = None) -> "RadiusRelease": ...

    @overload
    def ask(self, query: "RowsQuery", *, request_id: str | None = None) -> "RowsRelease": ...

    def ask(self, query: Any, *, request_id: str | None = None) -> Any:
        """Ask a question, wait for its answer and return it, as `Session.ask`. Spends what the question says.

        Args:
            query: The question, as a record such as `CountQuery`.
            request_id: Id of the request. The same question under the same id returns the stored answer, for free.

        Raises:
            InputError: The question does not fit the dataset, or the id was used for another question.
            BudgetRefused: The budget does not cover the question; `needed` and `remaining` say by how much.
            LedgerError: The service cannot charge or answer now.
            ServiceError: The service is out of reach, or the answer was lost after the charge.
        """
        asked = fields_of(query)
        if is_forecast(query.name):
            raise InputError("ask takes a question such as CountQuery; forecasts go to forecast.")
        return self._asking.ask(query.name, asked, request_id)

    def new_request_id(self) -> str:
        """An id for a request, for those who want to know it before they ask: it outlives an interrupted question."""
        return new_request_id()

    def count_outliers(
        self,
        definition: "OutlierDefinition",
        columns: Iterable[str] | None = None,
        *,
        epsilon: "Number",
        delta: "Number" = 0,
        mechanism: str = "auto",
        reach: int | None = None,
        confidence: "Number | None" = None,
        rows: bool | None = None,
        request_id: str | None = None,
    ) -> "CountRelease":
        """How many rows are outliers: a noisy number, as `Session.count_outliers` gives it. Spends epsilon."""
        answer: CountRelease = self._ask(
            "count_outliers",
            request_id,
            definition=definition,
            columns=columns,
            epsilon=epsilon,
            delta=delta,
            mechanism=mechanism,
            reach=reach,
            confidence=confidence,
            rows=rows,
        )
        return answer

    def count_outliers_by(
        self,
        definition: "OutlierDefinition",
        *,
        by: str | Sequence[str],
        columns: Iterable[str] | None = None,
        epsilon: "Number",
        reach: int | None = None,
        confidence: "Number | None" = None,
        request_id: str | None = None,
    ) -> "CountByRelease":
        """How many rows of each group are outliers, among the group's own rows. Spends epsilon."""
        answer: CountByRelease = self._ask(
            "count_outliers_by",
            request_id,
            definition=definition,
            by=by,
            columns=columns,
            epsilon=epsilon,
            reach=reach,
            confidence=confidence,
        )
        return answer

    def top_subspaces(
        self,
        definition: "OutlierDefinition",
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: "Number",
        delta: "Number" = 0,
        utility: "Utility" = "auto",
        selection: "Selection" = "permute-and-flip",
        request_id: str | None = None,
    ) -> "SubspacesRelease":
        """The h sets of columns with the most outliers, in the order drawn. Spends epsilon."""
        answer: SubspacesRelease = self._ask(
            "top_subspaces",
            request_id,
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
        return answer

    def outlier_report(
        self,
        definition: "OutlierDefinition",
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: "Number",
        delta: "Number" = 0,
        request_id: str | None = None,
    ) -> "ReportRelease":
        """The h sets of columns with the most outliers, each with its noisy count. Spends epsilon."""
        answer: ReportRelease = self._ask(
            "outlier_report",
            request_id,
            definition=definition,
            h=h,
            size=size,
            max_size=max_size,
            subspaces=subspaces,
            epsilon=epsilon,
            delta=delta,
        )
        return answer

    def detect_outliers(
        self,
        definition: "OutlierDefinition",
        *,
        candidates: Any,
        h: int,
        columns: Iterable[str] | None = None,
        epsilon: "Number",
        request_id: str | None = None,
    ) -> "DetectRelease":
        """Which h of the candidates have the fewest rows near: their positions from 0. Spends epsilon."""
        answer: DetectRelease = self._ask(
            "detect_outliers",
            request_id,
            definition=definition,
            candidates=candidates,
            h=h,
            columns=columns,
            epsilon=epsilon,
        )
        return answer

    def explain_outlier(
        self,
        definition: "OutlierDefinition",
        *,
        point: Any,
        h: int,
        max_size: int,
        columns: Iterable[str] | None = None,
        epsilon: "Number",
        request_id: str | None = None,
    ) -> "ExplainRelease":
        """In which columns a public point stands alone: h sets of columns. Spends epsilon."""
        answer: ExplainRelease = self._ask(
            "explain_outlier",
            request_id,
            definition=definition,
            point=point,
            h=h,
            max_size=max_size,
            columns=columns,
            epsilon=epsilon,
        )
        return answer

    def choose_radius(
        self,
        min_neighbors: int,
        *,
        share: "Number",
        columns: Iterable[str] | None = None,
        radii: Sequence[float] | None = None,
        within: Sequence[str] | None = None,
        epsilon: "Number",
        request_id: str | None = None,
    ) -> "RadiusRelease":
        """At which radius is about this share of the rows outliers, of a public list of radii. Spends epsilon."""
        answer: RadiusRelease = self._ask(
            "choose_radius",
            request_id,
            min_neighbors=min_neighbors,
            share=share,
            columns=columns,
            radii=radii,
            within=within,
            epsilon=epsilon,
        )
        return answer

    def count_rows(
        self,
        columns: Iterable[str] | None = None,
        *,
        epsilon: "Number",
        request_id: str | None = None,
    ) -> "RowsRelease":
        """How many rows there are, with noise, where their number is private. Spends epsilon."""
        answer: RowsRelease = self._ask(
            "count_rows",
            request_id,
            columns=columns,
            epsilon=epsilon,
        )
        return answer

    def close(self) -> None:
        """Close the connections. A remote session may be used in a `with` statement, which closes it."""
        self._asking.wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, name: str, request_id: str | None, **asked: Any) -> Any:
        return self._asking.ask(name, asked, request_id)

    def _budget(self) -> dict[str, Any]:
        return self._asking.wire.get(f"{self._asking.place}/budget").require(200).fields

    def _card(self) -> Card:
        """What is public: where the service is, what is left, and the columns."""
        facts = {"service": self.address, "dataset": show_name(self.dataset)}
        try:
            facts |= {"left": self.remaining_in_words, "columns": list_names(self.columns)}
        except EremiteError as error:  # a notebook shows the card unasked
            facts |= {"left": f"not known: {error}"}
        return Card(f"Session with {show_name(self.dataset)}, which a service has", facts)

    def __repr__(self) -> str:
        return f"RemoteSession({self.address!r}, dataset={self.dataset!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A RemoteSession holds a token and is neither pickled nor copied; connect where it is used.")
