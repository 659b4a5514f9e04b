"""The error to expect before anything is spent: computed on public rows, or on made-up ones, never on private rows."""

from eremite.forecast.comparison import LeftOut, MechanismComparison, compare_mechanisms
from eremite.forecast.count import CountError, CountForecast, epsilon_for_count, forecast_count
from eremite.forecast.radius import radius_on
from eremite.forecast.stand_in import SHAPES, Shape, StandIn, made_up

__all__ = [
    "SHAPES",
    "CountError",
    "CountForecast",
    "LeftOut",
    "MechanismComparison",
    "Shape",
    "StandIn",
    "compare_mechanisms",
    "epsilon_for_count",
    "forecast_count",
    "made_up",
    "radius_on",
]
