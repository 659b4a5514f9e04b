"""Questions out of the bytes of a request body, or one sentence that says what is wrong.

A body holds the arguments of a method of `Session`, under the same names. Numbers keep their written value: 0.1 is
1/10, and a text may be "1/3".
"""

import json
from collections.abc import Callable
from decimal import Decimal
from math import inf, isinf
from typing import Annotated, Any, NoReturn, TypeVar

from fastapi import HTTPException
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError

from eremite import OutlierDefinition
from eremite.errors import InputError
from eremite.names import cut_name
from eremite.service.limits import MAX_NUMBER_CHARS, Facts, require_within_limits

#: Type of our own validation errors; their message follows the name of the field.
MUST = "must"


def _number(value: object) -> int | Decimal | str:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise _must('be a number, or a text such as "0.1" or "1/3"')
    return value


def _float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _must("be a number")
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if isinf(number):
        raise _must("be a number that is not as large")
    return number


def _definition(value: object) -> OutlierDefinition:
    if not isinstance(value, dict) or value.keys() != {"min_neighbors", "radius"}:
        raise _must("be an object with min_neighbors and radius")
    return OutlierDefinition(min_neighbors=value["min_neighbors"], radius=_float(value["radius"]))


def _must(words: str) -> PydanticCustomError:
    return PydanticCustomError(MUST, "must {words}", {"words": words})


_NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}]}
_K = {"type": "integer", "minimum": 1, "description": "A row with fewer other rows near it is an outlier."}
_R = {"type": "number", "description": "How near is near: in distances that run from 0 to 1, as the bounds scale."}
_DEFINITION = {"type": "object", "required": ["min_neighbors", "radius"], "additionalProperties": False}

Number = Annotated[int | Decimal | str, PlainValidator(_number), WithJsonSchema(_NUMBER)]
Float = Annotated[float, PlainValidator(_float), WithJsonSchema({"type": "number"})]
Definition = Annotated[
    OutlierDefinition,
    PlainValidator(_definition),
    WithJsonSchema(_DEFINITION | {"properties": {"min_neighbors": _K, "radius": _R}}),
    Field(description="What an outlier is."),
]
# A long list is read up to its first mistake: only that one is told, and a million of them take a minute to collect.
Names = Annotated[list[str], Field(fail_fast=True)]
Floats = Annotated[list[Float], Field(fail_fast=True)]
Columns = Annotated[Names | None, Field(description="In which columns; all of them if none are named.")]
Epsilon = Annotated[Number, Field(description="What to spend, taken as written.")]
Delta = Annotated[Number, Field(description="What to spend beside epsilon; 0 is pure.")]
Mechanism = Annotated[str, Field(description="The noise; auto chooses by public facts.")]
Top = Annotated[int, Field(description="How many to name.")]
RequestId = Annotated[
    str | None, Field(description="A name for this request: asked again under it, the same answer comes, for free.")
]
#: What forecasts are made for unless told otherwise, as `Session` has it.
USUAL: list[int | Decimal | str] = ["0.1", "0.2", "0.5", "1", "2"]

Epsilons = Annotated[list[Number], Field(description="For which epsilons.", min_length=1)]
Shape = Annotated[str, Field(description="Of made-up rows, where there is no stand-in: clusters, normal or uniform.")]
SearchShape = Annotated[
    str, Field(description="Of made-up rows, where there is no stand-in: planted, clusters, normal or uniform.")
]


class Question(BaseModel):
    """Frozen and strict; a field that is not known is an error."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)

    def arguments(self) -> dict[str, Any]:
        """What the session's method takes."""
        return {name: getattr(self, name) for name in type(self).model_fields}


class Count(Question):
    """How many rows are outliers."""

    definition: Definition
    columns: Columns = None
    epsilon: Epsilon
    delta: Delta = 0
    mechanism: Mechanism = "auto"
    request_id: RequestId = None


class Family(Question):
    """Which sets of columns to search: give one of size, max_size and subspaces."""

    definition: Definition
    h: Top
    size: Annotated[int | None, Field(description="Search all sets of this many columns.")] = None
    max_size: Annotated[int | None, Field(description="Search all sets of up to this many columns.")] = None
    subspaces: Annotated[list[Names] | None, Field(description="Search these sets of columns.", fail_fast=True)] = None
    delta: Delta = 0


class Report(Family):
    """In which sets of columns are the most outliers, and how many in each."""

    epsilon: Epsilon
    request_id: RequestId = None


class Drawn(Family):
    """How sets are drawn."""

    utility: Annotated[
        str, Field(description="How sets are scored: centered, dampened or paper; auto chooses by public facts.")
    ] = "auto"
    selection: Annotated[str, Field(description="How one is drawn: permute-and-flip or exponential.")] = (
        "permute-and-flip"
    )


class Subspaces(Drawn):
    """In which sets of columns are the most outliers."""

    epsilon: Epsilon
    request_id: RequestId = None


