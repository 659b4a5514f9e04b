"""Differentially private answers about the outliers of a private table.

Public names load when they are first used, so that importing eremite, or asking it for help, is immediate.
"""

from typing import TYPE_CHECKING, Any

from eremite.errors import BudgetRefused, EremiteError, InputError, LedgerError, ServiceError, TableError
from eremite.version import __version__

if TYPE_CHECKING:
    from eremite.citing import citation
    from eremite.client import RemoteSession, connect
    from eremite.outliers import OutlierDefinition
    from eremite.privacy import Privacy
    from eremite.queries import (
        CompareMechanismsQuery,
        CountByQuery,
        CountQuery,
        DetectQuery,
        EpsilonForCountQuery,
        EpsilonForDetectQuery,
        EpsilonForExplainQuery,
        EpsilonForReportQuery,
        EpsilonForSubspacesQuery,
        ExplainQuery,
        ForecastCountByQuery,
        ForecastCountQuery,
        ForecastDetectQuery,
        ForecastExplainQuery,
        ForecastRadiusQuery,
        ForecastReportQuery,
        ForecastRowsQuery,
        ForecastSubspacesQuery,
        RadiusQuery,
        ReportQuery,
        RowsQuery,
        ScreenQuery,
        SubspacesQuery,
    )
    from eremite.release import (
        CountByRelease,
        CountRelease,
        DetectRelease,
        ExplainRelease,
        RadiusRelease,
        Release,
        ReportRelease,
        RowsRelease,
        ScreenRelease,
        SubspacesRelease,
    )
    from eremite.session import Session
    from eremite.session import open_session as open  # noqa: A004 -- read as eremite.open
    from eremite.table import Engine, Table
    from eremite.tiles.spark_table import spark_table

__all__ = [
    "BudgetRefused",
    "CompareMechanismsQuery",
    "CountByQuery",
    "CountByRelease",
    "CountQuery",
    "CountRelease",
    "DetectQuery",
    "DetectRelease",
    "Engine",
    "EpsilonForCountQuery",
    "EpsilonForDetectQuery",
    "EpsilonForExplainQuery",
    "EpsilonForReportQuery",
    "EpsilonForSubspacesQuery",
    "EremiteError",
    "ExplainQuery",
    "ExplainRelease",
    "ForecastCountByQuery",
    "ForecastCountQuery",
    "ForecastDetectQuery",
    "ForecastExplainQuery",
    "ForecastRadiusQuery",
    "ForecastReportQuery",
    "ForecastRowsQuery",
    "ForecastSubspacesQuery",
    "InputError",
    "LedgerError",
    "OutlierDefinition",
    "Privacy",
    "RadiusQuery",
    "RadiusRelease",
    "Release",
    "RemoteSession",
    "ReportQuery",
    "ReportRelease",
    "RowsQuery",
    "RowsRelease",
    "ScreenQuery",
    "ScreenRelease",
    "ServiceError",
    "Session",
    "SubspacesQuery",
    "SubspacesRelease",
    "Table",
    "TableError",
    "__version__",
    "citation",
    "connect",
    "open",
    "spark_table",
]

#: The module of each name that loads when it is first used.
_HOMES = {
    **dict.fromkeys((name for name in __all__ if name.endswith("Query")), "eremite.queries"),
    **dict.fromkeys((name for name in __all__ if name.endswith("Release")), "eremite.release"),
    "Engine": "eremite.table",
    "OutlierDefinition": "eremite.outliers",
    "Privacy": "eremite.privacy",
    "RemoteSession": "eremite.client",
    "Session": "eremite.session",
    "Table": "eremite.table",
    "citation": "eremite.citing",
    "connect": "eremite.client",
    "open": "eremite.session",
    "spark_table": "eremite.tiles.spark_table",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'eremite' has no attribute {name!r}")
    from importlib import import_module

    try:
        home = import_module(_HOMES[name])
    except ModuleNotFoundError as error:  # where only the client was installed
        raise ModuleNotFoundError(
            f"eremite.{name} needs {error.name}, which is not installed; install eremite with its dependencies.",
            name=error.name,
        ) from error
    return getattr(home, "open_session" if name == "open" else name)


def __dir__() -> list[str]:
    return sorted(__all__)
