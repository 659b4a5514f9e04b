"""How much a request may hold: a bound for every field, from constants and from what is public about the table.

What goes beyond is refused when the request is read: before it waits for a turn, and before anything is charged. No
check looks at a part twice, so the work is bounded by the length of the body. The how-to page of the service has the
same bounds as a table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from eremite import Table
from eremite.errors import InputError
from eremite.privacy import LARGEST_EPSILON, exact

#: Bytes of a body.
LONGEST_BODY = 4 * 2**20
#: Bytes of the first line and the headers together: more are never read. Half as many always are.
LONGEST_HEAD = 32 * 2**10
#: Characters of a token; those that eremite makes have 43.
LONGEST_TOKEN = 200
#: Characters of a request id, a choice, or a name; names of columns may be as long as the table's longest.
LONGEST_TEXT = 200
#: Characters of a number as a text, and digits in a row of any other: a fraction of two numbers with 300 digits each,
#: which is what is computed with, fits.
LONGEST_NUMBER = 700
#: As many rows as a table can have, and more than any count is off by.
MOST_ROWS = 2**32


@dataclass(frozen=True, slots=True)
class Facts:
    """What is public about a table and bounds a request."""

    rows: int
    columns: int
    longest_name: int  # in characters


def facts_of(table: Table) -> Facts:
    """The facts of a table."""
    return Facts(table.n_rows, len(table.columns), max(map(len, table.columns)))


Largest = Callable[[Facts], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """How much one field may hold. What a field cannot be at all (a list, say) is told by the question itself."""

    number: Largest | None = None  # the size of a number, or of each number in a list
    parts: Largest | None = None  # of a list
    inner: Largest | None = None  # of each list in a list
    as_text: bool = False  # whether the number may be a text, such as "1/3"
    names: bool = False  # whether a list holds names of columns
    why: str = ""


def _constant(number: int) -> Largest:
    return lambda _: number


def _rows(facts: Facts) -> int:
    return facts.rows - 1


def _columns(facts: Facts) -> int:
    return facts.columns


def _sets(facts: Facts) -> int:
    """No more sets than there are."""
    return 100_000 if facts.columns >= 17 else 2**facts.columns - 1


_TABLE_ROWS, _TABLE_COLUMNS = "the table has {facts.rows:,} rows", "the table has {facts.columns:,} columns"

#: By field, of all questions and forecasts; the fields of a definition stand beside the others.
BOUNDS: Mapping[str, Bound] = {
    "definition": Bound(),
    "min_neighbors": Bound(number=_rows, why=_TABLE_ROWS),
    "radius": Bound(number=_constant(1), why="no two rows are further apart"),
    "columns": Bound(parts=_columns, names=True, why=_TABLE_COLUMNS),
    "epsilon": Bound(number=_constant(LARGEST_EPSILON), parts=_constant(20), as_text=True),
    "delta": Bound(number=_constant(1), as_text=True),
    "mechanism": Bound(),
    "request_id": Bound(),
    "h": Bound(number=_constant(1_000)),
    "size": Bound(number=_columns, why=_TABLE_COLUMNS),
    "max_size": Bound(number=_columns, why=_TABLE_COLUMNS),
    "subspaces": Bound(parts=_sets, inner=_columns, names=True, why=_TABLE_COLUMNS),
    "utility": Bound(),
    "selection": Bound(),
    "candidates": Bound(parts=_constant(100_000), inner=_columns, why=_TABLE_COLUMNS),
    "share": Bound(number=_constant(1), as_text=True),
    "radii": Bound(number=_constant(1), parts=_constant(1_000)),
    "within": Bound(number=_constant(MOST_ROWS), as_text=True),
    "probability": Bound(number=_constant(1), as_text=True),
    "shape": Bound(),
}


def require_bounded(fields: Mapping[str, Any], facts: Facts) -> None:
    """Refuse the first field that holds too much; every field has its entry in `BOUNDS`."""
    for name, value in fields.items():
        _Checked(name, BOUNDS[name], facts).require(value)
        if name == "definition" and isinstance(value, dict):
            require_bounded({part: value[part] for part in value.keys() & BOUNDS.keys()}, facts)


@dataclass(frozen=True, slots=True)
class _Checked:
    """One field under its bound."""

    name: str
    bound: Bound
    facts: Facts

    def require(self, value: object) -> None:
        if isinstance(value, list):
            self._require_list(value)
        else:
            self._require_part(value)

    def _require_list(self, value: list[object]) -> None:
        if self.bound.parts is None:
            return  # a list does not fit at all
        self._require_length(self.name, len(value), self.bound.parts, "" if self.bound.inner else self._why())
        if self.bound.inner is not None:
            for inner in (part for part in value if isinstance(part, list)):
                self._require_length(f"Each part of {self.name}", len(inner), self.bound.inner, self._why())
                self._require_names(inner)
        elif self.bound.number is not None:
            for part in value:
                self._require_part(part)
        else:
            self._require_names(value)

    def _require_part(self, value: object) -> None:
        if isinstance(value, str) and not self.bound.as_text:
            self._require_text(value)
        elif isinstance(value, int | Decimal | str) and type(value) is not bool and self.bound.number is not None:
            self._require_number(value, self.bound.number(self.facts))

    def _require_number(self, value: int | Decimal | str, largest: int) -> None:
        if isinstance(value, str) and len(value) > LONGEST_NUMBER:
            raise InputError(f"{self.name} must have at most {LONGEST_NUMBER} characters.")
        if abs(exact(value, self.name)) > largest:
            raise InputError(f"{self.name} must be at most {largest:,}{self._why()}.")

    def _require_length(self, what: str, length: int, most: Largest, why: str) -> None:
        if length > most(self.facts):
            raise InputError(f"{what} must have at most {most(self.facts):,} entries{why}.")

    def _require_names(self, names: list[object]) -> None:
        if self.bound.names:
            for name in names:
                self._require_text(name)

    def _require_text(self, text: object) -> None:
        longest = max(LONGEST_TEXT, self.facts.longest_name)
        if isinstance(text, str) and len(text) > longest:
            raise InputError(f"A text in {self.name} is longer than {longest:,} characters; none of that length fits.")

    def _why(self) -> str:
        return f": {self.bound.why.format(facts=self.facts)}" if self.bound.why else ""
