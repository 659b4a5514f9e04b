"""What is declared about a table: which columns it has, what may be asked about them. All of it is public."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from eremite.cards import Card, Shown
from eremite.errors import InputError
from eremite.names import list_names, quote_name, show_name
from eremite.privacy import Neighbors
from eremite.table.bounds import Bounds, FloatArray
from eremite.table.categories import Categories, Value
from eremite.table.facts import Facts
from eremite.table.neighbors import require_neighbors
from eremite.table.numeric import name_list, require_columns
from eremite.table.points import columns_of_points
from eremite.table.rules import CellRules
from eremite.table.spellings import MissingRule

MOST_CODES = 2**62  # codes of strata are int64
_MOST_GROUPS = 10_000  # each is a part and an answer of its own


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DeclaredTable(Shown, ABC):
    """What is public about a table, wherever its rows are; questions are planned with it.

    With neighbors = "replace" the number of rows is public too; with "add-remove" it is private. The repr of a table
    shows its public facts alone, and a table cannot be pickled or copied.
    """

    rules: CellRules
    rows_per_person: int
    neighbors: Neighbors = "replace"
    rows_about: int | None = None

    @abstractmethod
    def all_rows(self) -> int:
        """The number of all rows, left out or not: private where neighbors come and go."""

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
        self.combinations(wanted)
        return tuple(wanted)

    def combinations(self, names: Sequence[str]) -> int:
        """How many combinations of values these columns have; more than codes can tell apart are refused. Public."""
        found = prod(len(self.categories[name].names) for name in names)
        if found > MOST_CODES:
            raise InputError(f"The columns {quoted(names)} have too many combinations of values; choose fewer.")
        return found

    def _grouped_by(self, by: Iterable[str]) -> tuple[str, ...]:
        names = self.choose_within(by)
        if prod(len(self.categories[name].names) for name in names) > _MOST_GROUPS:
            raise InputError(f"The columns {quoted(names)} make more than {_MOST_GROUPS:,} groups; choose fewer.")
        return names

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
        return f"Give a list of columns with categories; the table has: {quoted(list(self.categories))}."

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


def quoted(names: Sequence[str]) -> str:
    return list_names(names, show=quote_name)


def _require_once(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise InputError(f"A column is chosen more than once in {quoted(names)}; name each once.")


def require_facts(rows_per_person: object, neighbors: object, rows_about: object) -> None:
    if type(rows_per_person) is not int or rows_per_person < 1:
        raise InputError("rows_per_person must be a whole number, 1 or more.")
    require_neighbors(neighbors, rows_about)
