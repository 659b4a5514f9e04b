"""What crosses from the private side to the analyst: a `Release`, and nothing else."""

from eremite.release.by_group import ByGroup
from eremite.release.release import Parameter, Parameters, Release, Value

__all__ = ["ByGroup", "Parameter", "Parameters", "Release", "Value"]
