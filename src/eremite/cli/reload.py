"""`eremite reload`: a running service opens the rows of a dataset again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eremite.cli.interrupts import explain_with
from eremite.cli.options import AsJson, local_file
from eremite.cli.output import dump_json, spinner
from eremite.errors import EremiteError, InputError
from eremite.names import quote_name, show_name

if TYPE_CHECKING:
    from urllib.request import Request

_VARIABLE = "EREMITE_TOKEN"
_PATIENCE = 3600.0  # seconds; a large table takes minutes to open
_LONGEST_REPLY = 2**24  # bytes
_LONGEST_TOKEN_FILE = 2**16  # characters


def reload(
    dataset: Annotated[str, typer.Argument(help="The dataset whose rows have changed.")],
    address: Annotated[str, typer.Option("--address", help="Where the service is.")] = "http://127.0.0.1:8000",
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            callback=local_file,
            help=f"A file that holds a custodian's token. Default: the environment variable {_VARIABLE}.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let a running service open the rows of a dataset again."""
    from urllib.parse import quote
    from urllib.request import Request

    place, token = _place(address), _token(token_file)
    explain_with(lambda _: "Interrupted; the service may open the rows all the same: see eremite history.")
    request = Request(  # noqa: S310 -- the address is http or https, which was checked
        f"{place}/v1/datasets/{quote(dataset, safe='')}/reload",
        method="POST",
        data=b"",
        headers={"Authorization": f"Bearer {token}"},
    )
    with spinner("Opening the rows; the old ones answer meanwhile"):
        facts = _reply(request, place)
    typer.echo(dump_json(facts) if as_json else _in_words(dataset, facts))


def _place(address: str) -> str:
    from urllib.parse import urlsplit

    from eremite.client.address import checked_address, is_loopback

    if "@" in address:
        raise InputError("The address must not have a name or a password in it; give the token with --token-file.")
    place = checked_address(address, insecure=True)
    parts = urlsplit(place)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise InputError(
            f"Over http:// everybody on the way to {quote_name(parts.hostname or '', 100)} could read the token; "
            "use https://, or run the command where the service runs."
        )
    return place


def _token(file: Path | None) -> str:
    """The token in the file, or in the environment. It is no argument: every user of a machine can see those."""
    import os

    from eremite.client.address import checked_token

    if file is None:
        if not os.environ.get(_VARIABLE):
            raise InputError(f"A custodian's token is needed: give --token-file, or set the variable {_VARIABLE}.")
        return checked_token(os.environ[_VARIABLE]).text
    try:
        with file.open(encoding="utf-8") as opened:
            text = opened.read(_LONGEST_TOKEN_FILE)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise InputError(f"Cannot read the token from {file}: {reason}.") from None
    return checked_token(text or " ").text  # an empty file holds no token


def _reply(request: "Request", place: str) -> dict[str, Any]:
    """The public facts that the service sends; its error, or that there is none, is a sentence.

    The token goes to the address that was given and to no other: redirects are not followed, and what is not encrypted
    goes through no proxy.
    """
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

    from eremite.client.refusals import error_of
    from eremite.errors import ServiceError

    class NoRedirects(HTTPRedirectHandler):
        def redirect_request(self, *_: Any, **__: Any) -> None:
            return None

    opener = build_opener(NoRedirects, *([ProxyHandler({})] if place.startswith("http://") else []))
    try:
        with opener.open(request, timeout=_PATIENCE) as response:
            status, content, location = response.status, response.read(_LONGEST_REPLY), None
    except HTTPError as error:
        with error:
            status, content, location = error.code, error.read(_LONGEST_REPLY), error.headers.get("location")
    except URLError as error:
        raise _no_connection(place, error.reason) from None
    except (OSError, HTTPException):
        raise ServiceError(
            f"The connection to {place} broke, or nothing came over it in time; see eremite history for whether the "
            "rows were replaced."
        ) from None
    fields = _object(content)
    if status == 200 and fields:
        return fields
    raise error_of(status, fields or {"location": location})


def _no_connection(place: str, reason: object) -> EremiteError:
    from ssl import SSLCertVerificationError

    from eremite.errors import ServiceError

    if isinstance(reason, SSLCertVerificationError):
        return ServiceError(
            f"The certificate of {place} is not one that this machine trusts; if your institution has a certificate "
            "authority of its own, name its file in the variable SSL_CERT_FILE."
        )
    return ServiceError(f"{place} cannot be reached; check --address, and whether the service runs.")


def _object(content: bytes) -> dict[str, Any]:
    import json

    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _in_words(dataset: str, facts: dict[str, Any]) -> str:
    rows = facts.get("n_rows")
    number = f" It has {rows:,} of them, which is public." if isinstance(rows, int) else ""
    return f"{show_name(dataset)} is asked about with its new rows from now on, and the ledger says so.{number}"
