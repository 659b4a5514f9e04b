"""Limits of every part of a request, from constants and from what is public about the table.

A request beyond a limit is refused when it is read, before it waits for a turn and before anything is charged. Every
part is checked once, so the work is proportional to the length of the body. docs/how-to/service.md lists the limits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from eremite import table
from eremite.errors import InputError
from eremite.privacy import LARGEST_EPSILON, exact
from eremite.release.noise import MOST_REACH

MAX_BODY_BYTES = 4 * 2**20
#: The request line and the headers together. More is never read; half as much always is.
MAX_HEAD_BYTES = 32 * 2**10
#: Tokens made by eremite have 43 characters.
MAX_TOKEN_CHARS = 200
#: Of a request id, a choice, or a name; the name of a column may be as long as the longest one of the table.
MAX_TEXT_CHARS = 200
#: Of a question for a radius, by the API and by a form.
MAX_RADII = 1_000
#: Of a number, as a number or as a text. A fraction of two numbers with 300 digits each, the most that is computed
#: with, fits.
MAX_NUMBER_CHARS = 700
#: The most rows a table can have, and more than the error of any count.
_MAX_ROWS = 2**32


@dataclass(frozen=True, slots=True)
class Facts:
    """Public facts of a table that limit a request."""

    rows: int  # the number of rows, or the largest possible one where it is private
    columns: int
    longest_name: int  # of a column or a category, in characters
    categories: int = 0  # columns that have them

    @property
    def rows_in_words(self) -> str:
        """The reason for a limit on a number of rows."""
        return f"the table has {self.rows:,} rows" if self.rows < _MAX_ROWS else "no table has more rows"


def facts_of(public: table.Facts) -> Facts:
    """The limiting facts among all public ones."""
    listed = (str(value) for column in public.categories.values() for value in column.names)
    longest = max(map(len, (*public.bounds, *public.categories, *listed)))
    rows = public.rows if public.neighbors == "replace" else _MAX_ROWS
    return Facts(rows, len(public.bounds), longest, len(public.categories))


Largest = Callable[[Facts], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Limits of one field. A value of the wrong type passes here and is refused when the question is validated."""

    number: Largest | None = None  # absolute value of a number, or of each number in a list
    length: Largest | None = None  # of a list
    inner_length: Largest | None = None  # of each list in a list
    or_one_part: bool = False  # whether a list without lists in it is such a list itself
    as_text: bool = False  # whether the number may be a text, such as "1/3"
    names: bool = False  # whether a list holds names of columns
    cells: bool = False  # whether lists in a list, and objects, hold cells, of which some are texts
    why: str = ""


def _constant(number: int) -> Largest:
    return lambda _: number


def _other_rows(facts: Facts) -> int:
    return facts.rows - 1


def _categories(facts: Facts) -> int:
    return facts.categories


def _cells(facts: Facts) -> int:
    return facts.columns + facts.categories


def _columns(facts: Facts) -> int:
    return facts.columns


def _sets(facts: Facts) -> int:
    """The number of nonempty sets of columns, at most 100,000."""
    return 100_000 if facts.columns >= 17 else 2**facts.columns - 1


_TABLE_ROWS, _TABLE_COLUMNS = "{facts.rows_in_words}", "the table has {facts.columns:,} columns"
_TABLE_CELLS = f"{_TABLE_COLUMNS}, and {{facts.categories:,}} with categories"
_TABLE_CATEGORIES = "the table has {facts.categories:,} columns with categories"

