"""Where a service is, and the token it is asked with. A token goes over TLS, or does not leave the machine."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from eremite.errors import InputError
from eremite.names import quote_name

VARIABLE = "EREMITE_TOKEN"


@dataclass(frozen=True, slots=True)
class Token:
    """A token, which neither `repr` nor `str` shows."""

    text: str = field(repr=False)

    @property
    def header(self) -> dict[str, str]:
        """The header that carries it."""
        return {"Authorization": f"Bearer {self.text}"}


def checked_token(given: object) -> Token:
    """A token that fits into a header. No error repeats any of it."""
    if given is None or given == "":
        raise InputError(f"connect needs a token: give token=, or set the environment variable {VARIABLE}.")
    text = given.strip() if isinstance(given, str) else ""
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise InputError("The token is not one that eremite token add printed; copy it again, as one line.")
    return Token(text)


def checked_address(given: object, insecure: bool = False) -> str:
    """The address without a slash at its end; plain http only to this machine, unless `insecure`."""
    text = given if isinstance(given, str) else ""
    try:
        parts = urlsplit(text.strip())
        host = parts.hostname or ""
        _ = parts.port  # a port that is no number is an error now
    except ValueError:
        parts, host = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise InputError("The address of a service is written like https://eremite.example.org; give one like that.")
    if parts.username is not None or parts.password is not None:
        raise InputError("The address must not have a name or a password in it; give the token with token=.")
    if parts.scheme == "http" and not insecure and not is_loopback(host):
        raise InputError(
            f"Over http:// everybody on the way to {quote_name(host, 100)} could read the token; use https://, or say "
            "insecure=True."
        )
    return parts.geturl().rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself, by what is written alone: no name is looked up."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
