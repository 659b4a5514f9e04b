"""Tokens of an institution's identity provider (OpenID Connect), beside those that the custodian makes.

Such a token is signed by its issuer. It is taken if a key that the issuer publishes has signed it, with an asymmetric
algorithm that is allowed, for this service, and if it is neither too old nor too young. Its claims then say which
account it stands for, which datasets it may ask about, and whether it is a custodian's. Whatever else a token says
about itself, such as where its key can be found, is not looked at.
"""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import jwt

from eremite.errors import InputError
from eremite.names import require_name
from eremite.service.errors import TokenRefused
from eremite.service.oidc_keys import KeyRing
from eremite.service.oidc_settings import ALGORITHMS, OidcSettings, read_settings
from eremite.service.tokens import Grant

#: Of a token of an issuer. The head of a request has room for as many, and for the other headers.
MAX_CHARS = 8 * 2**10
_MAX_KEY_NAME = 200
_SHAPE = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
_TYPES = ("jwt", "at+jwt", "application/at+jwt")
_JWS = jwt.PyJWS(algorithms=list(ALGORITHMS))


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcGrant(Grant):
    """What the holder of an issuer's token may do, until it expires. It is in no file."""

    issuer: str
    audience: str
    expires_at: int  # seconds since 1970


class Oidc:
    """Checks the tokens of one issuer."""

    def __init__(
        self, settings: OidcSettings, keys: KeyRing | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.settings = settings
        self._keys = keys or KeyRing(settings)
        self._clock = clock

    async def grant(self, token: str) -> OidcGrant:
        """What the token allows; a `TokenRefused`, or an `IssuerUnavailable` if it cannot be checked now."""
        name, algorithm = _key_of(token, self.settings)
        key = await self._keys.find(name, algorithm)
        if key is None:
            raise _refused("its issuer publishes no such key")
        return grant_of_claims(_verified_claims(token, key, algorithm), self.settings, self._clock())

    def is_valid(self, grant: OidcGrant, *, waiting: bool) -> bool:
        """Whether what a token allowed is allowed still; for longer if its question waits."""
        settings = self.settings
        grace = settings.queued_for if waiting else settings.skew
        same = (grant.issuer, grant.audience) == (settings.issuer, settings.audience)
        return same and self._clock() < grant.expires_at + grace


def read_oidc(path: Path) -> Oidc:
    """The issuer that a file names. Fetches nothing: an issuer that is down hinders no start."""
    return Oidc(read_settings(path))


def is_of_issuer(token: str) -> bool:
    """Whether a token looks like one of an issuer. Tokens that the custodian makes have no dot."""
    return "." in token


def _refused(reason: str) -> TokenRefused:
    return TokenRefused(f"This token of the identity provider is refused: {reason}.")


def _key_of(token: str, settings: OidcSettings) -> tuple[str, str]:
    """The name of the key that a token is said to be signed with, and the algorithm; nothing of it is verified yet."""
    if len(token) > MAX_CHARS:
        raise _refused(f"it has more than {MAX_CHARS:,} characters")
    if not _SHAPE.fullmatch(token):
        raise _refused("it is no signed token of three parts")
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        header = {}
    name, algorithm, kind = header.get("kid"), header.get("alg"), header.get("typ", "JWT")
    if "crit" in header or "b64" in header:
        raise _refused("its header demands an extension that is not known here")
    if algorithm not in settings.algorithms:
        raise _refused("it is not signed with an algorithm that is allowed here")
    if not isinstance(kind, str) or kind.lower() not in _TYPES:
        raise _refused("it is of a type for other purposes")
    if not isinstance(name, str) or not 0 < len(name) <= _MAX_KEY_NAME:
        raise _refused("it does not name the key (kid) that it is signed with")
    return name, str(algorithm)


def _verified_claims(token: str, key: Any, algorithm: str) -> dict[str, Any]:
    """The claims, if the key has signed them."""
    try:
        claims = json.loads(_JWS.decode(token, key, algorithms=[algorithm]))
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        claims = None
    if not isinstance(claims, dict):
        raise _refused("its signature is not valid")
    return claims


def grant_of_claims(claims: dict[str, Any], settings: OidcSettings, now: float) -> OidcGrant:
    """What verified claims allow at this time."""
    if claims.get("iss") != settings.issuer:
        raise _refused("it is of another issuer")
    if settings.audience not in _texts(claims.get("aud")):
        raise _refused("it is meant for another service")
    if settings.clients and claims.get("azp", claims.get("client_id")) not in settings.clients:
        raise _refused("it was given to another client")
    expires_at = _require_time(claims, settings, now)
    account = _account(claims, settings)
    return OidcGrant(
        name=account,
        account=account,
        datasets=_datasets(claims, settings),
        custodian=_is_custodian(claims, settings),
        hash="",
        issuer=settings.issuer,
        audience=settings.audience,
        expires_at=int(expires_at),
    )


def _require_time(claims: dict[str, Any], settings: OidcSettings, now: float) -> float:
    """When the token expires, if it is valid now."""
    expires_at, made_at = _seconds(claims, "exp"), _seconds(claims, "iat")
    if expires_at is None or made_at is None:
        raise _refused("it does not say when it was made and when it expires (iat, exp)")
    valid_from = _seconds(claims, "nbf") if "nbf" in claims else made_at
    if valid_from is None or max(made_at, valid_from) > now + settings.skew:
        raise _refused("it is not valid yet")
    if now >= expires_at + settings.skew:
        raise _refused("it has expired")
    if now >= made_at + settings.max_age + settings.skew:
        raise _refused("it was made too long ago")
    return min(expires_at, made_at + settings.max_age)


def _seconds(claims: dict[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if isfinite(value) else None
    except OverflowError:
        return None


def _account(claims: dict[str, Any], settings: OidcSettings) -> str:
    found = _claim(claims, settings.account.claim)
    if not isinstance(found, str) or not found:
        raise _refused(f"it has no claim {'.'.join(settings.account.claim)}, which names the account")
    try:
        return require_name(settings.account.prefix + found, "account")
    except InputError:
        raise _refused("its account is too long or not printable") from None


def _datasets(claims: dict[str, Any], settings: OidcSettings) -> tuple[str, ...]:
    """The datasets, each once. Values that are no names of datasets give none."""
    wanted, names = settings.datasets, list(settings.datasets.everybody)
    for value in () if wanted.claim is None else _texts(_claim(claims, wanted.claim)):
        if wanted.values is not None:
            names.extend(wanted.values.get(value, ()))
        elif _is_name(value):
            names.append(value)
    if not names:
        raise _refused("it gives access to no dataset; ask the custodian")
    return tuple(dict.fromkeys(names))


def _is_name(value: str) -> bool:
    try:
        require_name(value, "dataset")
    except InputError:
        return False
    return True


def _is_custodian(claims: dict[str, Any], settings: OidcSettings) -> bool:
    role = settings.custodian
    return role is not None and role.value in _texts(_claim(claims, role.claim))


def _claim(claims: dict[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = claims
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _texts(value: Any) -> tuple[str, ...]:
    """A text, or the texts in a list."""
    values = value if isinstance(value, list) else [value]
    return tuple(one for one in values if isinstance(one, str))
