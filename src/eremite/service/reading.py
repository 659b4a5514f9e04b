"""A question out of the bytes of a request, or one sentence that says what does not fit."""

import json
from decimal import Decimal
from typing import Any, NoReturn, TypeVar

from fastapi import HTTPException
from pydantic import ValidationError

from eremite.errors import InputError
from eremite.names import cut_name
from eremite.service.limits import LONGEST_NUMBER, Facts, require_bounded
from eremite.service.questions import MUST, Question

Q = TypeVar("Q", bound=Question)


def read_question(content: bytes, kind: type[Q], facts: Facts) -> Q:
    """The question, within its bounds. Numbers with a point are decimals, so that 0.1 is what was written."""
    fields = _json(content)
    if not isinstance(fields, dict):
        raise InputError("The body must be one JSON object with the fields of the question.")
    _require_known(fields, kind)
    require_bounded(fields, facts)
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        sentence = _sentence(error)
    raise InputError(sentence)  # here, so that pydantic's error does not travel along


def _json(content: bytes) -> Any:
    try:
        return json.loads(content, parse_int=_whole, parse_float=_decimal, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise HTTPException(400, "The body is not JSON in UTF-8; send one JSON object.") from None


def _whole(digits: str) -> int:
    _require_short(digits)
    return int(digits)


def _decimal(digits: str) -> Decimal:
    _require_short(digits)
    try:
        return Decimal(digits)
    except ArithmeticError:  # an exponent of twenty digits
        raise InputError("A number in the body is out of range; write one that is not as large or small.") from None


def _require_short(digits: str) -> None:
    """Making a number of a million digits takes a long time."""
    if len(digits) > LONGEST_NUMBER:
        raise InputError(f"A number in the body has more than {LONGEST_NUMBER} characters; write it shorter.")


def _no_number(_: str) -> NoReturn:
    raise ValueError  # NaN and Infinity are not JSON


def _require_known(fields: dict[str, Any], kind: type[Question]) -> None:
    """The first field that is not known is told, and no list is made of all of them."""
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
