"""HTML out of templates, with the headers that keep a page to itself.

Everything that a template shows is escaped. Addresses are paths below the root path, so that a page works wherever a
proxy puts it.
"""

from asyncio import Lock
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from eremite.names import list_names, show_name
from eremite.privacy import shown
from eremite.service.web.assets import assets
from eremite.service.web.drafts import Drafts
from eremite.service.web.sessions import Sessions
from eremite.version import __version__

#: Style sheets and scripts are files of ours; Pico's ticks and arrows are pictures inside its style sheet.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would not say where a form was sent from
    "Vary": "Cookie, HX-Request",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Web:
    """What all pages share."""

    sessions: Sessions = field(default_factory=Sessions)
    drafts: Drafts = field(default_factory=Drafts)
    verifying: Lock = field(default_factory=Lock)  # one ledger at a time: it can take minutes
    sign_in_key: bytes = field(default_factory=lambda: token_bytes(32), repr=False)


def web_of(request: Request) -> Web:
    """What all pages share."""
    web: Web = request.app.state.web
    return web


def address(request: Request, *parts: str, **query: str | int | None) -> str:
    """The path of a page of this service, with its root path; a query of None is left out."""
    path = f"{root_of(request)}/{'/'.join(quote(part, safe='') for part in parts)}"
    asked = urlencode({name: value for name, value in query.items() if value is not None})
    return f"{path}?{asked}" if asked else path


def root_of(request: Request) -> str:
    """The path under which a proxy serves the pages; mostly empty."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def is_fragment(request: Request) -> bool:
    """Whether htmx asked, which shows the response in a part of a page."""
    return request.headers.get("hx-request") == "true"


def render(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """A page, or a part of one, from a template and values."""

    def at(*parts: str, **query: str | int | None) -> str:
        return address(request, *parts, **query)

    def asset(name: str) -> str:
        return at("static", name, v=assets()[name].tag)

    signed_in = getattr(request.state, "visitor", None)
    text = _TEMPLATES.get_template(template).render(
        {"at": at, "asset": asset, "visitor": signed_in, "version": __version__} | values
    )
    return HTMLResponse(text, status, PAGE_HEADERS)


def redirect(request: Request, *parts: str, **query: str | int | None) -> Response:
    """Go to another page by GET; htmx does so with the whole page."""
    target = address(request, *parts, **query)
    if is_fragment(request):
        return HTMLResponse("", 200, PAGE_HEADERS | {"HX-Redirect": target})
    return RedirectResponse(target, 303, PAGE_HEADERS)


def _sentence(words: str) -> str:
    """Words with a capital, and a full stop unless they end with one."""
    whole = words[:1].upper() + words[1:]
    return whole if whole.endswith((".", "!", "?", "\N{HORIZONTAL ELLIPSIS}")) else f"{whole}."


def _short(number: str) -> str:
    """A number without a fraction that is 0."""
    return number.removesuffix(".0")


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= {"name": show_name, "names": list_names, "number": shown, "sentence": _sentence, "short": _short}
