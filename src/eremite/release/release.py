"""One answer as a record, and its JSON both ways."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from datetime import datetime
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, Generic, get_args

from eremite.cards import Card, Shown
from eremite.errors import InputError
from eremite.outliers import OutlierDefinition
from eremite.privacy import LARGEST_EPSILON, Neighbors, exact, json_number
from eremite.release.by_group import ByGroup, parsed_groups
from eremite.release.expected import UNKNOWN, Expected
from eremite.release.noise import NAMES, Each, PublicNoise
from eremite.release.noise import UNKNOWN as UNKNOWN_NOISE

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from typing_extensions import TypeVar

    from eremite.release.picture import Forecast

    #: The type of the value. A bare `Release` is one of any type, also for a strict type checker.
    T_co = TypeVar("T_co", covariant=True, default=Any)
else:
    from typing import TypeVar

    T_co = TypeVar("T_co", covariant=True)  # defaults are for type checkers alone before Python 3.13

#: A count; a radius; in tuples, subspaces, counts beside them, positions of candidates, answers; or counts by group.
Value = int | float | bool | str | tuple["Value", ...] | ByGroup
Parameter = int | float | str | None | tuple["Parameter", ...]
#: What else was asked for, by name.
Parameters = tuple[tuple[str, Parameter], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Release(Shown, Generic[T_co]):
    """One answer and what it cost. Only the value depends on the rows; all else was public before it was drawn.

    `Release[int]` is one whose value is an int; the kinds of release have names such as `CountRelease`.
    """

    value: T_co
    query: str
    columns: tuple[str, ...]
    definition: OutlierDefinition | None  # None for count_rows, which is not about outliers
    epsilon: Fraction  # of the person protected: for m rows a person, each row has epsilon / m
    delta: Fraction
    mechanism: str
    neighbors: Neighbors = "replace"
    rows_per_person: int = 1  # so many rows differ at most between the tables compared
    parameters: Parameters = ()
    expected: Expected = UNKNOWN  # how far off it may be, from public facts
    noise: PublicNoise = UNKNOWN_NOISE  # exact figures of the noise, where its scale is public
    request_id: str
    time: datetime  # when the charge was made; when the answer was ready depends on the rows
    version: str

    def to_json(self) -> str:
        """One JSON object. Epsilon and delta are decimal numbers, or texts "p/q" where those would not be exact."""
        fields = {
            "value": self.value.pairs if isinstance(self.value, ByGroup) else self.value,  # tuples become lists
            "query": self.query,
            "columns": list(self.columns),
            "definition": None if self.definition is None else self.definition.to_json(),
            "epsilon": json_number(self.epsilon),
            "delta": json_number(self.delta),
            "mechanism": self.mechanism,
            "neighbors": self.neighbors,
            "rows_per_person": self.rows_per_person,
            "parameters": dict(self.parameters),
            "request_id": self.request_id,
            "time": self.time.isoformat(),
            "version": self.version,
        }
        fields |= self.expected.to_json() | self.noise.to_json()
        return json.dumps(fields, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Release[Any]":
        """The release that `to_json` wrote. Its value has the type that its query gives; anything else is refused.

        Fields that a later version writes beside these are left out.
        """
        try:
            fields = json.loads(text)
            known = {field.name for field in dataclass_fields(cls)}
            return cls(**({name: fields[name] for name in fields if name in known} | _parsed(fields)))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InputError("This is not the JSON of a release; give what Release.to_json wrote.") from None

    @property
    def expected_error(self) -> int | None:
        """95 % of such counts are off by this at most, as far as public facts tell; None if nothing can be said."""
        return self.expected.error

    @property
    def expected_chance(self) -> float | None:
        """How likely all that was drawn is right, as far as public facts tell; None if nothing can be said."""
        return self.expected.chance

    @property
    def reach(self) -> Each[int]:
        """How many rows one place may change the count by; None if it was not counted so.

        Of several counts, as this and the next are: one for each, in their order.
        """
        return self.noise.reach

    @property
    def reach_above(self) -> Each[int]:
        """The same of the count from above, where both sides were drawn; None elsewhere."""
        return self.noise.reach_above

    @property
    def noise_scale(self) -> Each[float]:
        """The scale of the noise, in rows; None if it is private."""
        return self.noise.noise_scale

    @property
    def noise_half_width(self) -> Each[int]:
        """95 % of all such answers are within so many rows of the capped count; None if the scale is private.

        Exact, of the noise alone: how many outliers the reach left out is private.
        """
        return self.noise.noise_half_width

    @property
    def at_least(self) -> Each[int]:
        """95 times in 100 the true count is no less, whatever the rows are; None if nothing can be said."""
        return self.noise.at_least

    @property
    def interval(self) -> Each[tuple[int, int | None]]:
        """Numbers between which the true count lies, `confidence` of the time, whatever the rows are.

        The second is None if the count was drawn from below alone; all of it, if nothing can be said.
        """
        return self.noise.interval

    @property
    def confidence(self) -> Each[float]:
        """How often `interval` holds the true count; None if there is none."""
        return self.noise.confidence

    @property
    def rows(self) -> Each[int]:
        """How many rows take part, with noise; None if that was not asked for."""
        return self.noise.rows

    @property
    def rows_within(self) -> Each[int]:
        """`confidence` of the time, the true number of rows is within so many of `rows`, whatever they are."""
        return self.noise.rows_within

    def plot(self, forecast: "Forecast | None" = None) -> "Figure":
        """A matplotlib figure of the answer and its guarantee: nothing that is not in the JSON. Needs eremite[plots].

        A count takes a `CountForecast` of the same request, and shows how far off such counts are expected to be: the
        release itself cannot say, since its noise depends on the rows.
        """
        from eremite.release.picture import picture

        return picture(self, forecast)

    def to_dict(self) -> dict[str, Any]:
        """The fields of the JSON as plain values: texts, numbers, lists and mappings."""
        fields: dict[str, Any] = json.loads(self.to_json())
        return fields

    def to_frame(self) -> "DataFrame":
        """The answer as a pandas frame: a line for each group, set, candidate or point; one line if it is one number.

        Needs pandas.
        """
        from eremite.data_frames import data_frame
        from eremite.release.parts import parts

        return data_frame(parts(self))

    def _card(self) -> Card:
        """The answer, its picture, what it cost and what it protects."""
        from eremite.release.summary import release_card

        return release_card(self)


#: A set of columns.
Columns = tuple[str, ...]

CountRelease = Release[int]
"""How many rows are outliers."""
CountByRelease = Release[ByGroup]
"""How many rows of each group are outliers."""
SubspacesRelease = Release[tuple[Columns, ...]]
"""Sets of columns, in the order drawn."""
ReportRelease = Release[tuple[tuple[Columns, int], ...]]
"""Sets of columns in the order drawn, each with its count."""
DetectRelease = Release[tuple[int, ...]]
"""Positions of candidates from 0, in the order drawn."""
ExplainRelease = Release[tuple[Columns, ...] | tuple[tuple[Columns, ...], ...]]
"""Sets of columns in the order drawn; of several points, such sets for each."""
RadiusRelease = Release[float]
"""A radius."""
RowsRelease = Release[int]
"""How many rows there are."""
ScreenRelease = Release[tuple[bool, ...]]
"""For each candidate, whether it would be an outlier."""

_VALUES = {"count_outliers_by": ByGroup, "count_outliers": int, "choose_radius": float, "count_rows": int}
_TEXTS = ("query", "mechanism", "request_id", "version")


def _parsed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as a release holds them; a ValueError for anything else."""
    value = _tuples(fields["value"])
    parsed = {
        "value": parsed_groups(value) if fields["query"] == "count_outliers_by" else value,
        "parameters": tuple((name, _tuples(value)) for name, value in fields.get("parameters", {}).items()),
        "columns": _tuples(fields["columns"]),
        "definition": None if fields["definition"] is None else OutlierDefinition(**fields["definition"]),
        "expected": Expected.parsed(fields),
        "noise": PublicNoise.parsed([_tuples(fields.get(name)) for name in NAMES], fields["query"], value),
        "epsilon": exact(fields["epsilon"], "epsilon"),
        "delta": exact(fields["delta"], "delta"),
        "time": datetime.fromisoformat(fields["time"]),
    }
    texts = [fields[name] for name in _TEXTS] + list(parsed["columns"])
    _require(all(isinstance(text, str) for text in texts))
    of_rows = fields["query"] == "count_rows"  # it needs no columns, and has no definition
    _require(isinstance(parsed["columns"], tuple) and (of_rows or len(parsed["columns"]) > 0))
    _require((parsed["definition"] is None) == of_rows)
    _require(type(parsed["value"]) is _VALUES.get(fields["query"], tuple))
    _require(type(parsed["value"]) is not int or parsed["value"] >= 0)
    _require(fields["neighbors"] in get_args(Neighbors))
    _require(type(fields["rows_per_person"]) is int and fields["rows_per_person"] >= 1)
    _require(
        0 < parsed["epsilon"] <= LARGEST_EPSILON and 0 <= parsed["delta"] < 1 and parsed["time"].tzinfo is not None
    )
    return parsed


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError


def _tuples(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    if isinstance(value, list):
        return tuple(_tuples(part) for part in value)
    _require(value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value)))
    return value
