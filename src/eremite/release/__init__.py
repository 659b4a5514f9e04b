"""What crosses from the private side to the analyst: a `Release`, and nothing else."""

from eremite.release.release import Parameter, Release, Value

__all__ = ["Parameter", "Release", "Value"]
