"""What OpenAPI says of a route: the body it takes, the answers it gives, and how it says no."""

from eremite.service.answers import ERROR, Schema
from eremite.service.questions import Question


def body_of(kind: type[Question]) -> Schema:
    """The part of OpenAPI that describes a question's body."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": kind.model_json_schema()}}}}


def outcomes(schema: Schema, *failures: int) -> dict[int | str, Schema]:
    """The part of OpenAPI that describes the answers: one that is good, and those that are not."""
    good = {"description": schema["description"], "content": {"application/json": {"schema": schema}}}
    bad: dict[int | str, Schema] = {
        status: {"description": _MEANING[status], "content": _ERROR_CONTENT} for status in failures
    }
    return {200: good, **bad}


_ERROR_CONTENT = {"application/json": {"schema": ERROR}}
_MEANING = {
    400: "The body is not JSON.",
    401: "The token is missing, unknown or expired.",
    403: "The token is not a custodian's.",
    404: "There is no dataset of this name that the token may ask about.",
    409: "The budget does not cover it, or the request is still being computed; nothing was charged.",
    413: "The body is too long.",
    422: "The question does not fit; nothing was charged.",
    503: "Ledger or tokens are out of reach, or too many questions wait.",
}
