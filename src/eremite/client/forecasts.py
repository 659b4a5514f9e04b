"""Forecasts of a service: what can be asked for free, before anything is spent."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

from eremite.client.asking import Asking
from eremite.client.bodies import fields_of, is_forecast
from eremite.errors import InputError

if TYPE_CHECKING:
    from eremite.forecast import (
        CountByForecast,
        CountForecast,
        MechanismComparison,
        NamingForecast,
        RadiusForecast,
        ReportForecast,
        RowsForecast,
        SubspacesForecast,
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
        ForecastRadiusQuery,
        ForecastReportQuery,
        ForecastRowsQuery,
        ForecastSubspacesQuery,
    )
    from eremite.queries.fields import Number, RowShape, SearchShape, Selection, Shape, Utility


class RemoteForecasts:
    """Forecasts the errors of answers about a dataset of a service, as `Session` does: the service computes them.

    Where `epsilon` is not given, forecasts are for the usual ones.
    """

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    @overload
    def forecast(self, query: "ForecastCountQuery") -> "CountForecast": ...

    @overload
    def forecast(
        self,
        query: "EpsilonForCountQuery | EpsilonForSubspacesQuery | EpsilonForReportQuery | EpsilonForDetectQuery "
        "| EpsilonForExplainQuery",
    ) -> Fraction: ...

    @overload
    def forecast(self, query: "ForecastReportQuery") -> "ReportForecast": ...

    @overload
    def forecast(self, query: "ForecastDetectQuery | ForecastExplainQuery") -> "NamingForecast": ...

    @overload
    def forecast(self, query: "ForecastCountByQuery") -> "CountByForecast": ...

    @overload
    def forecast(self, query: "CompareMechanismsQuery") -> "MechanismComparison": ...

    @overload
    def forecast(self, query: "ForecastSubspacesQuery") -> "SubspacesForecast": ...

    @overload
    def forecast(self, query: "ForecastRadiusQuery") -> "RadiusForecast": ...

    @overload
    def forecast(self, query: "ForecastRowsQuery") -> "RowsForecast": ...

    def forecast(self, query: Any) -> Any:
        """Answer a forecast query, as `Session.forecast`. Spends nothing, looks at no private row."""
        asked = fields_of(query)
        if not is_forecast(query.name):
            raise InputError("forecast takes a forecast such as ForecastCountQuery; questions go to ask.")
        return self._asking.ask(query.name, asked)

    def forecast_count(
        self,
        definition: "OutlierDefinition",
        columns: Iterable[str] | None = None,
        *,
        epsilon: "Number | Sequence[Number] | None" = None,
        delta: "Number" = 0,
        mechanism: str = "auto",
        reach: int | None = None,
        confidence: "Number | None" = None,
        shape: "Shape" = "cautious",
    ) -> "CountForecast":
        """How far off `count_outliers` would be, as `Session.forecast_count` says it. Spends nothing."""
        answer: CountForecast = self._forecast(
            "forecast_count",
            definition=definition,
            columns=columns,
            epsilon=epsilon,
            delta=delta,
            mechanism=mechanism,
            reach=reach,
            confidence=confidence,
            shape=shape,
        )
        return answer

    def forecast_count_by(
        self,
        definition: "OutlierDefinition",
        *,
        by: str | Sequence[str],
        columns: Iterable[str] | None = None,
        epsilon: "Number | Sequence[Number] | None" = None,
        reach: int | None = None,
        confidence: "Number | None" = None,
        shape: "Shape" = "cautious",
    ) -> "CountByForecast":
        """How far off the counts of `count_outliers_by` would be, group by group. Spends nothing."""
        answer: CountByForecast = self._forecast(
            "forecast_count_by",
            definition=definition,
            by=by,
            columns=columns,
            epsilon=epsilon,
            reach=reach,
            confidence=confidence,
            shape=shape,
        )
        return answer

    def epsilon_for_count(
        self,
        definition: "OutlierDefinition",
        columns: Iterable[str] | None = None,
        *,
        within: "Number",
        delta: "Number" = 0,
        mechanism: str = "auto",
        reach: int | None = None,
        shape: "Shape" = "cautious",
    ) -> Fraction:
        """Which epsilon makes 95 % of the counts right to within so many rows. Spends nothing."""
        answer: Fraction = self._forecast(
            "epsilon_for_count",
            definition=definition,
            columns=columns,
            within=within,
            delta=delta,
            mechanism=mechanism,
            reach=reach,
            shape=shape,
        )
        return answer

    def compare_mechanisms(
        self,
        definition: "OutlierDefinition",
        columns: Iterable[str] | None = None,
        *,
        epsilon: "Number | Sequence[Number] | None" = None,
        delta: "Number" = 0,
        shape: "Shape" = "cautious",
    ) -> "MechanismComparison":
        """How far off `count_outliers` would be with each mechanism. Spends nothing."""
        answer: MechanismComparison = self._forecast(
            "compare_mechanisms",
            definition=definition,
            columns=columns,
            epsilon=epsilon,
            delta=delta,
            shape=shape,
        )
        return answer

    def forecast_subspaces(
        self,
        definition: "OutlierDefinition",
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: "Number | Sequence[Number] | None" = None,
        delta: "Number" = 0,
        utility: "Utility" = "auto",
        selection: "Selection" = "permute-and-flip",
        shape: "SearchShape" = "cautious",
    ) -> "SubspacesForecast":
        """How likely `top_subspaces` names the right sets. Spends nothing."""
        answer: SubspacesForecast = self._forecast(
            "forecast_subspaces",
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
        return answer

    def epsilon_for_subspaces(
        self,
        definition: "OutlierDefinition",
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        probability: "Number" = "0.9",
        delta: "Number" = 0,
        utility: "Utility" = "auto",
        selection: "Selection" = "permute-and-flip",
        shape: "SearchShape" = "cautious",
    ) -> Fraction:
        """Which epsilon makes all h sets right with this probability. Spends nothing."""
        answer: Fraction = self._forecast(
            "epsilon_for_subspaces",
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
        return answer

    def forecast_report(
        self,
        definition: "OutlierDefinition",
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: "Number | Sequence[Number] | None" = None,
        delta: "Number" = 0,
        shape: "SearchShape" = "cautious",
    ) -> "ReportForecast":
        """How likely `outlier_report` names the right sets, and how far off its counts would be. Spends nothing."""
        answer: ReportForecast = self._forecast(
            "forecast_report",
            definition=definition,
            h=h,
            size=size,
            max_size=max_size,
            subspaces=subspaces,
            epsilon=epsilon,
            delta=delta,
            shape=shape,
        )
        return answer

    def epsilon_for_report(
        self,
        definition: "OutlierDefinition",
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        probability: "Number" = "0.9",
        delta: "Number" = 0,
        shape: "SearchShape" = "cautious",
    ) -> Fraction:
        """Which epsilon makes all h sets of a report right with this probability. Spends nothing."""
        answer: Fraction = self._forecast(
            "epsilon_for_report",
            definition=definition,
            h=h,
            size=size,
            max_size=max_size,
            subspaces=subspaces,
            probability=probability,
            delta=delta,
            shape=shape,
        )
        return answer

    def forecast_detect(
        self,
        definition: "OutlierDefinition",
        *,
        candidates: Any,
        h: int,
        columns: Iterable[str] | None = None,
        epsilon: "Number | Sequence[Number] | None" = None,
    ) -> "NamingForecast":
        """How likely `detect_outliers` names the right candidates. Spends nothing."""
        answer: NamingForecast = self._forecast(
            "forecast_detect",
            definition=definition,
            candidates=candidates,
            h=h,
            columns=columns,
            epsilon=epsilon,
        )
        return answer

    def epsilon_for_detect(
        self,
        definition: "OutlierDefinition",
        *,
        candidates: Any,
        h: int,
        columns: Iterable[str] | None = None,
        probability: "Number" = "0.9",
    ) -> Fraction:
        """Which epsilon makes all candidates named right with this probability. Spends nothing."""
        answer: Fraction = self._forecast(
            "epsilon_for_detect",
            definition=definition,
            candidates=candidates,
            h=h,
            columns=columns,
            probability=probability,
        )
        return answer

    def forecast_explain(
        self,
        definition: "OutlierDefinition",
        *,
        point: Any,
        h: int,
        max_size: int,
        columns: Iterable[str] | None = None,
        epsilon: "Number | Sequence[Number] | None" = None,
    ) -> "NamingForecast":
        """How likely `explain_outlier` names the right sets of columns. Spends nothing."""
        answer: NamingForecast = self._forecast(
            "forecast_explain",
            definition=definition,
            point=point,
            h=h,
            max_size=max_size,
            columns=columns,
            epsilon=epsilon,
        )
        return answer

    def epsilon_for_explain(
        self,
        definition: "OutlierDefinition",
        *,
        point: Any,
        h: int,
        max_size: int,
        columns: Iterable[str] | None = None,
        probability: "Number" = "0.9",
    ) -> Fraction:
        """Which epsilon makes all sets named right with this probability. Spends nothing."""
        answer: Fraction = self._forecast(
            "epsilon_for_explain",
            definition=definition,
            point=point,
            h=h,
            max_size=max_size,
            columns=columns,
            probability=probability,
        )
        return answer

    def forecast_radius(
        self,
        min_neighbors: int,
        *,
        share: "Number",
        columns: Iterable[str] | None = None,
        radii: Sequence[float] | None = None,
        within: Sequence[str] | None = None,
        shape: "RowShape" = "clusters",
    ) -> "RadiusForecast":
        """At which radius is about this share of public or made-up rows outliers. Spends nothing."""
        answer: RadiusForecast = self._forecast(
            "forecast_radius",
            min_neighbors=min_neighbors,
            share=share,
            columns=columns,
            radii=radii,
            within=within,
            shape=shape,
        )
        return answer

    def forecast_rows(
        self,
        *,
        epsilon: "Number | Sequence[Number] | None" = None,
    ) -> "RowsForecast":
        """How far off `count_rows` would be; the same for every table. Spends nothing."""
        answer: RowsForecast = self._forecast(
            "forecast_rows",
            epsilon=epsilon,
        )
        return answer

    def _forecast(self, name: str, **asked: Any) -> Any:
        return self._asking.ask(name, asked)
