"""Error responses: {"error": "one sentence"}; 409 adds numbers. Nothing in them depends on the rows.

400  the body is not JSON                      413  the body is too long
401  the token is missing or unknown           422  the question is invalid; nothing was charged
403  only for the custodian                    429  this account sends too many requests or forecasts
404  no such address, or no such dataset       500  an internal error; what was charged stays charged
409  the budget refuses; nothing was charged   503  ledger, tokens or issuer unavailable, too many questions wait,
                                                    or the service stops
"""

import logging
from collections.abc import Awaitable, Callable

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

from eremite.errors import BudgetRefused, EremiteError, InputError, LedgerError
from eremite.ledger.to_json import privacy_to_json
from eremite.service.work import LEDGER_UNAVAILABLE

LOG = logging.getLogger("eremite.service")  # read by the custodian

NOT_READY = "The service stops, or cannot read its tokens."
TOKENS_UNAVAILABLE = "The tokens cannot be read; tell the custodian."
_ISSUER_UNAVAILABLE = "The identity provider is out of reach, so this token cannot be checked; try again later."
_TOO_MANY = "Too many questions are waiting, of all askers or of this account; nothing was charged. Ask again later."
_BY_STATUS = {404: "There is nothing at this address.", 405: "This address does not take that method."}

Handler = Callable[[Request, Exception], Awaitable[Response]]


class TooManyWaiting(EremiteError):  # noqa: N818 -- it names a state
    """Too many questions wait, of everybody or of one account."""


class TokensUnavailable(EremiteError):  # noqa: N818 -- it names a state
    """The token file cannot be read. The message is for the custodian."""


class TokenRefused(EremiteError):  # noqa: N818 -- it names an outcome
    """A token is not taken. The message is for whoever sent it."""


class IssuerUnavailable(EremiteError):  # noqa: N818 -- it names a state
    """The keys of an issuer cannot be had, so that its tokens cannot be checked. Logged where keys are fetched."""


def error_response(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """The response to a request that failed."""
    return JSONResponse({"error": sentence}, status, headers)


def add_handlers(app: FastAPI) -> None:
    """Give every expected error its response. Handlers are coroutines, because functions would need a thread."""
    app.add_exception_handler(InputError, _invalid_question)
    app.add_exception_handler(BudgetRefused, _budget_refused)
    app.add_exception_handler(LedgerError, _logged(LEDGER_UNAVAILABLE))
    app.add_exception_handler(TokensUnavailable, _logged(TOKENS_UNAVAILABLE))
    app.add_exception_handler(IssuerUnavailable, _issuer_unavailable)
    app.add_exception_handler(TooManyWaiting, _too_many_waiting)
    app.add_exception_handler(StarletteHTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid_parameter)


async def _invalid_question(_: Request, error: Exception) -> Response:
    return error_response(422, str(error))


async def _invalid_parameter(_: Request, error: Exception) -> Response:
    """A parameter after the question mark of an address; what was sent is not repeated."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 -- for the type checker
    first = error.errors()[0]
    words = first["msg"][0].lower() + first["msg"][1:]
    return error_response(422, f"The parameter {first['loc'][-1]!r} does not fit: {words}.")


async def _budget_refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, BudgetRefused)  # noqa: S101 -- for the type checker
    numbers = {"needed": privacy_to_json(error.needed), "remaining": privacy_to_json(error.remaining)}
    return JSONResponse({"error": str(error)} | numbers, 409)


def _logged(sentence: str) -> Handler:
    """Log the message, which names files of the custodian, and answer with a fixed sentence."""

    async def respond(_: Request, error: Exception) -> Response:
        LOG.error("%s", error)
        return error_response(503, sentence)

    return respond


async def _issuer_unavailable(_: Request, __: Exception) -> Response:
    return error_response(503, _ISSUER_UNAVAILABLE)


async def _too_many_waiting(_: Request, __: Exception) -> Response:
    return error_response(503, _TOO_MANY)


async def _http_error(_: Request, error: Exception) -> Response:
    """FastAPI's class is raised by the service, Starlette's by the router for unknown addresses and methods."""
    assert isinstance(error, StarletteHTTPException)  # noqa: S101 -- for the type checker
    ours = isinstance(error, HTTPException)
    sentence = error.detail if ours else _BY_STATUS.get(error.status_code, "This request does not fit.")
    return error_response(error.status_code, sentence, dict(error.headers or {}))
