"""The error to expect before anything is spent: computed on public rows, or on made-up ones, never on private rows.

Names load when they are first used: the records are light, and what computes them is not.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eremite.forecast.comparison import compare_mechanisms
    from eremite.forecast.count import epsilon_for_count, forecast_count
    from eremite.forecast.expected import expected_of
    from eremite.forecast.groups import forecast_count_by
    from eremite.forecast.planted import SEARCH_SHAPES, made_up_for_search
    from eremite.forecast.points import (
        epsilon_for_detect,
        epsilon_for_explain,
        forecast_detect,
        forecast_explain,
        made_up_near,
    )
    from eremite.forecast.radius import forecast_radius
    from eremite.forecast.record import ForecastRecord
    from eremite.forecast.records import (
        CountByForecast,
        CountError,
        CountForecast,
        GroupErrors,
        LeftOut,
        MechanismComparison,
        NamingChance,
        NamingForecast,
        RadiusForecast,
        ReportChance,
        ReportForecast,
        RowsForecast,
        SubspacesChance,
        SubspacesForecast,
        errors_chart,
    )
    from eremite.forecast.report import epsilon_for_report, forecast_report
    from eremite.forecast.rows import forecast_rows
    from eremite.forecast.stand_in import SHAPES, StandIn, made_up, public_rows
    from eremite.forecast.subspaces import epsilon_for_subspaces, forecast_subspaces

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

#: The module of each name; all others are records.
_HOMES = {
    "SEARCH_SHAPES": "planted",
    "SHAPES": "stand_in",
    "ForecastRecord": "record",
    "StandIn": "stand_in",
    "compare_mechanisms": "comparison",
    "epsilon_for_count": "count",
    "epsilon_for_detect": "points",
    "epsilon_for_explain": "points",
    "epsilon_for_report": "report",
    "epsilon_for_subspaces": "subspaces",
    "expected_of": "expected",
    "forecast_count": "count",
    "forecast_count_by": "groups",
    "forecast_detect": "points",
    "forecast_explain": "points",
    "forecast_radius": "radius",
    "forecast_report": "report",
    "forecast_rows": "rows",
    "forecast_subspaces": "subspaces",
    "made_up": "stand_in",
    "made_up_for_search": "planted",
    "made_up_near": "points",
    "public_rows": "stand_in",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'eremite.forecast' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"eremite.forecast.{_HOMES.get(name, 'records')}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
