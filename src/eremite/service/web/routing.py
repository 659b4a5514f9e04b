"""Routes of pages: an error becomes a page, or a part of one, that says the same sentence as the API."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException as StarletteHTTPException

from eremite.errors import BudgetRefused, InputError, LedgerError
from eremite.service.errors import LOG, TOKENS_UNAVAILABLE, IssuerUnavailable, TokensUnavailable, TooManyWaiting
from eremite.service.web.guards import NotSignedIn
from eremite.service.web.rendering import address, is_fragment, redirect, render, root_of
from eremite.service.work import LEDGER_UNAVAILABLE

_ISSUER_UNAVAILABLE = "The institution's identity provider is out of reach; sign in again later."
_TOO_MANY = "Too many questions are waiting, of all askers or of this account; nothing was charged. Ask again later."
_TITLES = {
    401: "Not allowed",
    403: "Not allowed",
    404: "Not found",
    409: "Refused",
    422: "Not a valid question",
    429: "Too many requests",
    503: "Out of reach",
}
#: What is expected to go wrong, and has a sentence.
EXPECTED = (
    RequestValidationError,
    StarletteHTTPException,
    NotSignedIn,
    InputError,
    BudgetRefused,
    LedgerError,
    IssuerUnavailable,
    TokensUnavailable,
    TooManyWaiting,
)


class PageRoute(APIRoute):
    """A route whose expected errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with pages for errors."""
        handle = super().get_route_handler()

        async def handle_errors(request: Request) -> Response:
            try:
                return await handle(request)
            except EXPECTED as error:
                return error_page(request, error)

        return handle_errors


def error_page(request: Request, error: Exception) -> Response:
    """The page of an error; whoever is not signed in is sent to the sign-in page, and back after it."""
    if isinstance(error, NotSignedIn):
        path = request.url.path.removeprefix(root_of(request))
        then = path if request.method == "GET" and not is_fragment(request) and path != "/" else None
        return redirect(request, "sign-in", then=then)
    status, sentence = status_of(error)
    template = "message.html" if is_fragment(request) else "error.html"
    return render(
        request,
        template,
        status,
        title=_TITLES.get(status, "Something is wrong"),
        sentence=sentence,
        home=address(request),
    )


def status_of(error: Exception) -> tuple[int, str]:
    """The status of an error, and its sentence for the visitor. What is for the custodian is logged."""
    match error:
        case InputError():
            return 422, str(error)
        case BudgetRefused():
            return 409, str(error)
        case LedgerError():
            LOG.error("%s", error)
            return 503, LEDGER_UNAVAILABLE
        case IssuerUnavailable():
            return 503, _ISSUER_UNAVAILABLE
        case TokensUnavailable():
            LOG.error("%s", error)
            return 503, TOKENS_UNAVAILABLE
        case TooManyWaiting():
            return 503, _TOO_MANY
        case HTTPException():
            return error.status_code, str(error.detail)
        case _:
            return getattr(error, "status_code", 400), "This request does not fit."
