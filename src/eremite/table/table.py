"""The private table: rows of coordinates scaled to [0, 1] by public bounds, and of codes of public categories."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError
from eremite.privacy import Neighbors
from eremite.table.bounds import FloatArray
from eremite.table.categories import Categories, Codes, Value
from eremite.table.declared import MOST_CODES, DeclaredTable, require_facts
from eremite.table.facts import Facts
from eremite.table.frames import columns_from_frame
from eremite.table.part import Part, Places, gather, split, whole_part
from eremite.table.rules import CellRules

_NOTHING: Mapping[str, Any] = MappingProxyType({})
# Codes below these limits have few bytes while they are sorted, which NumPy does in time linear in rows and bytes.
_FEW_CODES: tuple[tuple[int, Any], ...] = ((2**7, np.int8), (2**15, np.int16), (MOST_CODES + 1, np.int64))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(DeclaredTable):
    """The rows to protect, in memory; immutable. What is declared about them is public (`DeclaredTable`).

    Row i of the table depends on row i of the data and on public facts only.
    """

    _scaled: FloatArray = field(kw_only=True)  # one contiguous row per coordinate; NaN where a row is left out
    _codes: Mapping[str, Codes] = field(kw_only=True, default_factory=dict)  # of categories; below 0: left out

    @classmethod
    def from_frame(
        cls,
        data: Any,
        bounds: Mapping[str, Any],
        columns: Iterable[str] | None = None,
        rows_per_person: int = 1,
        *,
        categories: Mapping[str, Sequence[Value] | Categories] = _NOTHING,
        missing: Mapping[str, Any] = _NOTHING,
        missing_values: Iterable[str] = (),
        neighbors: Neighbors = "replace",
        rows_about: int | None = None,
        time_zone: str = "UTC",
    ) -> "Table":
        """Take the declared columns from pandas, polars, Spark, Arrow (its PyCapsule interface) or NumPy.

        A mapping from names to lists is accepted too. How a cell is read depends on that cell, the declared type of
        its column and the rules alone (`loading.proof.md`). A NumPy array has no names: there `columns` names all of
        its columns in order (default: those of `bounds`, then those of `categories`), and those that are not declared
        are dropped. Of a Spark frame, the columns taken are collected on this machine, and no other leaves the cluster.

        Args:
            data: The rows.
            bounds: For each coordinate a pair (min, max) of numbers, of dates or times, or (False, True).
            columns: Chooses among the columns with bounds.
            rows_per_person: The largest number of rows of one person; they are protected together.
            categories: For each category column the list of its values, or `Categories`.
            missing: What becomes of missing cells of a column: "refuse" (a `TableError`; the default), "leave-out", or
                a value to fill in.
            missing_values: Texts that mean "missing", as in ["NA", "-999"].
            neighbors: "replace", or "add-remove" to keep the number of rows private.
            rows_about: A public order of magnitude of the number of rows; required with "add-remove".
            time_zone: The zone of dates and times that have none.
        """
        rules = CellRules.of(bounds, missing, categories, missing_values, time_zone)
        require_facts(rows_per_person, neighbors, rows_about)
        found, listed = columns_from_frame(data, list(rules.bounds), list(rules.categories), columns)
        return cls.from_columns(
            found | listed, rules.only(found), rows_per_person, neighbors, rows_about, place="the frame"
        )

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Any],
        rules: CellRules,
        rows_per_person: int = 1,
        neighbors: Neighbors = "replace",
        rows_about: int | None = None,
        *,
        place: str,
    ) -> "Table":
        """Apply the rules to columns of equal length, one for each coordinate and category column."""
        scaled, codes = rules.rows(columns, place)
        return cls.from_rows(scaled, codes, rules, rows_per_person, neighbors, rows_about)

    @classmethod
    def from_rows(
        cls,
        scaled: FloatArray,
        codes: Mapping[str, Codes],
        rules: CellRules,
        rows_per_person: int = 1,
        neighbors: Neighbors = "replace",
        rows_about: int | None = None,
    ) -> "Table":
        """The table of what the rules made of its cells."""
        require_facts(rows_per_person, neighbors, rows_about)
        scaled.flags.writeable = False
        kept = MappingProxyType(dict(codes))
        return cls(rules, rows_per_person, neighbors, rows_about, _scaled=scaled, _codes=kept)

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, FloatArray], codes: Mapping[str, Codes], facts: Facts) -> "Table":
        """A table of public facts from numbers that need no rules: finite, one column for each coordinate."""
        scaled = np.stack([facts.bounds[name].scale(values) for name, values in numbers.items()])
        scaled.flags.writeable = False
        about = facts.rows if facts.neighbors == "add-remove" else None
        kept = MappingProxyType(dict(codes))
        return cls(facts.rules, facts.rows_per_person, facts.neighbors, about, _scaled=scaled, _codes=kept)

    @classmethod
    def for_planning(cls, facts: Facts) -> "Table":
        """A table of public facts without its rows: all of them lie at one place, and take no memory.

        Questions are planned with it; an answer computed from it would mean nothing.
        """
        scaled = np.broadcast_to(np.float64(0), (len(facts.bounds), facts.rows))
        codes = {name: np.broadcast_to(np.int32(0), facts.rows) for name in facts.categories}
        about = facts.rows if facts.neighbors == "add-remove" else None
        kept = MappingProxyType(codes)
        return cls(facts.rules, facts.rows_per_person, facts.neighbors, about, _scaled=scaled, _codes=kept)

    def all_rows(self) -> int:
        """The number of all rows, left out or not: private where neighbors come and go."""
        return int(self._scaled.shape[1])

    def every(self, step: int) -> "Table":
        """Every `step`-th row, from the first; as private as the rows."""
        codes = MappingProxyType({name: column[::step] for name, column in self._codes.items()})
        scaled = np.ascontiguousarray(self._scaled[:, ::step])
        scaled.flags.writeable = False
        about = self.rows_about
        return Table(self.rules, self.rows_per_person, self.neighbors, about, _scaled=scaled, _codes=codes)

    def column(self, name: str) -> FloatArray:
        """One scaled column of the rows that have a value there: private, read-only, contiguous, in [0, 1]."""
        if not isinstance(name, str):
            raise InputError(f"Give the name of one column as text; the table has: {self._known}.")
        column: FloatArray = self._scaled[self.columns.index(self._names([name])[0])]
        return self.points([name]).reshape(-1) if self.rules.leaves_out(name) else column

    def points(self, columns: Iterable[str] | None = None) -> FloatArray:
        """Scaled rows over the columns (default all): private, read-only, C-contiguous (M, d), in [0, 1].

        Rows that are left out in one of the columns take no part.
        """
        names = self._names(columns)
        points = gather(self._chosen(names), self._taking_part(names))
        points.flags.writeable = False
        return points

    def rows_taking_part(self, columns: Iterable[str] = ()) -> int:
        """The number of rows that take part in questions about these columns; of all rows, without any. Private."""
        places = self._taking_part(columns)
        return self.all_rows() if places is None else len(places)

    def part(self, columns: Iterable[str] | None = None, within: Iterable[str] = ()) -> Part:
        """The rows that take part in a question over the columns, divided into strata by the columns `within`.

        Private. Rows that are left out in one of all these columns take no part.
        """
        names, strata = self._names(columns), self.choose_within(within)
        return self._part(names, strata, self._taking_part([*names, *strata]))

    def part_by_cell(self, columns: Iterable[str] | None = None, within: Iterable[str] = ()) -> Part:
        """All rows but those left out in `within`, divided into strata; NaN where a row is left out in a column.

        Private. A row with NaN in a column is near nobody there, so questions about sets of the columns can share them.
        """
        names, strata = self._names(columns), self.choose_within(within)
        return self._part(names, strata, self._taking_part(strata))

    def _part(self, names: Sequence[str], strata: tuple[str, ...], places: Places) -> Part:
        if not strata:
            return whole_part(gather(self._chosen(names), places), places)
        codes, radix = self._combined(strata, places)
        return split(self._chosen(names), places, codes, radix, 1, within=True)[0]

    def groups(self, columns: Iterable[str] | None, by: Iterable[str], within: Iterable[str] = ()) -> list[Part]:
        """A part for each combination of declared values of the columns `by`, as `group_names` lists them. Private."""
        names, groups, strata = self._names(columns), self._grouped_by(by), self.choose_within(within)
        places = self._taking_part([*names, *groups, *strata])
        radix = self.combinations(strata)
        codes, count = self._combined((*groups, *strata), places)
        return split(self._chosen(names), places, codes, radix, count // radix, within=bool(strata))

    def _chosen(self, names: Iterable[str]) -> list[FloatArray]:
        return [self._scaled[self.columns.index(name)] for name in names]

    def _taking_part(self, names: Iterable[str]) -> NDArray[np.intp] | None:
        """The rows that no column leaves out; None if none of the columns may leave out a row, which is public."""
        masks = [
            self._codes[name] >= 0 if name in self.categories else ~np.isnan(self._chosen([name])[0])
            for name in names
            if self.rules.leaves_out(name)
        ]
        return np.flatnonzero(np.logical_and.reduce(masks)) if masks else None

    def _combined(self, names: Sequence[str], places: Places) -> tuple[NDArray[np.int64], int]:
        """One code for each row, of its values in all these columns, and the number of codes there may be."""
        radix = self.combinations(names)
        kind = next(kind for limit, kind in _FEW_CODES if radix < limit)
        codes: Any = np.zeros(self.all_rows() if places is None else len(places), dtype=kind)
        for name in names:
            codes *= kind(len(self.categories[name].names))
            codes += (self._codes[name] if places is None else self._codes[name][places]).astype(kind)
        return codes, radix
