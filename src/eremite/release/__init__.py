"""What crosses from the private side to the analyst: a `Release`, and nothing else."""

from eremite.release.release import Parameter, Parameters, Release, Value

__all__ = ["Parameter", "Parameters", "Release", "Value"]
