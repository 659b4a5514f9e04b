"""What the cells of a table become: public rules, one for each column, that look at one cell alone.

A cell of a coordinate becomes a number, a cell of a category column the code of a declared value. A cell that becomes
neither follows the rule of its column: the table is refused, the row is left out of questions that use the column, or
a public value is filled in (`loading.proof.md`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from eremite.errors import InputError
from eremite.names import quote_name
from eremite.table import instants
from eremite.table.bounds import Bounds, FloatArray, bounds_by_column
from eremite.table.categories import MISSING, UNLISTED, Categories, Codes, Lookup, categories_by_column
from eremite.table.dates import days_of, holds_dates
from eremite.table.numeric import MISSING_KEY, refuse_cells, refuse_types
from eremite.table.series import codes_of, column_of, decoded, floats_of, floats_of_texts, type_of
from eremite.table.spellings import MissingRule, Spellings

_TRUTHS = (False, True)  # the values of a boolean coordinate; their codes are its numbers
_RULES: dict[str, MissingRule] = {"refuse": "refuse", "leave-out": "leave-out"}
_NOUNS = {"number": "a number", "boolean": "true or false", "date": "a date"}


@dataclass(frozen=True, slots=True)
class CellRules:
    """The rules of all columns; valid from birth, and public.

    Attributes:
        bounds: The coordinates and their bounds.
        missing: For every coordinate "refuse", "leave-out" or the number to fill in.
        categories: The category columns.
        missing_values: Texts that mean "missing".
        time_zone: The zone of times that have none.
    """

    bounds: Mapping[str, Bounds]
    missing: Mapping[str, MissingRule]
    categories: Mapping[str, Categories] = field(default_factory=dict)
    missing_values: tuple[str, ...] = ()
    time_zone: str = instants.UTC

    def __post_init__(self) -> None:
        for name in ("bounds", "missing", "categories"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[type["CellRules"], tuple[Any, ...]]:
        """Rules are public, and travel to where the rows are; a view of a mapping does not."""
        mappings = (dict(self.bounds), dict(self.missing), dict(self.categories))
        return CellRules, (*mappings, self.missing_values, self.time_zone)

    @classmethod
    def of(
        cls,
        bounds: Mapping[str, Any],
        missing: Mapping[str, Any] = MappingProxyType({}),
        categories: Mapping[str, Any] = MappingProxyType({}),
        missing_values: Iterable[str] = (),
        time_zone: str = instants.UTC,
    ) -> "CellRules":
        """Rules from what a user declares; every error is one sentence."""
        checked = bounds_by_column(bounds)
        if not isinstance(missing, Mapping):
            raise InputError("missing must be a mapping from column names to rules, as in {'glucose': 'leave-out'}.")
        listed = categories_by_column(categories, missing)
        _require_apart(checked, listed, missing)
        instants.require_zone(time_zone)
        spellings = Spellings(missing_values)  # type: ignore[arg-type]
        for name, column in listed.items():
            _require_unspelled(name, column.values, spellings)
        for name, bound in checked.items():
            _require_unspelled(name, _TRUTHS if bound.kind == "boolean" else (), spellings)
        rules = {name: missing_rule(name, bound, missing.get(name, "refuse")) for name, bound in checked.items()}
        return cls(checked, rules, listed, spellings.texts, time_zone)

    def only(self, names: Iterable[str]) -> "CellRules":
        """The rules with these coordinates alone, in this order."""
        kept = list(names)
        bounds, missing = {n: self.bounds[n] for n in kept}, {n: self.missing[n] for n in kept}
        return CellRules(bounds, missing, self.categories, self.missing_values, self.time_zone)

    @property
    def as_text(self) -> list[str]:
        """The columns whose cells must reach the rules as they are written, not as numbers."""
        return [*(name for name, bound in self.bounds.items() if bound.kind != "number"), *self.categories]

    def leaves_out(self, name: str) -> bool:
        """Whether a row may take no part in questions that use the column."""
        if name in self.categories:
            return self.categories[name].leaves_out
        return self.missing[name] == "leave-out"

    def numbers(self, columns: Mapping[str, Any], place: str) -> dict[str, FloatArray]:
        """The numbers of coordinates, with the fill values; NaN where a row is left out."""
        found = self.read_numbers(columns, place)
        bad = {name: self._no_value(name) for name, values in found.items() if self._refuses(name, values)}
        refuse_cells(bad, MISSING_KEY, place)
        return {name: self._filled(name, values) for name, values in found.items()}

    def codes(self, columns: Mapping[str, Any], place: str) -> dict[str, Codes]:
        """The codes of category columns, with the fill values; MISSING where a row is left out."""
        found = self.read_codes(columns, place)
        strict = [name for name in found if self.categories[name].other == "refuse"]
        unlisted = [name for name in strict if np.any(found[name] == UNLISTED)]
        refuse_cells(dict.fromkeys(unlisted, "has cells that are not among its categories"), 'other = "keep"', place)
        strict = [name for name in found if self.categories[name].missing == "refuse"]
        missing = [name for name in strict if np.any(found[name] == MISSING)]
        refuse_cells(
            dict.fromkeys(missing, "has missing cells"), 'missing = "leave-out" or one of its categories', place
        )
        return {name: self.settled_codes(name, codes) for name, codes in found.items()}

    def rows(self, columns: Mapping[str, Any], place: str) -> tuple[FloatArray, dict[str, Codes]]:
        """The scaled numbers of all coordinates, [coordinate, row], and the codes of all category columns.

        Coordinates are read one after the other, and chunk by chunk, so that no second copy of the table is made.
        """
        size = len(columns[next(iter(self.bounds))])
        scaled, wrong, bad = np.empty((len(self.bounds), size), dtype=np.float64), {}, {}
        for row, name in zip(scaled, self.bounds, strict=True):
            problem = self._scale(name, columns[name], row)
            if problem == "type":
                wrong[name] = (type_of(columns[name]), _NOUNS[self.bounds[name].kind])
            elif problem == "cells":
                bad[name] = self._no_value(name)
        refuse_types(wrong, place)
        refuse_cells(bad, MISSING_KEY, place)
        return scaled, self.codes({name: columns[name] for name in self.categories}, place)

    def _scale(self, name: str, column: Any, row: FloatArray) -> Literal["type", "cells"] | None:
        """Write the scaled numbers of a coordinate into `row`; what is refused instead, if something is."""
        start = 0
        for some in _chunks(column):
            values = self._read_number(name, some)
            if values is None:
                return "type"
            if self._refuses(name, values):
                return "cells"
            self.bounds[name].scale(self._filled(name, values), out=row[start : start + len(values)])
            start += len(values)
        if start != len(row):  # what is left of the row would be anything
            raise ValueError("Columns have different lengths.")
        return None

    def read_numbers(self, columns: Mapping[str, Any], place: str) -> dict[str, FloatArray]:
        """What the cells of coordinates are before the rules for missing cells: a number, or NaN."""
        found = {name: self._read_number(name, column) for name, column in columns.items()}
        wrong = {n: (type_of(columns[n]), _NOUNS[self.bounds[n].kind]) for n, values in found.items() if values is None}
        refuse_types(wrong, place)
        return {name: values for name, values in found.items() if values is not None}

    def read_codes(self, columns: Mapping[str, Any], place: str) -> dict[str, Codes]:
        """What the cells of category columns are before the rules: a code, MISSING or UNLISTED."""
        found = {n: codes_of(column, self._lookup(self.categories[n].values)) for n, column in columns.items()}
        refuse_types({n: (type_of(columns[n]), "a category") for n, codes in found.items() if codes is None}, place)
        return {name: codes for name, codes in found.items() if codes is not None}

    def _read_number(self, name: str, column: Any) -> FloatArray | None:
        spellings, kind = Spellings(self.missing_values), self.bounds[name].kind
        if kind == "boolean":
            codes = codes_of(column, self._lookup(_TRUTHS))
            return None if codes is None else np.where(codes < 0, np.nan, codes.astype(np.float64))
        if kind == "date":
            given = decoded(column_of(column), holds_dates)
            return None if given is None else days_of(given, instants.require_zone(self.time_zone), spellings)
        values = floats_of(column) if self.missing[name] == "refuse" else floats_of_texts(column)
        if values is None or not self.missing_values:
            return values
        return np.where(spellings.among_numbers(values), np.nan, values)

    def _lookup(self, values: tuple[Any, ...]) -> Lookup:
        return Lookup(values, Spellings(self.missing_values))

    def _no_value(self, name: str) -> str:
        return f"has cells that are missing or not {_NOUNS[self.bounds[name].kind]}"

    def _refuses(self, name: str, values: FloatArray) -> bool:
        return self.missing[name] == "refuse" and bool(np.isnan(values).any())

    def _filled(self, name: str, values: FloatArray) -> FloatArray:
        rule = self.missing[name]
        return values if isinstance(rule, str) else np.where(np.isnan(values), rule, values)

    def settled_codes(self, name: str, codes: Codes) -> Codes:
        """The codes with the fill value in place of MISSING, and the code of "other" in place of UNLISTED."""
        rule = self.categories[name]
        fill = Lookup(rule.values).code(rule.missing) if rule.missing not in ("refuse", "leave-out") else MISSING
        kept = np.where(codes == MISSING, np.int32(fill), codes)
        return np.where(kept == UNLISTED, np.int32(len(rule.values)), kept)


def _chunks(column: Any) -> list[Any]:
    """The chunks of a column of Arrow, or the column as it is; a cell becomes the same in both (L2)."""
    if not isinstance(column, pa.ChunkedArray) or column.num_chunks < 2:
        return [column]
    return [pa.chunked_array([chunk]) for chunk in column.chunks]


def missing_rule(name: str, bound: Bounds, rule: Any) -> MissingRule:
    """The rule of a coordinate for missing cells; a value to fill in must lie within the bounds."""
    if isinstance(rule, str):
        if rule in _RULES:
            return _RULES[rule]
        raise InputError(
            f'missing of column {quote_name(name)} must be "refuse", "leave-out" or {_NOUNS[bound.kind]} to fill in.'
        )
    try:
        return bound.number_of(rule)
    except InputError as error:
        raise InputError(f"missing of column {quote_name(name)} {error}.") from None


def _require_apart(bounds: Mapping[str, Any], categories: Mapping[str, Any], missing: Mapping[str, Any]) -> None:
    both = [name for name in categories if name in bounds]
    if both:
        raise InputError(f"Column {quote_name(both[0])} has both bounds and categories; keep one of the two.")
    unknown = [name for name in missing if name not in bounds and name not in categories]
    if unknown:
        raise InputError(f"missing names {quote_name(str(unknown[0]))}, which has no bounds; correct the name.")


def _require_unspelled(name: str, values: tuple[Any, ...], spellings: Spellings) -> None:
    try:
        Lookup(values, spellings)
    except InputError as error:
        raise InputError(f"Column {quote_name(name)} does not fit: {error}; keep one of the two.") from None
