"""The private table: rows of coordinates scaled to [0, 1] by public bounds, and of codes of public categories."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from eremite.cards import Card, Shown
from eremite.errors import InputError
from eremite.names import list_names, quote_name, show_name
from eremite.privacy import Neighbors
from eremite.table.bounds import Bounds, FloatArray
from eremite.table.categories import Categories, Codes, Value
from eremite.table.facts import Facts
from eremite.table.frames import columns_from_frame
from eremite.table.neighbors import require_neighbors
from eremite.table.numeric import name_list, require_columns
from eremite.table.part import Part, Places, gather, split, whole_part
from eremite.table.points import columns_of_points
from eremite.table.rules import CellRules
from eremite.table.spellings import MissingRule

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_MOST_CODES = 2**62  # codes of strata are int64
_MOST_GROUPS = 10_000  # each is a part and an answer of its own
# Codes below these limits have few bytes while they are sorted, which NumPy does in time linear in rows and bytes.
_FEW_CODES: tuple[tuple[int, Any], ...] = ((2**7, np.int8), (2**15, np.int16), (_MOST_CODES + 1, np.int64))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Shown):
    """The rows to protect; immutable. What is declared about them is public: rules, `rows_per_person`, `neighbors`.

    With neighbors = "replace" the number of rows is public too; with "add-remove" it is private. Row i of the table
    depends on row i of the data and on public facts only. The repr of a table shows its public facts alone, and a table
    cannot be pickled or copied.
    """

    rules: CellRules
    rows_per_person: int
    neighbors: Neighbors = "replace"
    rows_about: int | None = None
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
        _require_facts(rows_per_person, neighbors, rows_about)
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
        _require_facts(rows_per_person, neighbors, rows_about)
        numbers = rules.numbers({name: columns[name] for name in rules.bounds}, place)
        codes = rules.codes({name: columns[name] for name in rules.categories}, place)
        scaled = np.empty((len(numbers), len(next(iter(numbers.values())))), dtype=np.float64)
        for row, (name, values) in zip(scaled, numbers.items(), strict=True):
            row[:] = rules.bounds[name].scale(values)
        scaled.flags.writeable = False
        kept = MappingProxyType(codes)
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

    @property
    def n_rows(self) -> int:
        """The number of all rows, left out or not. Public with neighbors = "replace", private with "add-remove"."""
        if self.neighbors == "add-remove":
            raise InputError('The number of rows is private with neighbors = "add-remove"; ask count_rows.')
        return self.all_rows()

    @property
    def facts(self) -> Facts:
        """Everything public about the table."""
        rows = self.n_rows if self.rows_about is None else self.rows_about
        return Facts(self.rules, self.rows_per_person, self.neighbors, rows)

    def all_rows(self) -> int:
        """The number of all rows, left out or not: private where neighbors come and go."""
        return int(self._scaled.shape[1])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the coordinates, in order."""
        return tuple(self.bounds)

    @property
    def bounds(self) -> Mapping[str, Bounds]:
        """The coordinates and their bounds."""
        return self.rules.bounds

    @property
    def missing(self) -> Mapping[str, MissingRule]:
        """For every coordinate what becomes of missing cells: "refuse", "leave-out" or the number to fill in."""
        return self.rules.missing

    @property
    def categories(self) -> Mapping[str, Categories]:
        """The category columns, which are for strata and groups and not for distances."""
        return self.rules.categories

    def every(self, step: int) -> "Table":
        """Every `step`-th row, from the first; as private as the rows."""
        codes = MappingProxyType({name: column[::step] for name, column in self._codes.items()})
        scaled = np.ascontiguousarray(self._scaled[:, ::step])
        scaled.flags.writeable = False
        about = self.rows_about
        return Table(self.rules, self.rows_per_person, self.neighbors, about, _scaled=scaled, _codes=codes)

    def choose(self, columns: Iterable[str] | None) -> tuple[str, ...]:
        """The names of the chosen coordinates (default all), each in the table and chosen once. Public."""
        return tuple(self._names(columns))

    def choose_within(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names of category columns for strata or groups, each declared and chosen once. Public."""
        wanted = [] if isinstance(names, tuple | list) and not names else name_list(names, self._give_categories)
        coordinates = [name for name in wanted if name in self.bounds]
        if coordinates:
            shown = quote_name(coordinates[0])
            raise InputError(f"Column {shown} is a coordinate; give it categories, or choose a column that has them.")
        if wanted and not self.categories:
            raise InputError(f"Column {quote_name(wanted[0])} is not in the table, in which no column has categories.")
        require_columns(wanted, list(self.categories), "the categories")
        _require_once(wanted)
        if prod(len(self.categories[name].names) for name in wanted) > _MOST_CODES:
            raise InputError(f"The columns {_quoted(wanted)} have too many combinations of values; choose fewer.")
        return tuple(wanted)

    def _grouped_by(self, by: Iterable[str]) -> tuple[str, ...]:
        names = self.choose_within(by)
        if prod(len(self.categories[name].names) for name in names) > _MOST_GROUPS:
            raise InputError(f"The columns {_quoted(names)} make more than {_MOST_GROUPS:,} groups; choose fewer.")
        return names

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
        places = self._taking_part(names)
        points = self._all_points(names) if places is None else gather(self._chosen(names), places)
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
        if not strata and places is None:
            return whole_part(self._all_points(names), np.arange(self.all_rows()))
        if not strata and places is not None:
            return whole_part(gather(self._chosen(names), places), places)
        codes, radix = self._combined(strata, places)
        return split(self._chosen(names), places, codes, radix, 1, within=True)[0]

    def groups(self, columns: Iterable[str] | None, by: Iterable[str], within: Iterable[str] = ()) -> list[Part]:
        """A part for each combination of declared values of the columns `by`, as `group_names` lists them. Private."""
        names, groups, strata = self._names(columns), self._grouped_by(by), self.choose_within(within)
        places = self._taking_part([*names, *groups, *strata])
        radix = prod(len(self.categories[name].names) for name in strata)
        codes, count = self._combined((*groups, *strata), places)
        return split(self._chosen(names), places, codes, radix, count // radix, within=bool(strata))

    def group_names(self, by: Iterable[str]) -> tuple[tuple[Value, ...], ...]:
        """The combinations of declared values of these columns, in order; where it is kept, "other" is last. Public."""
        return tuple(product(*(self.categories[name].names for name in self._grouped_by(by))))

    def scale(self, points: Any, columns: Iterable[str] | None = None) -> FloatArray:
        """Scale public points, one per row, exactly as the table's own rows were.

        A frame, a structured array or a mapping from names to lists is matched by name, and must have exactly these
        columns, in any order. An array or a list of rows must have them in the order of `columns`.
        """
        return self.locate(points, columns)[0]

    def locate(
        self, points: Any, columns: Iterable[str] | None = None, within: Iterable[str] = ()
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        """Public points as `scale` has them, and the code of the stratum of each, as `Part.strata` has it.

        Points have the columns of `within` too; rows without names have them after the others.
        """
        names, strata = self._names(columns), self.choose_within(within)
        raw, codes = columns_of_points(points, names, self.rules, strata)
        scaled = np.empty((len(raw[names[0]]), len(names)), dtype=np.float64)
        for place, name in enumerate(names):
            scaled[:, place] = self.bounds[name].scale(raw[name])
        scaled.flags.writeable = False
        located = np.zeros(len(scaled), dtype=np.int64)
        for name in strata:
            located = located * len(self.categories[name].names) + codes[name]
        return scaled, located

    def __repr__(self) -> str:
        return f"Table({', '.join(f'{name}={value}' for name, value in self._facts().items())})"

    def _card(self) -> Card:
        """The public facts, for notebooks and `print`."""
        rows = [
            (show_name(n), show_name(b.show(b.min)), show_name(b.show(b.max)), self._shown_rule(n))
            for n, b in self.bounds.items()
        ]
        listed = [
            (show_name(name), show_name(list_names([*map(str, c.names)], "categories")), "", show_name(str(c.missing)))
            for name, c in self.categories.items()
        ]
        number = f"about {self.rows_about:,} rows" if self.rows_about else f"{self.n_rows:,} rows"
        title = f"Table of {number}, at most {self.rows_per_person:,} per person"
        facts = {"shown": "public facts; the rows are private"}
        if not listed and not self._rules_shown():
            return Card(title, facts, ("column", "min", "max"), [row[:3] for row in rows])
        return Card(title, facts, ("column", "min or categories", "max", "missing"), [*rows, *listed])

    def __reduce__(self) -> NoReturn:
        raise TypeError("A Table holds private rows and is neither pickled nor copied; open it where it is used.")

    @property
    def _known(self) -> str:
        return list_names(self.columns, show=quote_name)

    @property
    def _give_categories(self) -> str:
        return f"Give a list of columns with categories; the table has: {_quoted(list(self.categories))}."

    def _names(self, columns: Iterable[str] | None) -> list[str]:
        """The chosen coordinates (default all), each in the table and chosen once."""
        if columns is None:
            return list(self.columns)
        names = name_list(columns, f"Give a list of one or more columns; the table has: {self._known}.")
        listed = [name for name in names if name in self.categories]
        if listed:
            shown = quote_name(listed[0])
            raise InputError(f"Column {shown} has categories and no bounds, so distances cannot use it; leave it out.")
        require_columns(names, self.columns, "the table")
        _require_once(names)
        return names

    def _chosen(self, names: Iterable[str]) -> list[FloatArray]:
        return [self._scaled[self.columns.index(name)] for name in names]

    def _all_points(self, names: Sequence[str]) -> FloatArray:
        points: FloatArray = np.empty((self.all_rows(), len(names)), dtype=np.float64)
        for place, column in enumerate(self._chosen(names)):
            points[:, place] = column
        return points

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
        radix = prod(len(self.categories[name].names) for name in names)
        if radix > _MOST_CODES:
            raise InputError(f"The columns {_quoted(names)} have too many combinations of values; choose fewer.")
        kind = next(kind for limit, kind in _FEW_CODES if radix < limit)
        codes: Any = np.zeros(self.all_rows() if places is None else len(places), dtype=kind)
        for name in names:
            codes *= kind(len(self.categories[name].names))
            codes += (self._codes[name] if places is None else self._codes[name][places]).astype(kind)
        return codes, radix

    def _shown_rule(self, name: str) -> str:
        rule = self.missing[name]
        return rule if isinstance(rule, str) else self.bounds[name].show(rule)

    def _rules_shown(self) -> dict[str, str]:
        return {name: self._shown_rule(name) for name, rule in self.missing.items() if rule != "refuse"}

    def _facts(self) -> dict[str, str]:
        """Everything public, for the repr; rules that are not set are left out."""
        bounds = ", ".join(f"{n!r}: ({b.show(b.min)}, {b.show(b.max)})" for n, b in self.bounds.items())
        hidden = self.neighbors == "add-remove"
        facts = {"rows_about": str(self.rows_about)} if hidden else {"n_rows": str(self.n_rows)}
        facts |= {"rows_per_person": str(self.rows_per_person), "bounds": f"{{{bounds}}}"}
        if self.categories:
            facts["categories"] = repr({name: list(column.names) for name, column in self.categories.items()})
        if self._rules_shown():
            facts["missing"] = repr(self._rules_shown())
        return facts | ({"neighbors": repr(self.neighbors)} if hidden else {})


def _quoted(names: Sequence[str]) -> str:
    return list_names(names, show=quote_name)


def _require_once(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise InputError(f"A column is chosen more than once in {_quoted(names)}; name each once.")


def _require_facts(rows_per_person: object, neighbors: object, rows_about: object) -> None:
    if type(rows_per_person) is not int or rows_per_person < 1:
        raise InputError("rows_per_person must be a whole number, 1 or more.")
    require_neighbors(neighbors, rows_about)
