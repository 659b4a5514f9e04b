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
Shape = Literal["clusters", "normal", "uniform"]
SearchShape = Literal["planted", "clusters", "normal", "uniform"]

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


def _point(value: object) -> list[Any]:
    """A list of numbers, or a list of such lists; read up to the first mistake."""
    if isinstance(value, list) and any(isinstance(part, list) for part in value):
        return [_coordinates(part) for part in value]
    return _coordinates(value)


def _coordinates(value: object) -> list[float]:
    if not isinstance(value, list):
        raise _must("be a list of numbers, or a list of such lists")
    return [_float(number, "have as each coordinate a number") for number in value]


def _definition(value: object) -> OutlierDefinition:
    if not isinstance(value, dict) or value.keys() - {"within"} != {"min_neighbors", "radius"}:
        raise _must("be an object with min_neighbors and radius, and perhaps within")
    radius = _float(value["radius"], "have as radius a number")
    return OutlierDefinition(min_neighbors=value["min_neighbors"], radius=radius, within=value.get("within", ()))


def _read_as(kind: Any) -> GetPydanticSchema:
    """Pydantic reads a field as this type, whatever else Python callers may pass."""
    return GetPydanticSchema(lambda _, handler: handler.generate_schema(kind))


_FEWER = "A row with fewer other rows near it is an outlier."
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
    },
}
_EXACT = Annotated[
    int | Decimal | str, PlainValidator(_number), WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]})
]
_POINT_SCHEMA = {"type": "array", "items": {"type": "number"}}
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
    _read_as(Annotated[list[_FLOATS], Field(fail_fast=True)] | None),
    Field(
        description="Public points in the table's own units, each a list with a number for each column; null for the "
        "rows of the table, where the answer is close to a random pick."
    ),
]
Point = Annotated[
    Any,
    PlainValidator(_point),
    WithJsonSchema({"anyOf": [_POINT_SCHEMA, {"type": "array", "items": _POINT_SCHEMA}]}),
    Field(
        description="A public point in the table's own units, a list with a number for each column; or a list of such "
        "points."
    ),
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
    Field(description="Columns with categories; only rows that agree on them are neighbors."),
]
By = Annotated[
    str | Sequence[str],
    _read_as(str | _NAMES),
    Field(description="The column with categories whose values make the groups, or a list of such columns."),
]
MostYes = Annotated[int, Field(strict=True, description="How many answers may be yes.")]
Within = Annotated[Number, _read_as(_EXACT), Field(description="How far off a count may be, in rows.")]
Probability = Annotated[Number, _read_as(_EXACT), Field(description="Probability that all sets named are right.")]
ShapeName = Annotated[
    Shape,
    _read_as(str),
    Field(description="Shape of made-up rows, if there is no stand-in: clusters, normal or uniform."),
]
SearchShapeName = Annotated[
    SearchShape,
    _read_as(str),
    Field(description="Shape of made-up rows, if there is no stand-in: planted, clusters, normal or uniform."),
]
