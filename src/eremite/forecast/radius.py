"""The radius at which a share of the stand-in's rows are outliers: exact, and free."""

from dataclasses import dataclass

from eremite.forecast.stand_in import StandIn
from eremite.html import card
from eremite.outliers import OutlierDefinition, count_outliers
from eremite.queries import ForecastRadiusQuery
from eremite.queries.fit import require_fit
from eremite.queries.radius import checked_share, definitions_for


@dataclass(frozen=True, slots=True)
class RadiusForecast:
    """The radius that fits a share on public or made-up rows, and how many of those rows are outliers with it."""

    definition: OutlierDefinition
    columns: tuple[str, ...]
    stand_in: str  # in words
    rows: int
    outliers: int

    def _repr_html_(self) -> str:
        return card(
            f"radius {self.definition.radius!r}: {self.outliers:,} outliers",
            {"computed on": self.stand_in, "spent": "nothing; no private row was looked at"},
        )


def forecast_radius(stand_in: StandIn, query: ForecastRadiusQuery) -> RadiusForecast:
    """The radius of the public list whose outliers come nearest to the share."""
    columns, wanted = stand_in.table.choose(query.columns), checked_share(query.share)
    points = stand_in.table.points(columns)
    definitions = definitions_for(query.min_neighbors, query.radii)
    counted = [(count_outliers(points, require_fit(each, len(points))), each) for each in definitions]
    outliers, definition = min(counted, key=lambda pair: abs(pair[0] - wanted * len(points)))
    return RadiusForecast(definition, columns, stand_in.words, len(points), outliers)
