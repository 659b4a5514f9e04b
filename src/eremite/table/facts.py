"""Everything public about a table, without its rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eremite.privacy import Neighbors
from eremite.table.bounds import Bounds
from eremite.table.categories import Categories
from eremite.table.rules import CellRules


@dataclass(frozen=True, slots=True)
class Facts:
    """What may be known of a table by everybody: questions are planned, refused and forecast from it alone.

    `rows` is N with neighbors = "replace". With "add-remove", where N is private, it is about how many there are, as
    declared.
    """

    rules: CellRules
    rows_per_person: int
    neighbors: Neighbors
    rows: int

    @property
    def bounds(self) -> Mapping[str, Bounds]:
        """The coordinates and their bounds."""
        return self.rules.bounds

    @property
    def categories(self) -> Mapping[str, Categories]:
        """The category columns."""
        return self.rules.categories

    @property
    def rows_in_words(self) -> str:
        """How many rows there are, exactly or about, as far as that is public."""
        rows = f"{self.rows:,} row{'' if self.rows == 1 else 's'}"
        return rows if self.neighbors == "replace" else f"about {rows}"

    def described(self) -> dict[str, Any]:
        """All of it column by column, ready for JSON, for people; dates as they are written."""
        columns = {name: self._column(name, bound) for name, bound in self.bounds.items()}
        listed = {
            name: {"categories": list(column.values), "other": column.other, "missing": column.missing}
            for name, column in self.categories.items()
        }
        return {
            "n_rows" if self.neighbors == "replace" else "rows_about": self.rows,
            "neighbors": self.neighbors,
            "rows_per_person": self.rows_per_person,
            "columns": columns,
            "categories": listed,
        }

    def _column(self, name: str, bound: Bounds) -> dict[str, Any]:
        rule = self.rules.missing[name]

        def value(number: float) -> float | bool | str:
            if bound.kind == "date":
                return bound.show(number)
            return bool(number) if bound.kind == "boolean" else number

        missing = rule if isinstance(rule, str) else value(rule)
        return {"min": value(bound.min), "max": value(bound.max), "missing": missing}

    def to_json(self) -> dict[str, Any]:
        """All of it in the form that identifies it, ready for JSON; what was not declared is left out."""
        number = "n_rows" if self.neighbors == "replace" else "rows_about"
        return {number: self.rows} | self.rules_to_json()

    def rules_to_json(self) -> dict[str, Any]:
        """The same without the number of rows, which may change while everything that was declared stays."""
        bounds = {name: [bound.min, bound.max] for name, bound in self.bounds.items()}
        facts = {"rows_per_person": self.rows_per_person, "bounds": bounds}
        return facts | {name: value for name, value in self._more() if value}

    def _more(self) -> list[tuple[str, Any]]:
        rules = self.rules
        kinds = {name: bound.kind for name, bound in self.bounds.items() if bound.kind != "number"}
        listed = {
            name: {"values": list(column.values), "other": column.other, "missing": column.missing}
            for name, column in self.categories.items()
        }
        return [
            ("neighbors", None if self.neighbors == "replace" else self.neighbors),
            ("kinds", kinds),
            ("time_zone", rules.time_zone if "date" in kinds.values() else None),
            ("missing", {name: rule for name, rule in rules.missing.items() if rule != "refuse"}),
            ("missing_values", list(rules.missing_values)),
            ("categories", listed),
        ]
