"""The radius at which a share of the stand-in's rows are outliers: exact, and free."""

from collections.abc import Iterable, Sequence

from eremite.forecast.stand_in import StandIn
from eremite.outliers import OutlierDefinition, count_outliers
from eremite.queries.fit import require_fit
from eremite.queries.radius import checked_share, definitions_for


def radius_on(
    stand_in: StandIn,
    min_neighbors: int,
    share: object,
    columns: Iterable[str] | None = None,
    radii: Sequence[float] | None = None,
) -> tuple[OutlierDefinition, int]:
    """The definition with the radius whose outliers come nearest to the share, and how many there are."""
    names, wanted = stand_in.table.choose(columns), checked_share(share)
    points = stand_in.table.points(names)
    definitions = definitions_for(min_neighbors, radii)
    counted = [(count_outliers(points, require_fit(each, len(points))), each) for each in definitions]
    outliers, definition = min(counted, key=lambda pair: abs(pair[0] - wanted * len(points)))
    return definition, outliers
