"""The error to expect before anything is spent: computed on public rows, or on made-up ones, never on private rows."""

from eremite.forecast.comparison import LeftOut, MechanismComparison, compare_mechanisms
from eremite.forecast.count import CountError, CountForecast, epsilon_for_count, forecast_count
from eremite.forecast.planted import SEARCH_SHAPES, SearchShape, made_up_for_search
from eremite.forecast.radius import radius_on
from eremite.forecast.stand_in import SHAPES, Shape, StandIn, made_up, public_rows
from eremite.forecast.subspaces import (
    SearchAsked,
    SubspacesChance,
    SubspacesForecast,
    epsilon_for_subspaces,
    forecast_subspaces,
)
from eremite.queries.subspaces import family_among

__all__ = [
    "SEARCH_SHAPES",
    "SHAPES",
    "CountError",
    "CountForecast",
    "LeftOut",
    "MechanismComparison",
    "SearchAsked",
    "SearchShape",
    "Shape",
    "StandIn",
    "SubspacesChance",
    "SubspacesForecast",
    "compare_mechanisms",
    "epsilon_for_count",
    "epsilon_for_subspaces",
    "family_among",
    "forecast_count",
    "forecast_subspaces",
    "made_up",
    "made_up_for_search",
    "public_rows",
    "radius_on",
]
