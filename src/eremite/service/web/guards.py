"""Who may see a page, and which forms count.

A page needs a session, whose grant is looked up for every request: once a token is revoked, its sessions end. A form
counts only if it holds the secret of its session, if the browser does not say that another site sent it, and if the
token allows, when all of the form has arrived, what it allowed when the form began to arrive.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request
from fastapi.responses import Response

from eremite.service.audit import note
from eremite.service.auth import Caller, grant_of, require_still
from eremite.service.state import ServiceState
from eremite.service.tokens import Grant
from eremite.service.web.forms import Form, form_content, form_of
from eremite.service.web.rendering import root_of, web_of
from eremite.service.web.sessions import LIFETIME, Signed

SESSION_COOKIE = "eremite-session"
SIGN_IN_COOKIE = "eremite-sign-in"
CSRF_FIELD, CSRF_HEADER = "csrf", "x-eremite-csrf"

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_NO_DATASET = "There is no dataset of this name that you may ask about."
_NO_CUSTODIAN = "This page is for the custodian of the dataset."
_FORGED = "This form is not from your session, or is older than it; open the page again and send the form once more."


class NotSignedIn(Exception):  # noqa: N818 -- it names a state
    """There is no session, or it has ended, or its token was revoked."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is signed in, and what they may do now."""

    state: ServiceState
    signed: Signed = field(repr=False)
    grant: Grant

    @property
    def datasets(self) -> list[str]:
        """The datasets that they may ask about, by name."""
        return sorted(name for name in set(self.grant.datasets) if name in self.state.datasets)

    def caller(self, name: str) -> Caller:
        """The visitor as the caller of the API that they could be; an error for datasets that are not theirs."""
        if name not in self.datasets:
            raise HTTPException(404, _NO_DATASET)
        return Caller(self.state, self.grant, self.state.datasets[name])

    async def require_still(self) -> None:
        """Refuse to go on if the token of the session allows less than when the head of the request arrived."""
        await require_still(self.state, self.grant, *self.grant.datasets, custodian=self.grant.custodian)


async def find_visitor(request: Request) -> Visitor | None:
    """Who is signed in, if anybody is."""
    session_id = request.cookies.get(SESSION_COOKIE, "")
    signed = web_of(request).sessions.find(session_id) if session_id else None
    if signed is None:
        return None
    state: ServiceState = request.app.state.service
    grant = await grant_of(state, signed.proof)
    if grant is None:
        web_of(request).sessions.close(session_id)
        return None
    note(request.scope, who=grant.name)
    state.rates.require(grant.account)  # pages count as requests of the API do
    visitor = Visitor(state, signed, grant)
    request.state.visitor = visitor
    return visitor


async def require_visitor(request: Request) -> Visitor:
    """Who is signed in."""
    visitor = await find_visitor(request)
    if visitor is None:
        raise NotSignedIn
    return visitor


CurrentVisitor = Annotated[Visitor, Depends(require_visitor)]


async def require_form(request: Request, visitor: CurrentVisitor) -> Form:
    """The form that was sent, if it is one of this session, and if the session's token still allows what it did."""
    require_same_site(request)
    bodies = visitor.state.desk.bodies
    _, form = await bodies.read(visitor.grant.account, partial(form_content, request), form_of)
    if web_of(request).sessions.find(request.cookies.get(SESSION_COOKIE, "")) is None:
        raise NotSignedIn  # somebody has signed out meanwhile
    await visitor.require_still()
    sent = form.text(CSRF_FIELD) or request.headers.get(CSRF_HEADER, "")
    if not visitor.signed.has_csrf(sent):
        raise HTTPException(403, _FORGED)
    return form


CurrentForm = Annotated[Form, Depends(require_form)]


def require_caller(visitor: CurrentVisitor, name: str) -> Caller:
    """The visitor with a dataset of theirs; one that they may not use and one that does not exist are alike."""
    return visitor.caller(name)


CurrentCaller = Annotated[Caller, Depends(require_caller)]


def require_custodian(caller: CurrentCaller) -> Caller:
    """The visitor with a dataset of which they are custodian."""
    if not caller.grant.custodian:
        raise HTTPException(403, _NO_CUSTODIAN)
    return caller


CurrentCustodian = Annotated[Caller, Depends(require_custodian)]


def require_same_site(request: Request) -> None:
    """Refuse a form of which the browser says that another site sent it. Old browsers say nothing."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site not in (None, "same-origin"):
        raise HTTPException(403, _FORGED)
    if origin is None or (origin == "null" and site == "same-origin"):
        return
    sender, host = urlsplit(origin), request.headers.get("host", "")
    # A proxy may pass on the name without the port.
    if not host or host.lower() not in (sender.netloc.lower(), sender.hostname):
        raise HTTPException(403, _FORGED)


def sign_in_secret(key: bytes, cookie: str) -> str:
    """What the sign-in form holds for a browser with this cookie: no other site can know it."""
    return hmac.new(key, cookie.encode(), hashlib.sha256).hexdigest()


def new_sign_in_cookie() -> str:
    """A random cookie for a browser that has opened the sign-in page."""
    return secrets.token_urlsafe(32)


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: float = LIFETIME) -> None:
    """Give the browser a cookie that scripts cannot read and other sites cannot use."""
    response.set_cookie(
        name,
        value,
        max_age=int(seconds),
        path=root_of(request) or "/",
        secure=not _is_loopback(request),
        httponly=True,
        samesite="strict",
    )


def drop_cookie(request: Request, response: Response, name: str) -> None:
    """Take the cookie back."""
    response.delete_cookie(
        name, path=root_of(request) or "/", secure=not _is_loopback(request), httponly=True, samesite="strict"
    )


def _is_loopback(request: Request) -> bool:
    """Whether the browser is on this machine, where there may be no TLS. A false Host harms its sender only."""
    return (urlsplit(f"//{request.headers.get('host', '')}").hostname or "") in _LOOPBACK
