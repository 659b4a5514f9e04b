"""Signing in and out. A token becomes a session; the token itself is not kept."""

import hmac
import re

from fastapi import APIRouter, Request
from fastapi.responses import Response

from eremite.service.audit import note
from eremite.service.auth import identify
from eremite.service.errors import TokenRefused
from eremite.service.identity import proof_of
from eremite.service.state import ServiceState
from eremite.service.web.forms import MOST_SIGN_IN_BYTES, Form, form_content, form_of
from eremite.service.web.guards import (
    CSRF_FIELD,
    SESSION_COOKIE,
    SIGN_IN_COOKIE,
    CurrentForm,
    drop_cookie,
    find_visitor,
    new_sign_in_cookie,
    require_same_site,
    set_cookie,
    sign_in_secret,
)
from eremite.service.web.rendering import redirect, render, root_of, web_of
from eremite.service.web.routing import PageRoute

router = APIRouter(route_class=PageRoute, include_in_schema=False)

_UNKNOWN = "This token is unknown, revoked or expired. Check that all of it was pasted, or ask the custodian for one."
_NO_COOKIE = (
    "The browser sent no cookie with the form. Allow cookies for this site, and open it by https, or on this machine."
)
_OLD_FORM = "This form was open for too long; send it once more."
_PATH = re.compile(r"/(?!/)[!-\[\]-~]*")  # of this site, and in plain letters, as headers need it


@router.get("/sign-in")
async def sign_in_page(request: Request, then: str = "") -> Response:
    """The form for a token. Whoever is signed in already is sent on."""
    if await find_visitor(request) is not None:
        return _go_on(request, then)
    return _form(request, then)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Check the token and open a new session. The form must be one that this browser was given."""
    require_same_site(request)
    form = form_of(await form_content(request, MOST_SIGN_IN_BYTES))
    then, cookie = form.text("then"), request.cookies.get(SIGN_IN_COOKIE, "")
    if not cookie:
        return _form(request, then, _NO_COOKIE, 403)
    if not hmac.compare_digest(sign_in_secret(web_of(request).sign_in_key, cookie), form.text(CSRF_FIELD)):
        return _form(request, then, _OLD_FORM, 403)
    state: ServiceState = request.app.state.service
    try:
        grant = await identify(state, _token(form))
    except TokenRefused:
        state.rates.require_failure()
        return _form(request, then, _UNKNOWN, 401)
    note(request.scope, who=grant.name)
    sessions = web_of(request).sessions
    sessions.close(request.cookies.get(SESSION_COOKIE, ""))
    response = _go_on(request, then)
    set_cookie(request, response, SESSION_COOKIE, sessions.open(proof_of(grant)))
    drop_cookie(request, response, SIGN_IN_COOKIE)
    return response


@router.post("/sign-out")
async def sign_out(request: Request, _: CurrentForm) -> Response:
    """End the session."""
    web_of(request).sessions.close(request.cookies.get(SESSION_COOKIE, ""))
    response = redirect(request, "sign-in")
    drop_cookie(request, response, SESSION_COOKIE)
    return response


def _token(form: Form) -> str:
    """The token without what people paste around it."""
    return form.text("token").removeprefix("Bearer ").strip()


def _form(request: Request, then: str, error: str = "", status: int = 200) -> Response:
    cookie = request.cookies.get(SIGN_IN_COOKIE) or new_sign_in_cookie()
    secret = sign_in_secret(web_of(request).sign_in_key, cookie)
    then = then if _PATH.fullmatch(then) else ""
    response = render(request, "sign_in.html", status, error=error, secret=secret, then=then)
    set_cookie(request, response, SIGN_IN_COOKIE, cookie)
    return response


def _go_on(request: Request, then: str) -> Response:
    """To the page that was asked for first, if it is one of ours."""
    response = redirect(request)
    if _PATH.fullmatch(then):
        response.headers["Location"] = root_of(request) + then
    return response
