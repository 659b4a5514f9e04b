"""A column of categories: the declared values, and the code that a cell becomes.

Codes follow the declared list, never the rows, a dictionary or the categories of a frame. Texts are compared without
the blanks around them. Whole numbers match however they are written: 1, "1", 1.0 and "1.0" are the same, but "01" is
not. Booleans, and the texts true and false in any case, are the numbers 1 and 0; if true and false are declared, they
also match the texts yes and no. So no code changes if a library makes numbers of booleans, or texts of both.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError
from eremite.names import quote_name
from eremite.table import cells
from eremite.table.spellings import Spellings

Value: TypeAlias = str | int | bool
Codes: TypeAlias = NDArray[np.int32]

MISSING, UNLISTED = -1, -2  # codes of cells that follow the rules `missing` and `other`
OTHER = "other"
_WHOLE = re.compile(r"([+-]?)(0|[1-9][0-9]*)(?:\.0*)?")
_LARGEST = 1e300  # a number beyond it is not listed; keeps texts of numbers short
_TRUTHS = {"true": "1", "false": "0"}
_ANSWERS = {True: "yes", False: "no"}  # of declared booleans


@dataclass(frozen=True, slots=True)
class Categories:
    """The values that a column may have, and what becomes of other cells. All of it is public.

    Attributes:
        values: Texts, whole numbers or booleans, each once.
        other: What becomes of a cell that is not listed: "refuse" the table, or "keep" the row, in a last category
            "other".
        missing: What becomes of a missing cell: "refuse" the table, "leave-out" the row from questions that use the
            column, or one of the values, to fill in.
    """

    values: tuple[Value, ...]
    other: Literal["refuse", "keep"] = "refuse"
    missing: Value = "refuse"

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _declared(self.values))
        lookup = Lookup(self.values)
        if self.other not in ("refuse", "keep"):
            raise InputError('other must be "refuse" or "keep"')
        if self.other == "keep" and lookup.code(OTHER) >= 0:
            raise InputError('"other" is listed, and with other = "keep" it names the cells that are not listed')
        if self.missing not in ("refuse", "leave-out") and lookup.code(self.missing) < 0:
            raise InputError('missing must be "refuse", "leave-out" or one of the listed categories')

    @property
    def names(self) -> tuple[Value, ...]:
        """The declared values in order of their codes; with other = "keep" the last is the text "other"."""
        return (*self.values, OTHER) if self.other == "keep" else self.values

    @property
    def leaves_out(self) -> bool:
        """Whether a row may take no part in questions that use the column."""
        return self.missing == "leave-out"


@dataclass(frozen=True, slots=True)
class Lookup:
    """From one cell to the code of a declared value, to MISSING or to UNLISTED."""

    values: tuple[Value, ...]
    spellings: Spellings = field(default_factory=Spellings)
    _exact: Mapping[str, int] = field(init=False, repr=False, compare=False)
    _folded: Mapping[str, int] = field(init=False, repr=False, compare=False)  # answers, for booleans

    def __post_init__(self) -> None:
        exact = {str(_text_of(value)): code for code, value in enumerate(self.values)}
        folded = {_ANSWERS[value]: code for code, value in enumerate(self.values) if isinstance(value, bool)}
        object.__setattr__(self, "_exact", exact)
        object.__setattr__(self, "_folded", folded)
        if len(exact) < len(self.values) or folded.keys() & map(str.lower, exact):
            raise InputError('a category is listed twice; 1 and "1" are the same, and so are true, "yes" and 1')
        spelled = [text for text in (*exact, *folded) if self.spellings.match(text)]
        if spelled:
            raise InputError(f"{quote_name(spelled[0])} is a category and is also among missing_values")

    def code(self, cell: object) -> int:
        """The code of one cell."""
        if self.spellings.match(cell):
            return MISSING
        text = _text_of(cell)
        if text is None:
            return UNLISTED
        found = self._exact.get(text)
        return self._folded.get(text.lower(), UNLISTED) if found is None else found

    def codes(self, column: Iterable[object]) -> Codes:
        """The code of each cell; a text that was met before is not looked up again."""
        known: dict[object, int] = {}

        def code(cell: object) -> int:
            if type(cell) is not str:
                return self.code(cell)
            found = known.get(cell)
            return known.setdefault(cell, self.code(cell)) if found is None else found

        return np.fromiter(map(code, column), dtype=np.int32)


def categories_by_column(categories: Any, missing: Mapping[str, Any]) -> dict[str, Categories]:
    """`Categories` for each column, made from lists of values; `missing` has the rules of some columns."""
    if not isinstance(categories, Mapping) or not all(isinstance(name, str) for name in categories):
        raise InputError(
            "Categories must be a mapping from column names to lists, as in categories={'ward': ['A', 'B']}."
        )
    return {name: _categories_of(name, given, missing) for name, given in categories.items()}


def _categories_of(name: str, given: Any, missing: Mapping[str, Any]) -> Categories:
    try:
        made = given if isinstance(given, Categories) else Categories(given)
        return replace(made, missing=missing[name]) if name in missing else made
    except InputError as error:
        raise InputError(f"Categories of column {quote_name(name)} do not fit: {error}.") from None


def _declared(values: Any) -> tuple[Value, ...]:
    listed = values if isinstance(values, Sequence) and not isinstance(values, str | bytes) else None
    if listed is None:
        raise InputError('give a list of values, as in ["A", "B"]')
    if not listed:
        raise InputError("the list is empty; give the values that can occur")
    return tuple(map(_value, listed))


def _value(value: object) -> Value:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer) and abs(int(value)) < _LARGEST:
        return int(value)
    if isinstance(value, str) and value.strip(cells.BLANKS):
        return value.strip(cells.BLANKS)
    raise InputError("each category must be a text that is not blank, a whole number, true or false")


def _text_of(cell: object) -> str | None:
    """The text by which a cell is compared; None for a cell that cannot be listed."""
    if isinstance(cell, str):
        text = cell.strip(cells.BLANKS)
        text = _TRUTHS.get(text.lower(), text)
        whole = _WHOLE.fullmatch(text)
        return text if whole is None else ("-" if whole[1] == "-" and whole[2] != "0" else "") + whole[2]
    number = cells.number_of(cell)
    if not abs(number) < _LARGEST:
        return None
    exact: Any = cell if isinstance(cell, int | Decimal | Fraction) else number
    return str(int(exact)) if exact == int(exact) else repr(number)
