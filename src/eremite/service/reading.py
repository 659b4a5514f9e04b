"""A question out of the bytes of a request, or one sentence that says what does not fit."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NoReturn, TypeVar

from fastapi import HTTPException
from pydantic import ValidationError

from eremite.errors import InputError
from eremite.names import quote_name
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


#: Making an integer of a million digits takes hours, and asking every number how long it is takes a second.
_LONG_NUMBER = b"0" * (LONGEST_NUMBER + 1)
_ZEROS_FOR_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))


def _json(content: bytes) -> Any:
    if _LONG_NUMBER in content.translate(_ZEROS_FOR_DIGITS):  # in a number, or in a text, where it does no harm
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
    if len(digits) > LONGEST_NUMBER:
        raise InputError(f"A number in the body has more than {LONGEST_NUMBER} characters; write it shorter.")
    return digits


def _no_number(_: str) -> NoReturn:
    raise ValueError  # NaN and Infinity are not JSON


def _require_known(fields: dict[str, Any], kind: type[Question]) -> None:
    """The first field that is not known is told, and no list is made of all of them."""
    unknown = next((name for name in fields if name not in kind.model_fields), None)
    if unknown is not None:
        raise InputError(
            f"There is no field {quote_name(unknown, 40)} in this question; it has: {', '.join(kind.model_fields)}."
        )


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    field = quote_name(".".join(map(str, first["loc"])), 40)
    match first["type"]:
        case "missing":
            return f"The question needs {field}."
        case kind_of_error:
            words = first["msg"] if kind_of_error == MUST else f"does not fit: {first['msg'].lower()}"
            return f"The field {field} {words}."
