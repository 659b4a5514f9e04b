"""Who may ask what: a token stands for an account with some datasets. Of the token itself only a hash is kept.

A token is 256 random bits, so its SHA-256 cannot be turned back by guessing, and needs no salt.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from eremite.errors import InputError
from eremite.service.limits import LONGEST_TEXT, LONGEST_TOKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What the holder of a token may do: ask about these datasets from this account; as custodian, read the books."""

    name: str
    account: str
    datasets: tuple[str, ...]
    custodian: bool = False
    expires: date | None = None  # the last day it is good for, in UTC
    hash: str

    def __post_init__(self) -> None:
        for text, what in ((self.name, "token's name"), (self.account, "account"), *self._named_datasets()):
            _require_name(text, what)
        if not self.datasets:
            raise InputError("A token needs at least one dataset; name it with --dataset.")

    def plain(self) -> dict[str, Any]:
        """As it is kept."""
        return {
            "name": self.name,
            "account": self.account,
            "datasets": list(self.datasets),
            "custodian": self.custodian,
            "expires": None if self.expires is None else self.expires.isoformat(),
            "hash": self.hash,
        }

    def _named_datasets(self) -> Iterable[tuple[str, str]]:
        return ((dataset, "dataset") for dataset in self.datasets)


def new_token() -> str:
    """A token that nobody else has."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def grant_of(token: str, grants: Iterable[Grant], today: date) -> Grant | None:
    """The grant of a token, unless it has expired. Every hash is compared, each in constant time."""
    if len(token) > LONGEST_TOKEN:
        return None
    wanted = hash_of(token)
    found = [grant for grant in grants if hmac.compare_digest(grant.hash, wanted)]
    return next((grant for grant in found if grant.expires is None or today <= grant.expires), None)


def utc_today() -> date:
    """The day that expiry is judged by."""
    return datetime.now(UTC).date()


def _require_name(text: object, what: str) -> None:
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_TEXT or not text.isprintable():
        raise InputError(f"The {what} must be a text of 1 to {LONGEST_TEXT} printable characters.")