#: By field, for all questions and forecasts. The fields of a definition are listed beside the others.
LIMITS: Mapping[str, Limit] = {
    "definition": Limit(),
    "min_neighbors": Limit(number=_other_rows, why=_TABLE_ROWS),
    "radius": Limit(number=_constant(1), why="no two rows are further apart"),
    "columns": Limit(length=_columns, names=True, why=_TABLE_COLUMNS),
    "epsilon": Limit(number=_constant(LARGEST_EPSILON), length=_constant(20), as_text=True),
    "delta": Limit(number=_constant(1), as_text=True),
    "mechanism": Limit(),
    "reach": Limit(number=_constant(MOST_REACH)),
    "confidence": Limit(number=_constant(1), as_text=True),
    "rows": Limit(),
    "request_id": Limit(),
    "h": Limit(number=_constant(1_000)),
    "size": Limit(number=_columns, why=_TABLE_COLUMNS),
    "max_size": Limit(number=_columns, why=_TABLE_COLUMNS),
    "subspaces": Limit(length=_sets, inner_length=_columns, names=True, why=_TABLE_COLUMNS),
    "utility": Limit(),
    "selection": Limit(),
    "candidates": Limit(length=_constant(100_000), inner_length=_cells, cells=True, why=_TABLE_CELLS),
    "point": Limit(length=_constant(100_000), inner_length=_cells, or_one_part=True, cells=True, why=_TABLE_CELLS),
    "by": Limit(length=_categories, names=True, why=_TABLE_CATEGORIES),
    "share": Limit(number=_constant(1), as_text=True),
    "radii": Limit(number=_constant(1), length=_constant(MAX_RADII)),
    # How far off a count may be, or columns with categories.
    "within": Limit(number=_constant(_MAX_ROWS), as_text=True, length=_categories, names=True, why=_TABLE_CATEGORIES),
    "probability": Limit(number=_constant(1), as_text=True),
    "shape": Limit(),
}


def require_within_limits(fields: Mapping[str, Any], facts: Facts) -> None:
    """Refuse the first field beyond its limit. Every field must have an entry in `LIMITS`."""
    for name, value in fields.items():
        _Check(name, LIMITS[name], facts).require(value)
        if name == "definition" and isinstance(value, dict):
            for part in value.keys() & {"min_neighbors", "radius"}:
                _Check(part, LIMITS[part], facts).require(value[part])
            if isinstance(value.get("within"), list):
                _Check("within", LIMITS["within"], facts).require(value["within"])


@dataclass(frozen=True, slots=True)
class _Check:
    """The check of one field."""

    name: str
    limit: Limit
    facts: Facts

    def require(self, value: object) -> None:
        if isinstance(value, list):
            self._require_list(value)
        elif isinstance(value, dict) and self.limit.cells:
            self._require_part(value)
        else:
            self._require_scalar(value)

    def _require_list(self, value: list[object]) -> None:
        if self.limit.length is None:
            return  # not a list field
        self._require_length(self.name, len(value), self.limit.length, "" if self.limit.inner_length else self._why())
        if self.limit.inner_length is not None:
            if self.limit.or_one_part and not any(isinstance(part, list | dict) for part in value):
                self._require_part(value)
            for inner in (part for part in value if isinstance(part, list | dict)):
                self._require_part(inner)
        elif self.limit.names:
            self._require_texts(value)
        elif self.limit.number is not None:
            for part in value:
                self._require_scalar(part)

    def _require_part(self, part: list[object] | dict[str, object]) -> None:
        """A list in a list, or an object of cells by name."""
        if self.limit.inner_length is not None:
            self._require_length(f"Each part of {self.name}", len(part), self.limit.inner_length, self._why())
        if self.limit.names or self.limit.cells:
            self._require_texts([*part, *part.values()] if isinstance(part, dict) else part)

    def _require_scalar(self, value: object) -> None:
        if isinstance(value, str) and not self.limit.as_text:
            self._require_texts([value])
        elif isinstance(value, int | Decimal | str) and type(value) is not bool and self.limit.number is not None:
            self._require_number(value, self.limit.number(self.facts))

    def _require_number(self, value: int | Decimal | str, largest: int) -> None:
        if isinstance(value, str) and len(value) > MAX_NUMBER_CHARS:
            raise InputError(f"{self.name} must have at most {MAX_NUMBER_CHARS} characters.")
        if isinstance(value, str) and self.limit.names and not _is_number(value):
            raise InputError(f"{self.name} must be a list of columns, or in a forecast of a count a number of rows.")
        if abs(exact(value, self.name)) > largest:
            raise InputError(f"{self.name} must be at most {largest:,}{self._why()}.")

    def _require_length(self, what: str, length: int, most: Largest, why: str) -> None:
        if length > most(self.facts):
            raise InputError(f"{what} must have at most {most(self.facts):,} entries{why}.")

    def _require_texts(self, texts: list[object]) -> None:
        longest = max(MAX_TEXT_CHARS, self.facts.longest_name)
        if any(isinstance(text, str) and len(text) > longest for text in texts):
            raise InputError(f"A text in {self.name} is longer than {longest:,} characters; none of that length fits.")

    def _why(self) -> str:
        return f": {self.limit.why.format(facts=self.facts)}" if self.limit.why else ""


def _is_number(text: str) -> bool:
    try:
        exact(text, "")
    except InputError:
        return False
    return True
