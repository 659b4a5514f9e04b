"""Query records out of the bytes of a request body, or one sentence that says what is wrong.

A body holds the fields of a query record and, for a question that spends, an optional request id. Numbers keep their
written value: 0.1 is 1/10, and a text may be "1/3".
"""

import json
from collections.abc import Callable
from dataclasses import fields
from decimal import Decimal
from typing import Any, NoReturn

from fastapi import HTTPException
from pydantic import TypeAdapter, ValidationError

from eremite.errors import InputError
from eremite.names import quote_name
from eremite.service.limits import MAX_NUMBER_CHARS, Facts, require_within_limits

_REQUEST_ID = "request_id"
_REQUEST_ID_SCHEMA = {
    "anyOf": [{"type": "string"}, {"type": "null"}],
    "default": None,
    "description": "Id of this request. The same question under the same id gets the same answer, for free.",
}
#: Type of the validation errors of query records whose message continues "The field NAME".
_MUST = "must"


class QueryBody:
    """The body of a question: how it is read, and how OpenAPI describes it."""

    def __init__(self, record: type, *, spends: bool) -> None:
        self.record = record
        self.spends = spends
        self._adapter: TypeAdapter[Any] = TypeAdapter(record)
        self._names = [field.name for field in fields(record)] + [_REQUEST_ID] * spends

    def read_plain(self, content: bytes) -> Any:
        """The record, which has no limits that depend on a table."""
        return self._validate(self._fields(content))

    def _fields(self, content: bytes) -> dict[str, Any]:
        sent = _parse_json(content)
        if not isinstance(sent, dict):
            raise InputError("The body must be one JSON object with the fields of the question.")
        self._require_known(sent)
        return sent

    def read(self, content: bytes, facts: Facts) -> tuple[Any, str | None]:
        """The query record, within its limits, and the request id."""
        sent = self._fields(content)
        require_within_limits(sent, facts)
        request_id = sent.pop(_REQUEST_ID, None)
        query = self._validate(sent)
        if not isinstance(request_id, str | None):
            raise InputError(f"The field {_REQUEST_ID!r} does not fit: input should be a valid string.")
        return query, request_id

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI entry of the body."""
        schema = self._adapter.json_schema()
        if self.spends:
            schema["properties"][_REQUEST_ID] = _REQUEST_ID_SCHEMA
        return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}

    def _require_known(self, sent: dict[str, Any]) -> None:
        """Refuse the first unknown field, without collecting all of them."""
        unknown = next((name for name in sent if name not in self._names), None)
        if unknown is not None:
            raise InputError(
                f"There is no field {quote_name(unknown, 40)} in this question; it has: {', '.join(self._names)}."
            )

    def _validate(self, sent: dict[str, Any]) -> Any:
        try:
            return self._adapter.validate_python(sent)
        except ValidationError as error:
            sentence = _sentence(error)
        raise InputError(sentence)  # outside of `except`, so that it does not carry pydantic's error


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    field = quote_name(".".join(map(str, first["loc"])), 40)
    if first["type"] == "missing":
        return f"The question needs {field}."
    words = first["msg"] if first["type"] == _MUST else f"does not fit: {first['msg'].lower()}"
    return f"The field {field} {words}."


#: Parsing an integer of a million digits takes hours, and checking the length of every number takes a second. So
#: lengths are checked only if this appears once every digit is a zero.
_LONG_NUMBER = b"0" * (MAX_NUMBER_CHARS + 1)
_ZEROS_FOR_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))


def _parse_json(content: bytes) -> Any:
    """The body as Python values. A number with a point becomes a `Decimal`, so that 0.1 is exactly 1/10."""
    if _LONG_NUMBER in content.translate(_ZEROS_FOR_DIGITS):  # in a number, or in a text, where it is harmless
        return _loads(content, lambda digits: int(_short(digits)), lambda digits: Decimal(_short(digits)))
    return _loads(content, int, Decimal)


def _loads(content: bytes, integer: Callable[[str], int], decimal: Callable[[str], Decimal]) -> Any:
    try:
        text = content.decode("utf-8-sig")
        return json.loads(
            text, parse_int=integer, parse_float=decimal, parse_constant=_no_number, object_pairs_hook=_once
        )
    except ArithmeticError:  # an exponent of twenty digits
        raise InputError("A number in the body is out of range; write one that is not as large or small.") from None
    except (ValueError, RecursionError):
        raise HTTPException(400, "The body is not JSON in UTF-8; send one JSON object.") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different: of two values, readers would take the first, or the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise InputError(f"The body has {quote_name(twice, 40)} twice; send it once.")
    return found


def _short(digits: str) -> str:
    if len(digits) > MAX_NUMBER_CHARS:
        raise InputError(f"A number in the body has more than {MAX_NUMBER_CHARS} characters; write it shorter.")
    return digits


def _no_number(_: str) -> NoReturn:
    raise ValueError  # NaN and Infinity are not JSON
