"""Connecting to a service."""

import os
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eremite.client.address import VARIABLE, Token, checked_address, checked_token
from eremite.client.asking import Asking
from eremite.client.progress import Progress, StatusLine, is_interactive
from eremite.client.remote import RemoteSession
from eremite.client.wire import Wire
from eremite.errors import InputError, ServiceError
from eremite.names import list_names, quote_name

if TYPE_CHECKING:
    import httpx


def connect(
    address: str,
    *,
    token: str | None = None,
    dataset: str | None = None,
    verify: str | Path | ssl.SSLContext | None = None,
    insecure: bool = False,
    retry_for: float = 60,
    wait_for: float | None = None,
    progress: Progress | bool = True,
) -> RemoteSession:
    """Connect to a service that an institution runs, and ask it as one asks a `Session`.

    Needs httpx: eremite[client]. The token goes to this address alone, and is not shown by anything.

    Args:
        address: Where the service is, as in https://eremite.example.org.
        token: The token that the custodian gave you; default: the environment variable EREMITE_TOKEN.
        dataset: Which dataset to ask about; needed if the token is for several.
        verify: File with the certificate authority of your institution, or an `ssl.SSLContext`; default: the usual
            authorities.
        insecure: Allow plain http:// to another machine. Everybody on the way can then read the token.
        retry_for: For how many seconds to go on trying while the service is out of reach or has no room.
        wait_for: For how many seconds to wait for an answer; default: until it is there.
        progress: Called with "queued" and "running", as the state of a question changes; True shows it on terminals
            and in notebooks, False shows nothing.

    Raises:
        InputError: The address, the token or the dataset does not fit.
        ServiceError: The service is out of reach, or does not admit the token.
    """
    place = checked_address(address, insecure)
    secret = checked_token(os.environ.get(VARIABLE) if token is None else token)
    wire = Wire(_http(place, secret, verify), place, retry_for=_seconds(retry_for, "retry_for"))
    try:
        chosen = chosen_dataset(served_datasets(wire), dataset)
    except BaseException:
        wire.close()
        raise
    wait = None if wait_for is None else _seconds(wait_for, "wait_for")
    return RemoteSession(Asking(wire, chosen, wait_for=wait, progress=_progress(progress)))


def served_datasets(wire: Wire) -> list[str]:
    """The names of the datasets that the token may ask about."""
    listed = wire.get("/v1/datasets").require(200).fields.get("datasets")
    if not isinstance(listed, list) or not all(
        isinstance(one, dict) and isinstance(one.get("name"), str) for one in listed
    ):
        raise ServiceError(f"{wire.address} is not an eremite service, or one that this version does not know.")
    return [one["name"] for one in listed]


def chosen_dataset(names: Sequence[str], wanted: str | None) -> str:
    """The dataset to ask about: the one that is wanted, or the only one."""
    listed = list_names(names, "datasets", show=quote_name)
    if wanted is not None:
        if wanted not in names:
            raise InputError(f"This token is for {listed}; choose with dataset= what to ask about.")
        return wanted
    if len(names) != 1:
        which = f"; choose one with dataset=, as in dataset={quote_name(names[0])}" if names else "; tell the custodian"
        raise InputError(f"This token is for {listed}{which}.")
    return names[0]


def _http(address: str, token: Token, verify: str | Path | ssl.SSLContext | None) -> "httpx.Client":
    try:
        import httpx
    except ModuleNotFoundError:
        raise InputError("connect needs httpx; pip install 'eremite[client]', or pip install httpx.") from None
    encrypted = address.startswith("https://")
    return httpx.Client(
        base_url=address,
        headers=token.header,
        verify=True if verify is None else _trusted(verify),
        follow_redirects=False,
        trust_env=encrypted,  # a proxy would read what is not encrypted
    )


def _trusted(verify: str | Path | ssl.SSLContext) -> ssl.SSLContext:
    if isinstance(verify, ssl.SSLContext):
        return verify
    try:
        return ssl.create_default_context(cafile=os.fspath(verify))
    except (OSError, TypeError, ValueError):  # an unreadable certificate is an OSError, too
        raise InputError("verify must be a file with certificates in PEM format, or an ssl.SSLContext.") from None


def _seconds(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise InputError(f"{name} must be a number of seconds, 0 or more.")
    return float(value)


def _progress(given: Progress | bool) -> Progress | None:
    if given is True:
        return StatusLine() if is_interactive() else None
    if given is False or given is None:
        return None
    if not callable(given):
        raise InputError("progress must be True, False, or a function that takes a text.")
    return given
