"""What can be asked for free, before anything is spent."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, overload

from eremite.errors import InputError
from eremite.forecast import (
    CountByForecast,
    CountForecast,
    MechanismComparison,
    NamingForecast,
    RadiusForecast,
    ReportForecast,
    RowsForecast,
    StandIn,
    SubspacesForecast,
    compare_mechanisms,
    epsilon_for_count,
    epsilon_for_detect,
    epsilon_for_explain,
    epsilon_for_report,
    epsilon_for_subspaces,
    forecast_count,
    forecast_count_by,
    forecast_detect,
    forecast_explain,
    forecast_radius,
    forecast_report,
    forecast_rows,
    forecast_subspaces,
    made_up,
    made_up_for_search,
    made_up_near,
    public_rows,
)
from eremite.outliers import OutlierDefinition
from eremite.queries import (
    CompareMechanismsQuery,
    EpsilonForCountQuery,
    EpsilonForDetectQuery,
    EpsilonForExplainQuery,
    EpsilonForReportQuery,
    EpsilonForSubspacesQuery,
    ForecastCountByQuery,
    ForecastCountQuery,
    ForecastDetectQuery,
    ForecastExplainQuery,
    ForecastQuery,
    ForecastRadiusQuery,
    ForecastReportQuery,
    ForecastRowsQuery,
    ForecastSubspacesQuery,
    Progress,
)
from eremite.queries.fields import USUAL_EPSILONS, Number, RowShape, SearchShape, Selection, Shape, Utility
from eremite.table import Facts, Table, open_stand_in, read_description

_MOST_ROWS = 100_000_000  # so many fit in the memory of a large machine


class Forecasts:
    """Forecasts the errors of answers about a table, from public facts and public rows: it has no others.

    Args:
        facts: What is public about the table. Rows are made up from it where there is no stand-in.
        stand_in: Public rows with the same columns and rules.
    """

    def __init__(self, facts: Facts, stand_in: Table | None) -> None:
        if stand_in is not None:
            _require_alike(stand_in, facts)
        self._facts = facts
        self._stand_in = stand_in
        self._made_up: tuple[object, StandIn] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, which are public."""
        return tuple(self._facts.bounds)

    @property
    def n_rows(self) -> int:
        """N, where it is public."""
        if self._facts.neighbors != "replace":
            raise InputError('The number of rows is private with neighbors = "add-remove"; ask count_rows.')
        return self._facts.rows

    @property
    def facts(self) -> Facts:
        """Everything public about the table."""
        return self._facts

    @property
    def rows_per_person(self) -> int:
        """How many rows one person may have, which is public."""
        return self._facts.rows_per_person

    @overload
    def forecast(self, query: ForecastCountQuery, *, progress: Progress | None = None) -> CountForecast: ...

    @overload
    def forecast(
        self,
        query: EpsilonForCountQuery
        | EpsilonForSubspacesQuery
        | EpsilonForReportQuery
        | EpsilonForDetectQuery
        | EpsilonForExplainQuery,
        *,
        progress: Progress | None = None,
    ) -> Fraction: ...

    @overload
    def forecast(self, query: ForecastReportQuery, *, progress: Progress | None = None) -> ReportForecast: ...

    @overload
    def forecast(
        self, query: ForecastDetectQuery | ForecastExplainQuery, *, progress: Progress | None = None
    ) -> NamingForecast: ...

    @overload
    def forecast(self, query: ForecastCountByQuery, *, progress: Progress | None = None) -> CountByForecast: ...

    @overload
    def forecast(self, query: CompareMechanismsQuery, *, progress: Progress | None = None) -> MechanismComparison: ...

    @overload
    def forecast(self, query: ForecastSubspacesQuery, *, progress: Progress | None = None) -> SubspacesForecast: ...

    @overload
    def forecast(self, query: ForecastRadiusQuery, *, progress: Progress | None = None) -> RadiusForecast: ...

    @overload
    def forecast(self, query: ForecastRowsQuery, *, progress: Progress | None = None) -> RowsForecast: ...

    def forecast(
        self, query: ForecastQuery, *, progress: Progress | None = None
    ) -> (
        CountForecast
        | CountByForecast
        | MechanismComparison
        | SubspacesForecast
        | ReportForecast
        | NamingForecast
        | RadiusForecast
        | RowsForecast
        | Fraction
    ):
        """Answer a forecast query. Spends nothing, looks at no private row.

        Computed on the stand-in; without one, on rows made up from public facts, of the query's `shape`: as many as the
        table has, or fewer where that takes long; the forecast says how many. All other methods that forecast build a
        query record and call this one.

        Args:
            query: What to forecast, as a record such as `ForecastCountQuery`.
            progress: Called with a number: of sets of columns looked at so far, where a search is simulated; of
                epsilons or groups that are done, where counts are forecast.
        """
        match query:
            case ForecastCountQuery():
                return forecast_count(self._rows(query.shape), query, progress)
            case ForecastCountByQuery():
                return forecast_count_by(self._rows(query.shape), query, progress)
            case EpsilonForCountQuery():
                return epsilon_for_count(self._rows(query.shape), query, progress)
            case CompareMechanismsQuery():
                return compare_mechanisms(self._rows(query.shape), query, progress)
            case ForecastRadiusQuery():
                return forecast_radius(self._rows(query.shape), query)
            case ForecastRowsQuery():
                return forecast_rows(self.rows_per_person, query)
            case ForecastSubspacesQuery():
                return forecast_subspaces(self._rows_to_search(query), query, progress)
            case EpsilonForSubspacesQuery():
                return epsilon_for_subspaces(self._rows_to_search(query), query, progress)
            case ForecastReportQuery():
                return forecast_report(self._rows_to_search(query), query, progress)
            case EpsilonForReportQuery():
                return epsilon_for_report(self._rows_to_search(query), query, progress)
            case ForecastDetectQuery():
                return forecast_detect(self._rows_near(among_rows=query.candidates is None), query)
            case EpsilonForDetectQuery():
                return epsilon_for_detect(self._rows_near(among_rows=query.candidates is None), query)
            case ForecastExplainQuery():
                return forecast_explain(self._rows_near(), query)
            case EpsilonForExplainQuery():
                return epsilon_for_explain(self._rows_near(), query)
            case _:
                raise InputError("Session.forecast takes a forecast such as ForecastCountQuery; questions go to ask.")

    def forecast_count(
        self,
        definition: OutlierDefinition,
        columns: Iterable[str] | None = None,
        *,
        epsilon: Number | Sequence[Number] = USUAL_EPSILONS,
        delta: Number = 0,
        mechanism: str = "auto",
        reach: int | None = None,
        confidence: Number | None = None,
        shape: Shape = "cautious",
    ) -> CountForecast:
        """How far off `count_outliers` would be, for one epsilon or several. Spends nothing, looks at no private row.

        Args:
            definition: When a row is an outlier.
            columns: The columns that count; default: all.
            epsilon: One epsilon, or a list of them.
            delta: What the count would spend beside epsilon.
            mechanism: The noise; "auto" chooses by public facts.
            reach: How many rows one place may change the count by. Default: chosen from public facts, as for the count.
            confidence: How often the interval, whose length is forecast, shall hold the true count. Default: 0.95.
            shape: Shape of made-up rows, if there is no stand-in: "cautious" (the hardest of several), "clusters",
                "normal" or "uniform".
        """
        return self.forecast(
            ForecastCountQuery(
                definition=definition,
                columns=columns,
                epsilon=epsilon,
                delta=delta,
                mechanism=mechanism,
                reach=reach,
                confidence=confidence,
                shape=shape,
            )
        )

    def forecast_count_by(
        self,
        definition: OutlierDefinition,
        *,
        by: str | Sequence[str],
        columns: Iterable[str] | None = None,
        epsilon: Number | Sequence[Number] = USUAL_EPSILONS,
        reach: int | None = None,
        confidence: Number | None = None,
        shape: Shape = "cautious",
    ) -> CountByForecast:
        """How far off the counts of `count_outliers_by` would be, group by group. Spends nothing, looks at no private
        row.

        Args:
            definition: When a row is an outlier.
            by: The column with categories whose values make the groups, or a list of such columns.
            columns: The columns that count; default: all.
            epsilon: One epsilon, or a list of them.
            reach: How many rows one place of a group may change its count by. Default: chosen from public facts.
            confidence: How often the interval of a group shall hold its true count. Default: 0.95.
            shape: Shape of made-up rows, if there is no stand-in: "cautious" (the hardest of several; all groups have
                the same error), "clusters", "normal" or "uniform" (every category is as frequent as any other).
        """
        return self.forecast(
            ForecastCountByQuery(
                definition=definition,
                by=by,
                columns=columns,
                epsilon=epsilon,
                reach=reach,
                confidence=confidence,
                shape=shape,
            )
        )

    def epsilon_for_count(
        self,
        definition: OutlierDefinition,
        columns: Iterable[str] | None = None,
        *,
        within: Number,
        delta: Number = 0,
        mechanism: str = "auto",
        reach: int | None = None,
        shape: Shape = "cautious",
    ) -> Fraction:
        """Which epsilon makes 95 % of the counts right to within so many rows, forecast as by `forecast_count`.

        Args:
            definition: When a row is an outlier.
            columns: The columns that count; default: all.
            within: How far off a count may be, in rows.
            delta: What the count would spend beside epsilon.
            mechanism: The noise; "auto" chooses by public facts.
            reach: How many rows one place may change the count by. Default: chosen from public facts, as for the count.
            shape: Shape of made-up rows, if there is no stand-in: "cautious" (the hardest of several), "clusters",
                "normal" or "uniform".
        """
        return self.forecast(
            EpsilonForCountQuery(
                definition=definition,
                columns=columns,
                within=within,
                delta=delta,
                mechanism=mechanism,
                reach=reach,
                shape=shape,
            )
        )

    def compare_mechanisms(
        self,
        definition: OutlierDefinition,
        columns: Iterable[str] | None = None,
        *,
        epsilon: Number | Sequence[Number] = USUAL_EPSILONS,
        delta: Number = 0,
        shape: Shape = "cautious",
    ) -> MechanismComparison:
        """How far off `count_outliers` would be with each mechanism. Spends nothing, looks at no private row.

        Without a `delta` only the pure mechanisms answer; the record says why others are left out.

        Args:
            definition: When a row is an outlier.
            columns: The columns that count; default: all.
            epsilon: One epsilon, or a list of them.
            delta: What the count would spend beside epsilon.
            shape: Shape of made-up rows, if there is no stand-in: "cautious" (the hardest of several), "clusters",
                "normal" or "uniform".
        """
        return self.forecast(
            CompareMechanismsQuery(definition=definition, columns=columns, epsilon=epsilon, delta=delta, shape=shape)
        )

    def forecast_subspaces(
        self,
        definition: OutlierDefinition,
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: Number | Sequence[Number] = USUAL_EPSILONS,
        delta: Number = 0,
        utility: Utility = "auto",
        selection: Selection = "permute-and-flip",
        shape: SearchShape = "cautious",
        progress: Progress | None = None,
    ) -> SubspacesForecast:
        """How likely `top_subspaces` names the right sets, for one epsilon or several. Spends nothing, looks at no
        private row.

        The search is simulated. Cost: one close look at every set of columns of the stand-in.

        Args:
            definition: When a row is an outlier.
            h: How many sets to name.
            size: Search all sets of this many columns.
            max_size: Search all sets of up to this many columns.
            subspaces: Search these sets. Give one of size, max_size and subspaces.
            epsilon: One epsilon, or a list of them.
            delta: What the search would spend beside epsilon.
            utility: How sets are scored: "compared", "centered", "dampened" or "paper"; "auto" chooses by public
                facts.
            selection: How one is drawn: "permute-and-flip" or "exponential".
            shape: Shape of made-up rows, if there is no stand-in: "cautious" (no rows but counts, each a sixth below
                the one before), "planted" (in groups, with outliers planted in h sets of columns), "clusters", "normal"
                or "uniform".
            progress: Called with the number of sets looked at so far.
        """
        query = ForecastSubspacesQuery(
            definition=definition,
            h=h,
            size=size,
            max_size=max_size,
            subspaces=subspaces,
            epsilon=epsilon,
            delta=delta,
            utility=utility,
            selection=selection,
            shape=shape,
        )
        return self.forecast(query, progress=progress)

    def epsilon_for_subspaces(
        self,
        definition: OutlierDefinition,
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        probability: Number = "0.9",
        delta: Number = 0,
        utility: Utility = "auto",
        selection: Selection = "permute-and-flip",
        shape: SearchShape = "cautious",
        progress: Progress | None = None,
    ) -> Fraction:
        """Which epsilon makes all h sets right with this probability, forecast as by `forecast_subspaces`.

        Args:
            definition: When a row is an outlier.
            h: How many sets to name.
            size: Search all sets of this many columns.
            max_size: Search all sets of up to this many columns.
            subspaces: Search these sets. Give one of size, max_size and subspaces.
            probability: Probability that all sets named are right.
            delta: What the search would spend beside epsilon.
            utility: How sets are scored, as in `forecast_subspaces`.
            selection: How one is drawn: "permute-and-flip" or "exponential".
            shape: Shape of made-up rows, as in `forecast_subspaces`.
            progress: Called with the number of sets looked at so far.
        """
        query = EpsilonForSubspacesQuery(
            definition=definition,
            h=h,
            size=size,
            max_size=max_size,
            subspaces=subspaces,
            probability=probability,
            delta=delta,
            utility=utility,
            selection=selection,
            shape=shape,
        )
        return self.forecast(query, progress=progress)

    def forecast_report(
        self,
        definition: OutlierDefinition,
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: Number | Sequence[Number] = USUAL_EPSILONS,
        delta: Number = 0,
        shape: SearchShape = "cautious",
        progress: Progress | None = None,
    ) -> ReportForecast:
        """How likely `outlier_report` names the right sets, and how far off its counts would be, for one epsilon or
        several. Spends nothing, looks at no private row.

        Args:
            definition: When a row is an outlier.
            h: How many sets to name.
            size: Search all sets of this many columns.
            max_size: Search all sets of up to this many columns.
            subspaces: Search these sets. Give one of size, max_size and subspaces.
            epsilon: One epsilon, or a list of them.
            delta: What the report would spend beside epsilon.
            shape: Shape of made-up rows, as in `forecast_subspaces`.
            progress: Called with the number of sets looked at so far.
        """
        query = ForecastReportQuery(
            definition=definition,
            h=h,
            size=size,
            max_size=max_size,
            subspaces=subspaces,
            epsilon=epsilon,
            delta=delta,
            shape=shape,
        )
        return self.forecast(query, progress=progress)

    def epsilon_for_report(
        self,
        definition: OutlierDefinition,
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        probability: Number = "0.9",
        delta: Number = 0,
        shape: SearchShape = "cautious",
        progress: Progress | None = None,
    ) -> Fraction:
        """Which epsilon makes all h sets of a report right with this probability, forecast as by `forecast_report`.

        Args:
            definition: When a row is an outlier.
            h: How many sets to name.
            size: Search all sets of this many columns.
            max_size: Search all sets of up to this many columns.
            subspaces: Search these sets. Give one of size, max_size and subspaces.
            probability: Probability that all sets named are right.
            delta: What the report would spend beside epsilon.
            shape: Shape of made-up rows, as in `forecast_subspaces`.
            progress: Called with the number of sets looked at so far.
        """
        query = EpsilonForReportQuery(
            definition=definition,
            h=h,
            size=size,
            max_size=max_size,
            subspaces=subspaces,
            probability=probability,
            delta=delta,
            shape=shape,
        )
        return self.forecast(query, progress=progress)

    def forecast_detect(
        self,
        definition: OutlierDefinition,
        *,
        candidates: Any,
        h: int,
        columns: Iterable[str] | None = None,
        epsilon: Number | Sequence[Number] = USUAL_EPSILONS,
    ) -> NamingForecast:
        """How likely `detect_outliers` names the right candidates, for one epsilon or several. Spends nothing, looks at
        no private row.

        Computed on the stand-in; without one, as if h candidates had no row near and all others ten times
        `min_neighbors`; of the rows, as if one in a hundred had no row near and all others `min_neighbors`.

        Args:
            definition: When a candidate is an outlier.
            candidates: Public points, as `detect_outliers` takes them; None for the rows of the table.
            h: How many to name.
            columns: The columns that count; default: all.
            epsilon: One epsilon, or a list of them.
        """
        return self.forecast(
            ForecastDetectQuery(definition=definition, candidates=candidates, h=h, columns=columns, epsilon=epsilon)
        )

    def epsilon_for_detect(
        self,
        definition: OutlierDefinition,
        *,
        candidates: Any,
        h: int,
        columns: Iterable[str] | None = None,
        probability: Number = "0.9",
    ) -> Fraction:
        """Which epsilon makes all candidates named right with this probability, forecast as by `forecast_detect`.

        Args:
            definition: When a candidate is an outlier.
            candidates: Public points, as `detect_outliers` takes them; None for the rows of the table.
            h: How many to name.
            columns: The columns that count; default: all.
            probability: Probability that all candidates named are right.
        """
        return self.forecast(
            EpsilonForDetectQuery(
                definition=definition, candidates=candidates, h=h, columns=columns, probability=probability
            )
        )

    def forecast_explain(
        self,
        definition: OutlierDefinition,
        *,
        point: Any,
        h: int,
        max_size: int,
        columns: Iterable[str] | None = None,
        epsilon: Number | Sequence[Number] = USUAL_EPSILONS,
    ) -> NamingForecast:
        """How likely `explain_outlier` names the right sets of columns, for one epsilon or several. Spends nothing,
        looks at no private row.

        Computed on the stand-in; without one, as if the point had no row near in h columns and ten times
        `min_neighbors` in all others.

        Args:
            definition: When a point is an outlier.
            point: A public point, or several, as `explain_outlier` takes them.
            h: How many sets to name for each point.
            max_size: Search all sets of up to this many columns.
            columns: The columns that count; default: all.
            epsilon: One epsilon, or a list of them.
        """
        return self.forecast(
            ForecastExplainQuery(
                definition=definition, point=point, h=h, max_size=max_size, columns=columns, epsilon=epsilon
            )
        )

    def epsilon_for_explain(
        self,
        definition: OutlierDefinition,
        *,
        point: Any,
        h: int,
        max_size: int,
        columns: Iterable[str] | None = None,
        probability: Number = "0.9",
    ) -> Fraction:
        """Which epsilon makes all sets named right with this probability, forecast as by `forecast_explain`.

        Args:
            definition: When a point is an outlier.
            point: A public point, or several, as `explain_outlier` takes them.
            h: How many sets to name for each point.
            max_size: Search all sets of up to this many columns.
            columns: The columns that count; default: all.
            probability: Probability that all sets named are right.
        """
        return self.forecast(
            EpsilonForExplainQuery(
                definition=definition, point=point, h=h, max_size=max_size, columns=columns, probability=probability
            )
        )

    def forecast_radius(
        self,
        min_neighbors: int,
        *,
        share: Number,
        columns: Iterable[str] | None = None,
        radii: Sequence[float] | None = None,
        within: Sequence[str] | None = None,
        shape: RowShape = "clusters",
    ) -> RadiusForecast:
        """At which radius is about this share of public or made-up rows outliers. Spends nothing.

        Args:
            min_neighbors: A row with fewer other rows near it is an outlier.
            share: Which part of the rows shall be outliers: 0.01 or "1/100".
            columns: The columns that count; default: all.
            radii: The list to choose from; default: 0.001 to 0.4.
            within: Columns with categories; only rows that agree on them are neighbors.
            shape: Shape of made-up rows, if there is no stand-in: "clusters", "normal" or "uniform".
        """
        return self.forecast(
            ForecastRadiusQuery(
                min_neighbors=min_neighbors, share=share, columns=columns, radii=radii, within=within, shape=shape
            )
        )

    def forecast_rows(self, *, epsilon: Number | Sequence[Number] = USUAL_EPSILONS) -> RowsForecast:
        """How far off `count_rows` would be, for one epsilon or several; the same for every table. Spends nothing.

        Args:
            epsilon: One epsilon, or a list of them.
        """
        return self.forecast(ForecastRowsQuery(epsilon=epsilon))

    def _rows(self, shape: Shape) -> StandIn:
        """Public rows, or made-up ones."""
        return self._once(shape, lambda: made_up(self._facts, shape))

    def _rows_near(self, *, among_rows: bool = False) -> StandIn:
        """Public rows, or made-up numbers of rows near points, or near rows."""
        return self._once(("near", among_rows), lambda: made_up_near(self._facts, among_rows=among_rows))

    def _rows_to_search(
        self,
        query: ForecastSubspacesQuery | EpsilonForSubspacesQuery | ForecastReportQuery | EpsilonForReportQuery,
    ) -> StandIn:
        """Public rows, or made-up ones with something to find."""
        family = query.family(self.columns)
        key = (query.shape, query.h, family)
        return self._once(key, lambda: made_up_for_search(family, query.h, self._facts, query.shape))

    def _once(self, key: object, make: Callable[[], StandIn]) -> StandIn:
        """The stand-in; without one, the rows made up last if they were made up in the same way."""
        if self._stand_in is not None:
            return public_rows(self._stand_in)
        if self._made_up is None or self._made_up[0] != key:
            self._made_up = (key, make())
        return self._made_up[1]


