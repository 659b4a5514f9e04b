"""Fields of the query records: what Python callers pass, what a JSON body may hold, what each field means.

Records are ordinary dataclasses and do not validate: `plan` checks a question against a table. Pydantic reads the
annotations here when a JSON body becomes a record (`TypeAdapter(CountQuery)`): strictly, so that 0.1 stays what was
written, and with errors that begin with "must". Numbers of privacy are exact: 0.1 is 1/10, and a text may be "1/3".
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isinf
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, GetPydanticSchema, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from eremite.outliers import OutlierDefinition

#: How records are read from JSON: unknown fields are errors, and no error repeats what was sent.
FROM_JSON = ConfigDict(extra="forbid", hide_input_in_errors=True)
#: The type of pydantic errors whose message continues the sentence "The field NAME must ...".
MUST = "must"

#: A number taken as written: 0.1 is 1/10.
Number = Fraction | Decimal | float | int | str
Utility = Literal["auto", "compared", "centered", "dampened", "paper"]
Selection = Literal["permute-and-flip", "exponential"]
Shape = Literal["cautious", "clusters", "normal", "uniform"]
RowShape = Literal["clusters", "normal", "uniform"]
SearchShape = Literal["cautious", "planted", "clusters", "normal", "uniform"]

#: The epsilons that forecasts cover by default.
USUAL_EPSILONS: tuple[str, ...] = ("0.1", "0.2", "0.5", "1", "2")


def _must(words: str) -> PydanticCustomError:
    return PydanticCustomError(MUST, "must {words}", {"words": words})


def _number(value: object) -> int | Decimal | str:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise _must('be a number, or a text such as "0.1" or "1/3"')
    return value


def _float(value: object, words: str = "be a number") -> float:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _must(words)
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if isinf(number):
        raise _must(f"{words} that is not as large")
    return number


def _candidates(value: object) -> Any:
    """A list of points, or null; read up to the first mistake."""
    if value is not None and not isinstance(value, list):
        raise _must(_POINTS)
    return None if value is None else _points(value)


def _point(value: object) -> Any:
    """One point, or a list of points."""
    if isinstance(value, list) and any(isinstance(part, list | dict) for part in value):
        return _points(value)
    return _cells(value) if isinstance(value, list) else _named_cells(value)


def _points(points: list[Any]) -> Any:
    """Points in rows; of points by name, the cells of each column."""
    if not any(isinstance(point, dict) for point in points):
        return [_cells(point) for point in points]
    named = [_named_cells(point) for point in points]
    if any(point.keys() != named[0].keys() for point in named):
        raise _must("have the same names in all points")
    return {name: [point[name] for point in named] for name in named[0]}


def _cells(value: object) -> list[float | str | bool]:
    if not isinstance(value, list):
        raise _must(_POINTS)
    return [_cell(cell) for cell in value]


def _named_cells(value: object) -> dict[str, float | str | bool]:
    if not isinstance(value, dict):
        raise _must(_POINTS)
    return {name: _cell(cell) for name, cell in value.items()}


def _cell(value: object) -> float | str | bool:
    """A number, or what a cell of other columns may hold; what fits a column is decided with the table."""
    return value if isinstance(value, str | bool) else _float(value, "have as each coordinate a number or a text")


def _definition(value: object) -> OutlierDefinition:
    if not isinstance(value, dict) or value.keys() - {"within"} != {"min_neighbors", "radius"}:
        raise _must("be an object with min_neighbors and radius, and perhaps within")
    radius = _float(value["radius"], "have as radius a number")
    return OutlierDefinition(min_neighbors=value["min_neighbors"], radius=radius, within=value.get("within", ()))


def _read_as(kind: Any) -> GetPydanticSchema:
    """Pydantic reads a field as this type, whatever else Python callers may pass."""
    return GetPydanticSchema(lambda _, handler: handler.generate_schema(kind))


_POINTS = "be a list of points, each a list of values or an object with a value for each name"
_FEWER = "A row with fewer other rows near it is an outlier."
_STRATA = "Columns with categories; only rows that agree on them are neighbors."
_DEFINITION_SCHEMA = {
    "type": "object",
    "required": ["min_neighbors", "radius"],
    "additionalProperties": False,
    "properties": {
        "min_neighbors": {"type": "integer", "minimum": 1, "description": _FEWER},
        "radius": {
            "type": "number",
            "description": "How near is near: in distances that run from 0 to 1, as the bounds scale.",
        },
        "within": {
            "type": "array",
            "items": {"type": "string"},
            "default": [],
            "description": _STRATA,
        },
    },
}
_EXACT = Annotated[
    int | Decimal | str, PlainValidator(_number), WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]})
]
_CELL_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "boolean"}]}
_POINT_SCHEMA: dict[str, Any] = {
    "anyOf": [{"type": "array", "items": _CELL_SCHEMA}, {"type": "object", "additionalProperties": _CELL_SCHEMA}]
}
_POINTS_SCHEMA = {"type": "array", "items": _POINT_SCHEMA}
_ONE_POINT = (
    "a list with a value for each column and then for each column of `within`, or an object by name. A value is a "
    "number; in columns of dates, booleans or categories also a text such as 2026-01-31, or true or false"
)
_WHOLE = Annotated[int, Field(strict=True)]
_FLOAT = Annotated[float, PlainValidator(_float), WithJsonSchema({"type": "number"})]
# A long list is read up to its first mistake: only that one is reported, and a million take a minute to collect.
_NAMES = Annotated[list[str], Field(fail_fast=True)]
_FLOATS = Annotated[list[_FLOAT], Field(fail_fast=True)]

Definition = Annotated[
    OutlierDefinition,
    PlainValidator(_definition),
    WithJsonSchema(_DEFINITION_SCHEMA),
    Field(description="What an outlier is."),
]
MinNeighbors = Annotated[int, Field(strict=True, description=_FEWER)]
Columns = Annotated[
    Iterable[str] | None,
    _read_as(_NAMES | None),
    Field(description="In which columns; all of them if none are named."),
]
PartColumns = Annotated[
    Iterable[str] | None,
    _read_as(_NAMES | None),
    Field(description="Count the rows that take part in questions about these columns; all rows if none are named."),
]
Epsilon = Annotated[Number, _read_as(_EXACT), Field(description="What to spend, taken as written.")]
Epsilons = Annotated[
    Number | Sequence[Number],
    _read_as(Annotated[list[_EXACT], Field(min_length=1)]),
    Field(description="For which epsilons."),
]
Delta = Annotated[Number, _read_as(_EXACT), Field(description="What to spend beside epsilon; 0 is pure.")]
MechanismName = Annotated[str, Field(description="The noise; auto chooses by public facts.")]
Reach = Annotated[
    _WHOLE | None,
    Field(
        description="How many rows one place may change the count by; the noise grows with it; chosen from public "
        "facts if not given."
    ),
]
Confidence = Annotated[
    Number | None,
    _read_as(_EXACT | None),
    Field(description="How often the interval holds the true count, from 0.5 to 0.999; 0.95 if not given."),
]
RowsToo = Annotated[
    bool | None,
    Field(strict=True, description="Whether to tell too how many rows take part, where rows come and go; nearly free."),
]
Top = Annotated[int, Field(strict=True, description="How many to name.")]
Size = Annotated[_WHOLE | None, Field(description="Search all sets of this many columns.")]
MaxSize = Annotated[_WHOLE | None, Field(description="Search all sets of up to this many columns.")]
LargestSize = Annotated[int, Field(strict=True, description="Search all sets of up to this many columns.")]
ListedSubspaces = Annotated[
    Sequence[Sequence[str]] | None,
    _read_as(Annotated[list[_NAMES], Field(fail_fast=True)] | None),
    Field(description="Search these sets of columns."),
]
UtilityName = Annotated[
    Utility,
    _read_as(str),
    Field(description="How sets are scored: compared, centered, dampened or paper; auto chooses by public facts."),
]
SelectionName = Annotated[
    Selection, _read_as(str), Field(description="How one is drawn: permute-and-flip or exponential.")
]
Candidates = Annotated[
    Any,
    PlainValidator(_candidates),
    WithJsonSchema({"anyOf": [_POINTS_SCHEMA, {"type": "null"}]}),
    Field(
        description=f"Public points in the table's own units, each {_ONE_POINT}. Null for the rows of the table, where "
        "the answer is close to a random pick."
    ),
]
Point = Annotated[
    Any,
    PlainValidator(_point),
    WithJsonSchema({"anyOf": [*_POINT_SCHEMA["anyOf"], _POINTS_SCHEMA]}),
    Field(description=f"A public point in the table's own units, {_ONE_POINT}. Or a list of such points."),
]
Share = Annotated[
    Number, _read_as(_EXACT), Field(description="Which part of the rows shall be outliers: 0.01 or 1/100.")
]
Radii = Annotated[
    Sequence[float] | None,
    _read_as(_FLOATS | None),
    Field(description="A public list to choose from; 0.001 to 0.4 if none."),
]
Strata = Annotated[
    Sequence[str] | None,
    _read_as(_NAMES | None),
    Field(description=_STRATA),
]
By = Annotated[
    str | Sequence[str],
    _read_as(str | _NAMES),
    Field(description="The column with categories whose values make the groups, or a list of such columns."),
]
MostYes = Annotated[int, Field(strict=True, description="How many answers may be yes.")]
Within = Annotated[Number, _read_as(_EXACT), Field(description="How far off a count may be, in rows.")]
Probability = Annotated[Number, _read_as(_EXACT), Field(description="Probability that all that is named is right.")]
ShapeName = Annotated[
    Shape,
    _read_as(str),
    Field(description="Shape of made-up rows, if there is no stand-in: cautious, clusters, normal or uniform."),
]
RowShapeName = Annotated[
    RowShape,
    _read_as(str),
    Field(description="Shape of made-up rows, if there is no stand-in: clusters, normal or uniform."),
]
SearchShapeName = Annotated[
    SearchShape,
    _read_as(str),
    Field(
        description="Shape of made-up rows, if there is no stand-in: cautious, planted, clusters, normal or uniform."
    ),
]
