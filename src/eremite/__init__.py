"""Differentially private answers about the outliers of a private table.

Public names load when they are first used, so that importing eremite, or asking it for help, is immediate.
"""

from typing import TYPE_CHECKING, Any

from eremite.errors import BudgetRefused, EremiteError, InputError, LedgerError, TableError
from eremite.version import __version__

if TYPE_CHECKING:
    from eremite.citing import citation
    from eremite.outliers import OutlierDefinition
    from eremite.privacy import Privacy
    from eremite.queries import (
        CompareMechanismsQuery,
        CountQuery,
        DetectQuery,
        EpsilonForCountQuery,
        EpsilonForSubspacesQuery,
        ForecastCountQuery,
        ForecastRadiusQuery,
        ForecastSubspacesQuery,
        RadiusQuery,
        ReportQuery,
        ScreenQuery,
        SubspacesQuery,
    )
    from eremite.release import Release
    from eremite.session import Session
    from eremite.session import open_session as open  # noqa: A004 -- read as eremite.open
    from eremite.table import Table

__all__ = [
    "BudgetRefused",
    "CompareMechanismsQuery",
    "CountQuery",
    "DetectQuery",
    "EpsilonForCountQuery",
    "EpsilonForSubspacesQuery",
    "EremiteError",
    "ForecastCountQuery",
    "ForecastRadiusQuery",
    "ForecastSubspacesQuery",
    "InputError",
    "LedgerError",
    "OutlierDefinition",
    "Privacy",
    "RadiusQuery",
    "Release",
    "ReportQuery",
    "ScreenQuery",
    "Session",
    "SubspacesQuery",
    "Table",
    "TableError",
    "__version__",
    "citation",
    "open",
]

_HOMES = {
    "OutlierDefinition": ("eremite.outliers", "OutlierDefinition"),
    "Privacy": ("eremite.privacy", "Privacy"),
    "CompareMechanismsQuery": ("eremite.queries", "CompareMechanismsQuery"),
    "CountQuery": ("eremite.queries", "CountQuery"),
    "DetectQuery": ("eremite.queries", "DetectQuery"),
    "EpsilonForCountQuery": ("eremite.queries", "EpsilonForCountQuery"),
    "EpsilonForSubspacesQuery": ("eremite.queries", "EpsilonForSubspacesQuery"),
    "ForecastCountQuery": ("eremite.queries", "ForecastCountQuery"),
    "ForecastRadiusQuery": ("eremite.queries", "ForecastRadiusQuery"),
    "ForecastSubspacesQuery": ("eremite.queries", "ForecastSubspacesQuery"),
    "RadiusQuery": ("eremite.queries", "RadiusQuery"),
    "ReportQuery": ("eremite.queries", "ReportQuery"),
    "ScreenQuery": ("eremite.queries", "ScreenQuery"),
    "SubspacesQuery": ("eremite.queries", "SubspacesQuery"),
    "Release": ("eremite.release", "Release"),
    "Session": ("eremite.session", "Session"),
    "Table": ("eremite.table", "Table"),
    "citation": ("eremite.citing", "citation"),
    "open": ("eremite.session", "open_session"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'eremite' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