class Detect(Question):
    """Which of the candidates have the fewest rows near them."""

    definition: Definition
    candidates: Annotated[
        list[Floats] | None,
        Field(
            fail_fast=True,
            description="Public points in the table's own units, each a list with a number for each column; null for "
            "the rows of the table, where the answer is close to a random pick.",
        ),
    ]
    h: Top
    columns: Columns = None
    epsilon: Epsilon
    request_id: RequestId = None


class Radius(Question):
    """At which radius is about this share of the rows outliers."""

    min_neighbors: Annotated[int, Field(description=_K["description"])]
    share: Annotated[Number, Field(description="Which part of the rows shall be outliers: 0.01 or 1/100.")]
    columns: Columns = None
    radii: Annotated[Floats | None, Field(description="A public list to choose from; 0.001 to 0.4 if none.")] = None
    epsilon: Epsilon
    request_id: RequestId = None


class OfCount(Question):
    """About which count a forecast is, and of which rows."""

    definition: Definition
    columns: Columns = None
    delta: Delta = 0
    shape: Shape = "clusters"


class ForecastCount(OfCount):
    """How far off a count would be."""

    epsilon: Epsilons = USUAL
    mechanism: Mechanism = "auto"


class EpsilonForCount(OfCount):
    """Which epsilon makes 95 % of the counts right to within so many rows."""

    within: Annotated[Number, Field(description="How far off a count may be, in rows.")]
    mechanism: Mechanism = "auto"


class CompareMechanisms(OfCount):
    """How far off a count would be with each mechanism."""

    epsilon: Epsilons = USUAL


class ForecastSubspaces(Drawn):
    """How likely the right sets of columns would be named."""

    epsilon: Epsilons = USUAL
    shape: SearchShape = "planted"


class EpsilonForSubspaces(Drawn):
    """Which epsilon makes all sets named right with some probability."""

    probability: Annotated[Number, Field(description="That all sets named are right.")] = "0.9"
    shape: SearchShape = "planted"


Q = TypeVar("Q", bound=Question)


def read_question(content: bytes, kind: type[Q], facts: Facts) -> Q:
    """The question, within its limits. A number with a point becomes a `Decimal`, so that 0.1 is exactly 1/10."""
    fields = _json(content)
    if not isinstance(fields, dict):
        raise InputError("The body must be one JSON object with the fields of the question.")
    _require_known(fields, kind)
    require_within_limits(fields, facts)
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        sentence = _sentence(error)
    raise InputError(sentence)  # outside of `except`, so that it does not carry pydantic's error, which holds the input


#: Parsing an integer of a million digits takes hours, and checking the length of every number takes a second. So
#: lengths are checked only if this appears once every digit is a zero.
_LONG_NUMBER = b"0" * (MAX_NUMBER_CHARS + 1)
_ZEROS_FOR_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))


def _json(content: bytes) -> Any:
    if _LONG_NUMBER in content.translate(_ZEROS_FOR_DIGITS):  # in a number, or in a text, where it is harmless
        return _parsed(content, lambda digits: int(_short(digits)), lambda digits: Decimal(_short(digits)))
    return _parsed(content, int, Decimal)


def _parsed(content: bytes, whole: Callable[[str], int], decimal: Callable[[str], Decimal]) -> Any:
    try:
        text = content.decode("utf-8-sig")
        return json.loads(text, parse_int=whole, parse_float=decimal, parse_constant=_no_number)
    except ArithmeticError:  # an exponent of twenty digits
        raise InputError("A number in the body is out of range; write one that is not as large or small.") from None
    except (ValueError, RecursionError):
        raise HTTPException(400, "The body is not JSON in UTF-8; send one JSON object.") from None


def _short(digits: str) -> str:
    if len(digits) > MAX_NUMBER_CHARS:
        raise InputError(f"A number in the body has more than {MAX_NUMBER_CHARS} characters; write it shorter.")
    return digits


def _no_number(_: str) -> NoReturn:
    raise ValueError  # NaN and Infinity are not JSON


def _require_known(fields: dict[str, Any], kind: type[Question]) -> None:
    """Refuse the first unknown field, without collecting all of them."""
    unknown = next((name for name in fields if name not in kind.model_fields), None)
    if unknown is not None:
        raise InputError(
            f"There is no field {cut_name(unknown)} in this question; it has: {', '.join(kind.model_fields)}."
        )


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    field = cut_name(".".join(map(str, first["loc"])))
    match first["type"]:
        case "missing":
            return f"The question needs {field}."
        case kind_of_error:
            words = first["msg"] if kind_of_error == MUST else f"does not fit: {first['msg'].lower()}"
            return f"The field {field} {words}."


def body_schema(kind: type[Question]) -> dict[str, Any]:
    """The OpenAPI entry of the body of a question."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": kind.model_json_schema()}}}}
