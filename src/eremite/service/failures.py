"""What went wrong, as {"error": "one sentence"}. Nothing in it depends on the rows.

400  the body is not JSON                      413  the body is too long
401  no token, or none that is known           422  the question does not fit; nothing was charged
403  only for the custodian                    500  an internal error; what was charged stays charged
404  no such address, or no such dataset       503  ledger or tokens out of reach, too many wait,
409  the budget refuses; nothing was charged        or the service stops
"""

import logging
import os
from asyncio import CancelledError
from collections.abc import Awaitable, Callable

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eremite.errors import BudgetRefused, EremiteError, InputError, LedgerError
from eremite.service.turns import Crowded

LOG = logging.getLogger("eremite.service")  # for the custodian

INTERNAL = "eremite hit an internal error; what was charged stays charged. Tell the custodian."
LEDGER_OUT_OF_REACH = "The ledger is out of reach; nothing was released. Ask again later, or tell the custodian."
_CROWDED = "Too many questions are waiting, of all askers or of this account; nothing was charged. Ask again later."
_STOPPED = "The service stops. Ask again later under the same request_id: what was charged is then answered."
_PHRASES = {404: "There is nothing at this address.", 405: "This address does not take that method."}


#: How an error becomes an answer.
Handler = Callable[[Request, Exception], Awaitable[Response]]


class TokensOutOfReach(EremiteError):  # noqa: N818 -- it names a state
    """The file with the tokens cannot be read; the sentence is for the custodian."""


def failure(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """The answer to a request that failed."""
    return JSONResponse({"error": sentence}, status, headers)


def add_handlers(app: FastAPI) -> None:
    """Every error that is raised on purpose has its answer. Handlers are coroutines: functions would take threads."""
    app.add_exception_handler(InputError, _saying(422))
    app.add_exception_handler(BudgetRefused, _saying(409))
    app.add_exception_handler(LedgerError, _telling_the_custodian(LEDGER_OUT_OF_REACH))
    app.add_exception_handler(
        TokensOutOfReach, _telling_the_custodian("The tokens cannot be read; tell the custodian.")
    )
    app.add_exception_handler(Crowded, _crowded)
    app.add_exception_handler(AnyHTTPException, _by_http)


class NoTracebacks:
    """Around everything: an error that nobody foresaw is a fixed sentence to the asker, and its kind to the log."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            await send(message)
            started = True

        try:
            await self._app(scope, receive, noting)
        except ClientDisconnect:
            return  # before the question was read: nothing was charged, and nobody is there to be told
        except CancelledError:  # whoever stops the service does not wait for its turn to end
            if not started:
                await failure(503, _STOPPED)(scope, receive, send)
        except Exception as error:
            debugging = os.environ.get("EREMITE_DEBUG") == "1"
            LOG.error("%s: %s", _KIND, type(error).__name__, exc_info=debugging)  # noqa: TRY400 -- no traceback
            if not started:
                await failure(500, INTERNAL)(scope, receive, send)


_KIND = "An internal error, which EREMITE_DEBUG=1 shows in full"


def _saying(status: int) -> Handler:
    async def answer(_: Request, error: Exception) -> Response:
        return failure(status, str(error))

    return answer


async def _crowded(_: Request, __: Exception) -> Response:
    return failure(503, _CROWDED)


def _telling_the_custodian(sentence: str) -> Handler:
    """The error's own words name files of the custodian's."""

    async def answer(_: Request, error: Exception) -> Response:
        LOG.error("%s", error)
        return failure(503, sentence)

    return answer


async def _by_http(_: Request, error: Exception) -> Response:
    assert isinstance(error, AnyHTTPException)  # noqa: S101 -- for the type checker
    own = isinstance(error, HTTPException)  # starlette's are raised for addresses and methods it does not know
    sentence = error.detail if own else _PHRASES.get(error.status_code, "This request does not fit.")
    return failure(error.status_code, sentence, dict(error.headers or {}))
