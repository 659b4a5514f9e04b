"""The private table: N rows, numeric columns scaled to [0, 1] by public bounds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from eremite.errors import InputError
from eremite.html import card
from eremite.names import list_names, quote_name, show_name
from eremite.table.bounds import Bounds, FloatArray, bounds_by_column
from eremite.table.frames import columns_from_frame
from eremite.table.numeric import name_list, require_columns
from eremite.table.points import columns_of_points


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """The rows to protect; immutable. Only N, the columns, their bounds and `rows_per_person` are public.

    Row i of the scaled table depends on row i of the data and on public numbers only. The repr of a table
    shows its public facts alone, and a table cannot be pickled or copied.
    """

    bounds: Mapping[str, Bounds]
    rows_per_person: int
    _scaled: FloatArray = field(kw_only=True)  # one contiguous row per column

    @classmethod
    def from_frame(
        cls,
        data: Any,
        bounds: Mapping[str, Bounds | tuple[float, float]],
        columns: Iterable[str] | None = None,
        rows_per_person: int = 1,
    ) -> "Table":
        """Take the columns named in `bounds` from pandas, polars, Spark, Arrow (its PyCapsule interface) or NumPy.

        A mapping from names to lists is accepted too. How a cell is read depends on that cell and the declared type of
        its column alone (`loading.proof.md`); a cell that holds no finite number is a `TableError`.
        `columns` chooses among the bounded columns. A NumPy array has no names: there `columns` names all
        of its columns in order (default: the order of `bounds`), and those without bounds are dropped.
        Of a Spark frame, the columns taken are collected on this machine, and no other leaves the cluster.
        """
        checked = bounds_by_column(bounds)
        return cls.from_columns(columns_from_frame(data, checked, columns), checked, rows_per_person)

    @classmethod
    def from_columns(
        cls, columns: Mapping[str, FloatArray], bounds: Mapping[str, Bounds], rows_per_person: int
    ) -> "Table":
        """Scale finite columns of equal length by their bounds."""
        if type(rows_per_person) is not int or rows_per_person < 1:
            raise InputError("rows_per_person must be a whole number, 1 or more.")
        kept = MappingProxyType({name: bounds[name] for name in columns})
        scaled = np.empty((len(columns), len(next(iter(columns.values())))), dtype=np.float64)
        for row, (name, values) in zip(scaled, columns.items(), strict=True):
            row[:] = bounds[name].scale(values)
        scaled.flags.writeable = False
        return cls(kept, rows_per_person, _scaled=scaled)

    @property
    def n_rows(self) -> int:
        """N, the number of rows, which is public."""
        return int(self._scaled.shape[1])

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(self.bounds)

    def choose(self, columns: Iterable[str] | None) -> tuple[str, ...]:
        """The names of the chosen columns (default all), each in the table and chosen once. Public."""
        return tuple(self._names(columns))

    def column(self, name: str) -> FloatArray:
        """One scaled column: private, read-only, contiguous, in [0, 1]."""
        if not isinstance(name, str):
            raise InputError(f"Give the name of one column as text; the table has: {self._known}.")
        column: FloatArray = self._scaled[self.columns.index(self._names([name])[0])]
        return column

    def points(self, columns: Iterable[str] | None = None) -> FloatArray:
        """Scaled rows over the columns (default all): private, read-only, C-contiguous (N, d), in [0, 1]."""
        names = self._names(columns)
        points: FloatArray = np.empty((self.n_rows, len(names)), dtype=np.float64)
        for place, name in enumerate(names):
            points[:, place] = self._scaled[self.columns.index(name)]
        points.flags.writeable = False
        return points

    def rows_taking_part(self, columns: Iterable[str] = ()) -> int:
        """The number of rows that take part in questions about these columns; of all rows, without any. Private."""
        return int(self._scaled.shape[1])

    def scale(self, points: Any, columns: Iterable[str] | None = None) -> FloatArray:
        """Scale public points, one per row, exactly as the table's own rows were.

        A frame, a structured array or a mapping from names to lists is matched by name, and must have exactly these
        columns, in any order. An array or a list of rows must have them in the order of `columns`.
        """
        names = self._names(columns)
        raw = columns_of_points(points, names)
        scaled = np.empty((len(raw[names[0]]), len(names)), dtype=np.float64)
        for place, name in enumerate(names):
            scaled[:, place] = self.bounds[name].scale(raw[name])
        scaled.flags.writeable = False
        return scaled

    def __repr__(self) -> str:
        columns = ", ".join(f"{name!r}: ({b.min!r}, {b.max!r})" for name, b in self.bounds.items())
        return f"Table(n_rows={self.n_rows}, rows_per_person={self.rows_per_person}, bounds={{{columns}}})"

    def _repr_html_(self) -> str:
        """The public facts, for notebooks."""
        bounds = [(show_name(name), repr(bound.min), repr(bound.max)) for name, bound in self.bounds.items()]
        title = f"Table of {self.n_rows:,} rows, at most {self.rows_per_person:,} per person"
        return card(title, {"shown": "public facts; the rows are private"}, ("column", "min", "max"), bounds)

    def __reduce__(self) -> NoReturn:
        raise TypeError("A Table holds private rows and is neither pickled nor copied; open it where it is used.")

    @property
    def _known(self) -> str:
        return list_names(self.columns, show=quote_name)

    def _names(self, columns: Iterable[str] | None) -> list[str]:
        """The chosen columns (default all), each in the table and chosen once."""
        if columns is None:
            return list(self.columns)
        names = name_list(columns, f"Give a list of one or more columns; the table has: {self._known}.")
        require_columns(names, self.columns, "the table")
        if len(set(names)) < len(names):
            raise InputError(
                f"A column is chosen more than once in {list_names(names, show=quote_name)}; name each once."
            )
        return names
