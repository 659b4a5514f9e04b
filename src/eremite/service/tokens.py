"""Tokens, what each may do, and the file that keeps them.

A token stands for an account and some datasets. The file keeps only the SHA-256 of a token: the token is 256 random
bits, so nobody can guess it from the hash, and it needs no salt. A running service reads the file for every request.
"""

import hashlib
import hmac
import json
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from eremite.errors import InputError
from eremite.names import require_name
from eremite.service.file_permissions import require_private_file, require_private_folder
from eremite.service.limits import MAX_TOKEN_CHARS

try:
    import fcntl
except ImportError:  # on Windows, where two changes at once are not kept apart
    fcntl = None  # type: ignore[assignment]

_FORMAT = 1
_LOCK_SECONDS = 10.0
_LOCK_PAUSE = 0.05
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What the holder of a token may do: ask about these datasets from this account; a custodian may also audit."""

    name: str
    account: str
    datasets: tuple[str, ...]
    custodian: bool = False
    expires: date | None = None  # the last day on which the token is valid, in UTC
    hash: str

    def __post_init__(self) -> None:
        require_name(self.name, "token's name")
        require_name(self.account, "account")
        for dataset in self.datasets:
            require_name(dataset, "dataset")
        if not self.datasets:
            raise InputError("A token needs at least one dataset; name it with --dataset.")

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, as the file keeps them."""
        return {
            "name": self.name,
            "account": self.account,
            "datasets": list(self.datasets),
            "custodian": self.custodian,
            "expires": None if self.expires is None else self.expires.isoformat(),
            "hash": self.hash,
        }


def new_token() -> str:
    """A random token of 256 bits."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """The hash by which a token is kept."""
    return hashlib.sha256(token.encode()).hexdigest()


def find_grant(token: str, grants: Iterable[Grant], today: date) -> Grant | None:
    """The grant of a token, unless it has expired."""
    if len(token) > MAX_TOKEN_CHARS:
        return None
    return grant_of_hash(hash_of(token), grants, today)


def grant_of_hash(wanted: str, grants: Iterable[Grant], today: date) -> Grant | None:
    """The grant of the token with this hash, unless it has expired. Compares every hash, each in constant time."""
    found = [grant for grant in grants if hmac.compare_digest(grant.hash, wanted)]
    return next((grant for grant in found if grant.expires is None or today <= grant.expires), None)


def utc_today() -> date:
    """Today in UTC, the day that `Grant.expires` is compared with."""
    return datetime.now(UTC).date()


def read_grants(path: Path) -> tuple[Grant, ...]:
    """All grants in the file. A file or folder that others may write is refused."""
    try:
        with path.open(encoding="utf-8") as file:
            require_private_file(path, os.fstat(file.fileno()))
            text = file.read()
        require_private_folder(path)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; make a first token with: eremite token add") from None
    except (OSError, ValueError):
        raise InputError(f"{path} cannot be read; check its permissions.") from None
    return _parse(path, text)


def change_grants(path: Path, change: Callable[[tuple[Grant, ...]], tuple[Grant, ...]]) -> None:
    """Replace the grants by `change(grants)`, atomically, one change at a time.

    The draft of the new file serves as the lock. The lock ends with the process that holds it, so the draft of a change
    that was killed hinders no other.
    """
    try:
        with suppress(FileNotFoundError):
            path.stat()  # fails if links form a circle; from Python 3.13 on, `resolve` does not
        file = path.resolve()  # replace the file itself, not a link to it
        draft = file.with_name(f"{file.name}.new")
        require_private_folder(path)
        handle = _lock(draft)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); check its folder.") from None
    with os.fdopen(handle, "w", encoding="utf-8") as new:
        try:
            new.write(_to_text(change(read_grants(path) if path.exists() else ())))
            new.flush()
            os.fsync(new.fileno())
            draft.replace(file)
        except BaseException:
            draft.unlink(missing_ok=True)  # on failure only: after `replace`, a draft belongs to the next change
            raise


def _lock(draft: Path) -> int:
    """The empty draft, open and locked. Waits a while for another change to end."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        handle = os.open(draft, os.O_CREAT | os.O_RDWR | _NO_LINK, 0o600)
        try:
            if _is_locked(handle, draft):
                os.truncate(handle, 0)  # what a change that was killed has left
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if time.monotonic() >= deadline:
            raise InputError(f"{draft} is locked: another eremite token is at work; try again when it has ended.")
        time.sleep(_LOCK_PAUSE)


def _is_locked(handle: int, draft: Path) -> bool:
    """Whether the open file is locked now, and is still the draft: the change before may have put it into place."""
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        raise InputError(f"{draft} is no plain file of its own, as eremite makes it; remove it.")
    require_private_file(draft, found)
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(found, draft.lstat())
    except (BlockingIOError, FileNotFoundError):
        return False


def tokens_readable(path: Path) -> bool:
    """Whether the tokens can be read now, so that callers can be told apart."""
    try:
        read_grants(path)
    except InputError:
        return False
    return True


def _to_text(grants: tuple[Grant, ...]) -> str:
    return json.dumps({"format": _FORMAT, "tokens": [grant.to_dict() for grant in grants]}, indent=2) + "\n"


def _parse(path: Path, text: str) -> tuple[Grant, ...]:
    try:
        content = json.loads(text)
        _require(content["format"] == _FORMAT)
        return tuple(_grant(fields) for fields in content["tokens"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InputError):
        raise InputError(f"{path} is not a file that eremite token wrote; restore it, or make new tokens.") from None


def _grant(fields: dict[str, Any]) -> Grant:
    expires = None if fields["expires"] is None else date.fromisoformat(fields["expires"])
    _require(fields["custodian"] in (True, False) and len(bytes.fromhex(fields["hash"])) == 32)
    return Grant(**(fields | {"datasets": tuple(fields["datasets"]), "expires": expires}))


def _require(valid: bool) -> None:
    if not valid:
        raise ValueError
