"""Forecast queries: the fields of a question without its epsilon, and the shape of made-up rows."""

from dataclasses import dataclass, fields
from typing import ClassVar

from eremite.queries.count import CountQuery
from eremite.queries.detection import DetectQuery
from eremite.queries.explain import ExplainQuery
from eremite.queries.fields import (
    FROM_JSON,
    USUAL_EPSILONS,
    By,
    Candidates,
    Columns,
    Confidence,
    Definition,
    Delta,
    Epsilons,
    LargestSize,
    MechanismName,
    MinNeighbors,
    Number,
    Point,
    Probability,
    Radii,
    Reach,
    RowShapeName,
    SearchShapeName,
    ShapeName,
    Share,
    Strata,
    Top,
    Within,
)
from eremite.queries.groups import CountByQuery
from eremite.queries.report import ReportQuery
from eremite.queries.subspaces import FamilyFields, SearchFields, SubspacesQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class _CountForecast:
    """A count without its epsilon."""

    __pydantic_config__ = FROM_JSON

    definition: Definition
    columns: Columns = None
    delta: Delta = 0
    shape: ShapeName = "cautious"

    def at(
        self, epsilon: Number, mechanism: str, reach: int | None = None, confidence: Number | None = None
    ) -> CountQuery:
        """The count whose error is forecast."""
        return CountQuery(
            definition=self.definition,
            columns=self.columns,
            epsilon=epsilon,
            delta=self.delta,
            mechanism=mechanism,
            reach=reach,
            confidence=confidence,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastCountQuery(_CountForecast):
    """How far off a count would be, and how long its interval."""

    name: ClassVar[str] = "forecast_count"

    epsilon: Epsilons = USUAL_EPSILONS
    mechanism: MechanismName = "auto"
    reach: Reach = None
    confidence: Confidence = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpsilonForCountQuery(_CountForecast):
    """Which epsilon makes 95 % of the counts right to within so many rows."""

    name: ClassVar[str] = "epsilon_for_count"

    within: Within
    mechanism: MechanismName = "auto"
    reach: Reach = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareMechanismsQuery(_CountForecast):
    """How far off a count would be with each mechanism."""

    name: ClassVar[str] = "compare_mechanisms"

    epsilon: Epsilons = USUAL_EPSILONS


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastCountByQuery:
    """How far off the count of each group would be, and how long its interval."""

    name: ClassVar[str] = "forecast_count_by"
    __pydantic_config__ = FROM_JSON

    definition: Definition
    by: By
    columns: Columns = None
    epsilon: Epsilons = USUAL_EPSILONS
    reach: Reach = None
    confidence: Confidence = None
    shape: ShapeName = "cautious"

    def at(self, epsilon: Number) -> CountByQuery:
        """The counts whose errors are forecast."""
        return CountByQuery(
            definition=self.definition,
            by=self.by,
            columns=self.columns,
            epsilon=epsilon,
            reach=self.reach,
            confidence=self.confidence,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SubspacesForecast(SearchFields):
    """A search without its epsilon."""

    shape: SearchShapeName = "cautious"

    def at(self, epsilon: Number) -> SubspacesQuery:
        """The search whose chances are forecast."""
        asked = {field.name: getattr(self, field.name) for field in fields(SearchFields)}
        return SubspacesQuery(**asked, epsilon=epsilon)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastSubspacesQuery(_SubspacesForecast):
    """How likely the right sets of columns would be named."""

    name: ClassVar[str] = "forecast_subspaces"

    epsilon: Epsilons = USUAL_EPSILONS


@dataclass(frozen=True, slots=True, kw_only=True)
class EpsilonForSubspacesQuery(_SubspacesForecast):
    """Which epsilon makes all sets named right with some probability."""

    name: ClassVar[str] = "epsilon_for_subspaces"

    probability: Probability = "0.9"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReportForecast(FamilyFields):
    """A report without its epsilon."""

    shape: SearchShapeName = "cautious"

    def at(self, epsilon: Number) -> ReportQuery:
        """The report whose chances and errors are forecast."""
        asked = {field.name: getattr(self, field.name) for field in fields(FamilyFields)}
        return ReportQuery(**asked, epsilon=epsilon)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastReportQuery(_ReportForecast):
    """How likely the right sets of columns would be reported, and how far off their counts would be."""

    name: ClassVar[str] = "forecast_report"

    epsilon: Epsilons = USUAL_EPSILONS


@dataclass(frozen=True, slots=True, kw_only=True)
class EpsilonForReportQuery(_ReportForecast):
    """Which epsilon makes all sets of a report right with some probability."""

    name: ClassVar[str] = "epsilon_for_report"

    probability: Probability = "0.9"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _DetectForecast:
    """A detection without its epsilon."""

    __pydantic_config__ = FROM_JSON

    definition: Definition
    candidates: Candidates
    h: Top
    columns: Columns = None

    def at(self, epsilon: Number) -> DetectQuery:
        """The detection whose chances are forecast."""
        asked = {field.name: getattr(self, field.name) for field in fields(_DetectForecast)}
        return DetectQuery(**asked, epsilon=epsilon)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ForecastDetectQuery(_DetectForecast):
    """How likely the candidates with the fewest rows near them would be named."""

    name: ClassVar[str] = "forecast_detect"

    epsilon: Epsilons = USUAL_EPSILONS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EpsilonForDetectQuery(_DetectForecast):
    """Which epsilon makes all candidates named right with some probability."""

    name: ClassVar[str] = "epsilon_for_detect"

    probability: Probability = "0.9"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ExplainForecast:
    """An explanation without its epsilon."""

    __pydantic_config__ = FROM_JSON

    definition: Definition
    point: Point
    h: Top
    max_size: LargestSize
    columns: Columns = None

    def at(self, epsilon: Number) -> ExplainQuery:
        """The explanation whose chances are forecast."""
        asked = {field.name: getattr(self, field.name) for field in fields(_ExplainForecast)}
        return ExplainQuery(**asked, epsilon=epsilon)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ForecastExplainQuery(_ExplainForecast):
    """How likely the sets of columns in which a point stands most alone would be named."""

    name: ClassVar[str] = "forecast_explain"

    epsilon: Epsilons = USUAL_EPSILONS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EpsilonForExplainQuery(_ExplainForecast):
    """Which epsilon makes all sets named for a point right with some probability."""

    name: ClassVar[str] = "epsilon_for_explain"

    probability: Probability = "0.9"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastRadiusQuery:
    """At which radius is about this share of public or made-up rows outliers."""

    name: ClassVar[str] = "forecast_radius"
    __pydantic_config__ = FROM_JSON

    min_neighbors: MinNeighbors
    share: Share
    columns: Columns = None
    radii: Radii = None
    within: Strata = None
    shape: RowShapeName = "clusters"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastRowsQuery:
    """How far off a number of rows would be."""

    name: ClassVar[str] = "forecast_rows"
    __pydantic_config__ = FROM_JSON

    epsilon: Epsilons = USUAL_EPSILONS


ForecastQuery = (
    ForecastCountQuery
    | ForecastCountByQuery
    | EpsilonForCountQuery
    | CompareMechanismsQuery
    | ForecastSubspacesQuery
    | EpsilonForSubspacesQuery
    | ForecastReportQuery
    | EpsilonForReportQuery
    | ForecastDetectQuery
    | EpsilonForDetectQuery
    | ForecastExplainQuery
    | EpsilonForExplainQuery
    | ForecastRadiusQuery
    | ForecastRowsQuery
)
