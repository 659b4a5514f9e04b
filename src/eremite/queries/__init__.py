"""Questions to a table: a frozen record each, planned from public facts, charged, and only then computed."""

from eremite.queries.count import CountQuery
from eremite.queries.detection import DetectQuery
from eremite.queries.explain import ExplainQuery
from eremite.queries.forecasts import (
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
)
from eremite.queries.groups import CountByQuery
from eremite.queries.plan import Plan, Progress
from eremite.queries.radius import RadiusQuery
from eremite.queries.report import ReportQuery
from eremite.queries.rows import RowsQuery
from eremite.queries.screening import ScreenQuery
from eremite.queries.subspaces import SubspacesQuery

__all__ = [
    "CompareMechanismsQuery",
    "CountByQuery",
    "CountQuery",
    "DetectQuery",
    "EpsilonForCountQuery",
    "EpsilonForDetectQuery",
    "EpsilonForExplainQuery",
    "EpsilonForReportQuery",
    "EpsilonForSubspacesQuery",
    "ExplainQuery",
    "ForecastCountByQuery",
    "ForecastCountQuery",
    "ForecastDetectQuery",
    "ForecastExplainQuery",
    "ForecastQuery",
    "ForecastRadiusQuery",
    "ForecastReportQuery",
    "ForecastRowsQuery",
    "ForecastSubspacesQuery",
    "Plan",
    "Progress",
    "RadiusQuery",
    "ReportQuery",
    "RowsQuery",
    "ScreenQuery",
    "SubspacesQuery",
]
