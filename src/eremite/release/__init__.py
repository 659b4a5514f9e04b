"""What crosses from the private side to the analyst: a `Release`, and nothing else."""

from eremite.release.by_group import ByGroup
from eremite.release.expected import Expected
from eremite.release.noise import PublicNoise
from eremite.release.release import (
    CountByRelease,
    CountRelease,
    DetectRelease,
    ExplainRelease,
    Parameter,
    Parameters,
    RadiusRelease,
    Release,
    ReportRelease,
    RowsRelease,
    ScreenRelease,
    SubspacesRelease,
    Value,
)

__all__ = [
    "ByGroup",
    "CountByRelease",
    "CountRelease",
    "DetectRelease",
    "Expected",
    "ExplainRelease",
    "Parameter",
    "Parameters",
    "PublicNoise",
    "RadiusRelease",
    "Release",
    "ReportRelease",
    "RowsRelease",
    "ScreenRelease",
    "SubspacesRelease",
    "Value",
]
