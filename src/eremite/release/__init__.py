"""What crosses from the private side to the analyst: a `Release`, and nothing else."""

from eremite.release.release import Neighbors, Parameter, Parameters, Release, Value

__all__ = ["Neighbors", "Parameter", "Parameters", "Release", "Value"]