def open_forecasts(path: str | Path, rows: int | None = None) -> Forecasts:
    """Forecasts for the table of a description file, which is not opened.

    Args:
        path: The description file.
        rows: The public number of rows of the table, where the description names no stand-in and rows are made up.
    """
    description = read_description(path)
    stand_in, dataset = open_stand_in(description), description.dataset
    if stand_in is not None:
        return Forecasts(stand_in.facts, stand_in)
    if rows is None:
        rows = dataset.rows_about
    if rows is None:
        raise InputError(
            f"{description.path} names no stand_in, so rows are made up: give rows (--rows), the public number of rows "
            "of the table."
        )
    if not 1 <= rows <= _MOST_ROWS:
        raise InputError(f"rows (--rows) must be a whole number from 1 to {_MOST_ROWS:,}.")
    return Forecasts(Facts(description.rules(), dataset.rows_per_person, dataset.neighbors, rows), None)


def _require_alike(stand_in: object, facts: Facts) -> None:
    """Forecasts scale and split as the table's own questions do."""
    if not isinstance(stand_in, Table) or replace(stand_in.facts, rows=facts.rows) != facts:
        raise InputError(
            "stand_in must be a Table with the same columns, bounds, categories, rules, neighbors and rows_per_person "
            "as the table."
        )
