"""What can be asked for free, before anything is spent."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from eremite.errors import InputError
from eremite.forecast import (
    CountForecast,
    MechanismComparison,
    SearchAsked,
    SearchShape,
    Shape,
    StandIn,
    SubspacesForecast,
    compare_mechanisms,
    epsilon_for_count,
    epsilon_for_subspaces,
    family_among,
    forecast_count,
    forecast_subspaces,
    made_up,
    made_up_for_search,
    public_rows,
)
from eremite.outliers import OutlierDefinition
from eremite.queries.subspaces import Progress, Selection, Utility
from eremite.table import Bounds, Table

#: Taken as written: 0.1 is 1/10.
Number = Fraction | Decimal | float | int | str


class Forecasts:
    """The error to expect of a session's answers. It is made from public facts and public rows, and has no others."""

    def __init__(self, bounds: Mapping[str, Bounds], n_rows: int, rows_per_person: int, stand_in: Table | None) -> None:
        if stand_in is not None:
            _require_alike(stand_in, bounds, rows_per_person)
        self._bounds = bounds
        self._n_rows = n_rows
        self._rows_per_person = rows_per_person
        self._stand_in = stand_in

    @property
    def n_rows(self) -> int:
        """N, which is public."""
        return self._n_rows

    @property
    def rows_per_person(self) -> int:
        """How many rows one person may have, which is public."""
        return self._rows_per_person

    def forecast_count(
        self,
        definition: OutlierDefinition,
        columns: Iterable[str] | None = None,
        *,
        epsilon: Number | Sequence[Number] = (0.1, 0.2, 0.5, 1, 2),
        delta: Number = 0,
        mechanism: str = "auto",
        shape: Shape = "clusters",
    ) -> CountForecast:
        """How far off `count_outliers` would be, for one epsilon or several. Spends nothing, looks at no private row.

        Computed on the stand-in; without one, on rows made up from public facts: as many as the table has, within its
        bounds, of a `shape` you choose (clusters, normal, uniform).
        """
        return forecast_count(self._rows_to_forecast(shape), definition, columns, _several(epsilon), delta, mechanism)

    def epsilon_for_count(
        self,
        definition: OutlierDefinition,
        columns: Iterable[str] | None = None,
        *,
        within: Number,
        delta: Number = 0,
        mechanism: str = "auto",
        shape: Shape = "clusters",
    ) -> Fraction:
        """Which epsilon makes 95 % of the counts right to within so many rows, forecast as by `forecast_count`."""
        return epsilon_for_count(self._rows_to_forecast(shape), definition, columns, within, delta, mechanism)

    def compare_mechanisms(
        self,
        definition: OutlierDefinition,
        columns: Iterable[str] | None = None,
        *,
        epsilon: Number | Sequence[Number] = (0.1, 0.2, 0.5, 1, 2),
        delta: Number = 0,
        shape: Shape = "clusters",
    ) -> MechanismComparison:
        """How far off `count_outliers` would be with each mechanism. Spends nothing, looks at no private row.

        Computed as by `forecast_count`. Without a `delta` only the pure mechanisms answer; the record says why others
        are left out.
        """
        return compare_mechanisms(self._rows_to_forecast(shape), definition, columns, _several(epsilon), delta)

    def forecast_subspaces(
        self,
        definition: OutlierDefinition,
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        epsilon: Number | Sequence[Number] = (0.1, 0.2, 0.5, 1, 2),
        delta: Number = 0,
        utility: Utility = "auto",
        selection: Selection = "permute-and-flip",
        shape: SearchShape = "planted",
        progress: Progress | None = None,
    ) -> SubspacesForecast:
        """How likely `top_subspaces` names the right sets, for one epsilon or several. Spends nothing, looks at no
        private row.

        The search is simulated on the stand-in; without one, on rows made up from public facts: in groups, some of them
        planted as outliers in h sets of columns, or of another `shape` (clusters, normal, uniform). Cost: one close
        look at every set of columns of the stand-in; `progress` is told how many were looked at.
        """
        asked = SearchAsked(
            definition, family_among(list(self._bounds), size, max_size, subspaces), h, delta, utility, selection
        )
        return forecast_subspaces(self._rows_to_search(asked, shape), asked, _several(epsilon), progress)

    def epsilon_for_subspaces(
        self,
        definition: OutlierDefinition,
        *,
        h: int,
        size: int | None = None,
        max_size: int | None = None,
        subspaces: Sequence[Sequence[str]] | None = None,
        probability: Number = 0.9,
        delta: Number = 0,
        utility: Utility = "auto",
        selection: Selection = "permute-and-flip",
        shape: SearchShape = "planted",
        progress: Progress | None = None,
    ) -> Fraction:
        """Which epsilon makes all h sets right with this probability, forecast as by `forecast_subspaces`."""
        asked = SearchAsked(
            definition, family_among(list(self._bounds), size, max_size, subspaces), h, delta, utility, selection
        )
        return epsilon_for_subspaces(self._rows_to_search(asked, shape), asked, probability, progress)

    def _rows_to_forecast(self, shape: Shape) -> StandIn:
        """Public rows, or made-up ones."""
        if self._stand_in is not None:
            return public_rows(self._stand_in)
        return made_up(self._bounds, self._n_rows, self._rows_per_person, shape)

    def _rows_to_search(self, asked: SearchAsked, shape: SearchShape) -> StandIn:
        """The same for a search."""
        if self._stand_in is not None:
            return public_rows(self._stand_in)
        return made_up_for_search(asked.family, asked.h, self._bounds, self._n_rows, self._rows_per_person, shape)


def _require_alike(stand_in: object, bounds: Mapping[str, Bounds], rows_per_person: int) -> None:
    """Forecasts scale and split as the table's own questions do."""
    facts = (bounds, rows_per_person)
    if not isinstance(stand_in, Table) or (stand_in.bounds, stand_in.rows_per_person) != facts:
        raise InputError("stand_in must be a Table with the same columns, bounds and rows_per_person as the table.")


def _several(epsilon: Number | Sequence[Number]) -> Sequence[object]:
    """One epsilon is a list of one; a text is a number."""
    return epsilon if isinstance(epsilon, list | tuple) else [epsilon]
