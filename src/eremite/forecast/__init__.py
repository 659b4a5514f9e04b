"""The error to expect before anything is spent: computed on public rows, or on made-up ones, never on private rows."""

from eremite.forecast.comparison import LeftOut, MechanismComparison, compare_mechanisms
from eremite.forecast.count import CountError, CountForecast, epsilon_for_count, errors_chart, forecast_count
from eremite.forecast.expected import expected_of
from eremite.forecast.groups import CountByForecast, GroupErrors, forecast_count_by
from eremite.forecast.planted import SEARCH_SHAPES, made_up_for_search
from eremite.forecast.points import (
    NamingChance,
    NamingForecast,
    epsilon_for_detect,
    epsilon_for_explain,
    forecast_detect,
    forecast_explain,
    made_up_near,
)
from eremite.forecast.radius import RadiusForecast, forecast_radius
from eremite.forecast.record import ForecastRecord
from eremite.forecast.report import ReportChance, ReportForecast, epsilon_for_report, forecast_report
from eremite.forecast.rows import RowsForecast, forecast_rows
from eremite.forecast.stand_in import SHAPES, StandIn, made_up, public_rows
from eremite.forecast.subspaces import (
    SubspacesChance,
    SubspacesForecast,
    epsilon_for_subspaces,
    forecast_subspaces,
)

__all__ = [
    "SEARCH_SHAPES",
    "SHAPES",
    "CountByForecast",
    "CountError",
    "CountForecast",
    "ForecastRecord",
    "GroupErrors",
    "LeftOut",
    "MechanismComparison",
    "NamingChance",
    "NamingForecast",
    "RadiusForecast",
    "ReportChance",
    "ReportForecast",
    "RowsForecast",
    "StandIn",
    "SubspacesChance",
    "SubspacesForecast",
    "compare_mechanisms",
    "epsilon_for_count",
    "epsilon_for_detect",
    "epsilon_for_explain",
    "epsilon_for_report",
    "epsilon_for_subspaces",
    "errors_chart",
    "expected_of",
    "forecast_count",
    "forecast_count_by",
    "forecast_detect",
    "forecast_explain",
    "forecast_radius",
    "forecast_report",
    "forecast_rows",
    "forecast_subspaces",
    "made_up",
    "made_up_for_search",
    "made_up_near",
    "public_rows",
]
