"""The error to expect before anything is spent: computed on public rows, or on made-up ones, never on private rows."""

from eremite.forecast.count import CountError, CountForecast, epsilon_for_count, forecast_count
from eremite.forecast.radius import radius_on
from eremite.forecast.stand_in import SHAPES, Shape, StandIn, made_up

__all__ = [
    "SHAPES",
    "CountError",
    "CountForecast",
    "Shape",
    "StandIn",
    "epsilon_for_count",
    "forecast_count",
    "made_up",
    "radius_on",
]
