"""The radius at which a share of the stand-in's rows are outliers: exact, and free."""

from eremite.forecast.records import RadiusForecast
from eremite.forecast.stand_in import StandIn
from eremite.outliers.counting import outliers_among
from eremite.queries import ForecastRadiusQuery
from eremite.queries.fit import require_fit
from eremite.queries.radius import checked_share, definitions_for


def forecast_radius(stand_in: StandIn, query: ForecastRadiusQuery) -> RadiusForecast:
    """The radius of the public list whose outliers come nearest to the share."""
    table, made = stand_in.table, stand_in.rows
    columns, wanted = table.choose(query.columns), checked_share(query.share)
    definitions = definitions_for(query.min_neighbors, query.radii, query.within)
    for each in definitions:
        require_fit(each, table)
    part, rows = made.part(columns, definitions[0].within), made.all_rows()
    counted = [(outliers_among(part, stand_in.scaled(each, len(columns))), each) for each in definitions]
    outliers, definition = min(counted, key=lambda pair: abs(pair[0] - wanted * rows))
    return RadiusForecast(definition, columns, stand_in.words, rows, outliers)
