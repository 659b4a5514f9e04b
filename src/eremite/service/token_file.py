"""The file that keeps the grants: JSON, readable and writable by its owner alone, in a folder that is no one else's.

A running service reads it for every request, so a token that is revoked is of no use from then on.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from eremite.errors import InputError
from eremite.service.guarded import require_guarded_file, require_guarded_folder
from eremite.service.tokens import Grant

_FORMAT = 1


def read_grants(path: Path) -> tuple[Grant, ...]:
    """All grants in the file."""
    try:
        with path.open(encoding="utf-8") as file:
            require_guarded_file(path, os.fstat(file.fileno()))
            text = file.read()
        require_guarded_folder(path)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; make a first token with: eremite token add") from None
    except (OSError, ValueError):
        raise InputError(f"{path} cannot be read; check its permissions.") from None
    return _parsed(path, text)


def change_grants(path: Path, change: Callable[[tuple[Grant, ...]], tuple[Grant, ...]]) -> None:
    """Write what `change` makes of the grants: all of it or nothing, and nobody else at the same time."""
    try:
        with suppress(FileNotFoundError):
            path.stat()  # fails where links lead in a circle; from Python 3.13 on, `resolve` does not
        file = path.resolve()  # behind a link is what a service reads
        draft = file.with_name(f"{file.name}.new")
        require_guarded_folder(path)
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise InputError(
            f"{draft} exists: another eremite token is at work, or was interrupted; then remove that file."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); check its folder.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as new:
            new.write(_text(change(read_grants(path) if path.exists() else ())))
            new.flush()
            os.fsync(new.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)  # only now: once it has replaced the file, a draft is somebody else's
        raise


def _text(grants: tuple[Grant, ...]) -> str:
    return json.dumps({"format": _FORMAT, "tokens": [grant.plain() for grant in grants]}, indent=2) + "\n"


def _parsed(path: Path, text: str) -> tuple[Grant, ...]:
    try:
        content = json.loads(text)
        _require(content["format"] == _FORMAT)
        return tuple(_grant(fields) for fields in content["tokens"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InputError):
        raise InputError(f"{path} is not a file that eremite token wrote; restore it, or make new tokens.") from None


def _grant(fields: dict[str, Any]) -> Grant:
    expires = fields["expires"]
    read = {
        "datasets": tuple(fields["datasets"]),
        "expires": None if expires is None else date.fromisoformat(expires),
    }
    _require(fields["custodian"] in (True, False) and len(bytes.fromhex(fields["hash"])) == 32)
    return Grant(**(fields | read))


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError
