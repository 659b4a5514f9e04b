"""What crosses from the private side to the analyst: a `Release`, and nothing else."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from eremite.errors import InputError
from eremite.outliers import OutlierDefinition
from eremite.privacy import exact, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One answer and what it cost. Of the rows it carries the value alone; all else was public before it was drawn."""

    value: int
    query: str
    columns: tuple[str, ...]
    definition: OutlierDefinition
    epsilon: Fraction  # of the person protected: for m rows a person, each row has epsilon / m
    delta: Fraction
    mechanism: str
    neighbours: str  # what differs between the tables that are told apart no better than epsilon and delta say
    request_id: str
    time: datetime  # when the charge was made; when the answer was ready depends on the rows
    version: str

    def to_json(self) -> str:
        """One JSON object. Epsilon and delta are decimal numbers, or texts "p/q" where those would not be exact."""
        fields = {
            "value": self.value,
            "query": self.query,
            "columns": list(self.columns),
            "definition": {"min_neighbors": self.definition.min_neighbors, "radius": self.definition.radius},
            "epsilon": json_number(self.epsilon),
            "delta": json_number(self.delta),
            "mechanism": self.mechanism,
            "neighbours": self.neighbours,
            "request_id": self.request_id,
            "time": self.time.isoformat(),
            "version": self.version,
        }
        return json.dumps(fields, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Release":
        """The release that `to_json` wrote."""
        try:
            fields = json.loads(text)
            return cls(**(fields | _parsed(fields)))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InputError("This is not the JSON of a release; give what Release.to_json wrote.") from None


def _parsed(fields: Mapping[str, Any]) -> dict[str, Any]:
    if type(fields["value"]) is not int:
        raise TypeError
    return {
        "columns": tuple(str(name) for name in fields["columns"]),
        "definition": OutlierDefinition(**fields["definition"]),
        "epsilon": exact(fields["epsilon"], "epsilon"),
        "delta": exact(fields["delta"], "delta"),
        "time": datetime.fromisoformat(fields["time"]),
    }


def json_number(number: Fraction) -> float | int | str:
    """A number that reads back as the same fraction."""
    text = shown(number)
    if "/" in text:
        return text
    return int(number) if number.denominator == 1 else float(number)
