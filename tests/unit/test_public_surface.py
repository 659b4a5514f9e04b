"""What others build on is a tested list."""

import subprocess
import sys

import pytest

import eremite


def test_public_names_are_exactly_these():
    assert eremite.__all__ == [
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
    assert all(getattr(eremite, name) is not None for name in eremite.__all__)
    assert dir(eremite) == sorted(eremite.__all__)


def test_unknown_name_is_an_ordinary_attribute_error():
    with pytest.raises(AttributeError, match="'eremite' has no attribute 'nothing'"):
        _ = eremite.nothing


def test_import_loads_nothing_heavy():
    heavy = ["numpy", "numba", "pyarrow", "pydantic", "matplotlib"]
    code = f"import eremite, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
