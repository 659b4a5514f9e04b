"""The exact numbers behind the answers. They would be private, but here the table is made up."""

from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from eremite.demo.patients import COLUMNS, WARDS, Patients
from eremite.engines import count_rows_near
from eremite.outliers import OutlierDefinition, Subspace, Subspaces, count_outliers_in_each
from eremite.outliers.counting import outliers_among
from eremite.table import Table


class Exact:
    """Exact counts on the made-up rows, without any protection."""

    def __init__(self, patients: Patients, definition: OutlierDefinition) -> None:
        bounds = {name: (column.low, column.high) for name, column in COLUMNS.items()}
        missing = {name: column.missing for name, column in COLUMNS.items()}
        self._table = Table.from_frame(patients.columns, bounds, categories={"ward": WARDS}, missing=missing)
        self._definition = definition

    def count(self, columns: Sequence[str], within: tuple[str, ...] = ()) -> int:
        """The number of outliers in these columns, among patients that agree on those of `within`."""
        return outliers_among(self._table.part(columns, within), replace(self._definition, within=within))

    def left_out(self, columns: Sequence[str]) -> int:
        """The number of patients that take no part in questions about these columns."""
        return self._table.all_rows() - self._table.rows_taking_part(columns)

    def best(self, size: int) -> tuple[tuple[Subspace, int], tuple[Subspace, int]]:
        """The two sets of `size` columns with the most outliers, each with its number of outliers."""
        family = Subspaces.of_size(self._table.columns, size)
        counted = sorted(count_outliers_in_each(self._table, self._definition, family), key=lambda pair: -pair[1])
        return counted[0], counted[1]

    def rows_near(self, candidates: ArrayLike, columns: Sequence[str]) -> list[int]:
        """The number of rows within the radius of each candidate."""
        points, rows = self._table.scale(candidates, columns), self._table.points(columns)
        return [int(near) for near in count_rows_near(points, rows, self._definition.radius, len(rows))]
