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
        status: {"description": _MEANING[status], "content": _ERROR_CONTENT} for status in sorted(failures)
    }
    return {200: good, **bad}


def without_foreign_failures(openapi: Schema) -> Schema:
    """What FastAPI says of all routes, but for the 422 it adds wherever an address has a name in it.

    Any text is such a name; and what does not fit is told in our own form.
    """
    for answers in (route["responses"] for methods in openapi["paths"].values() for route in methods.values()):
        if "422" in answers and answers["422"]["content"] != _ERROR_CONTENT:
            del answers["422"]
    openapi["components"].pop("schemas", None)
    return openapi


#: How every route that needs a token may say no.
WITH_TOKEN = (401, 500, 503)

_ERROR_CONTENT = {"application/json": {"schema": ERROR}}
_MEANING = {
    400: "The body is not JSON.",
    401: "The token is missing, unknown, revoked or expired; nothing was charged.",
    403: "The token is not a custodian's.",
    404: "There is no dataset of this name that the token may ask about.",
    409: "The budget does not cover it, or the request is still being computed; nothing was charged.",
    413: "The body is too long.",
    422: "The question does not fit; nothing was charged.",
    500: "An internal error; what was charged stays charged.",
    503: "Ledger or tokens are out of reach, too many questions wait, or the service stops.",
}
