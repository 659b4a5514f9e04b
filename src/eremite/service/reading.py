"""A question out of the bytes of a request, or one sentence that says what does not fit."""

import json
from decimal import Decimal
from typing import Any, NoReturn, TypeVar

from fastapi import HTTPException
from pydantic import ValidationError

from eremite.errors import InputError
from eremite.service.questions import MUST, Question

Q = TypeVar("Q", bound=Question)

_LONGEST_SHOWN = 40


def read_question(content: bytes, kind: type[Q]) -> Q:
    """The question. Numbers with a point are decimals, so that 0.1 is what was written."""
    fields = _json(content)
    if not isinstance(fields, dict):
        raise InputError("The body must be one JSON object with the fields of the question.")
    _require_known(fields, kind)
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        sentence = _sentence(error)
    raise InputError(sentence)  # here, so that pydantic's error does not travel along


def _json(content: bytes) -> Any:
    try:
        return json.loads(content, parse_float=Decimal, parse_constant=_no_number)
    except (ValueError, ArithmeticError, RecursionError):
        raise HTTPException(400, "The body is not JSON in UTF-8; send one JSON object.") from None


def _no_number(_: str) -> NoReturn:
    raise ValueError  # NaN and Infinity are not JSON


def _require_known(fields: dict[str, Any], kind: type[Question]) -> None:
    """The first field that is not known is told, and no list is made of all of them."""
    unknown = next((name for name in fields if name not in kind.model_fields), None)
    if unknown is not None:
        raise InputError(
            f"There is no field {_shown(unknown)} in this question; it has: {', '.join(kind.model_fields)}."
        )


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    field = _shown(".".join(map(str, first["loc"])))
    match first["type"]:
        case "missing":
            return f"The question needs {field}."
        case kind_of_error:
            words = first["msg"] if kind_of_error == MUST else f"does not fit: {first['msg'].lower()}"
            return f"The field {field} {words}."


def _shown(name: str) -> str:
    """The asker's own word, on one line and cut."""
    return repr(name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}...")
