"""Permissions of the token file: whoever can write it, or replace it, can give themselves tokens.

So the file and its folder must belong to the user who runs eremite, or to root, and nobody else may write them. A
folder with the sticky bit, such as /tmp, is accepted: others cannot replace files there that are not theirs. Folders
further up are not checked, and neither is anything on Windows, where Python does not read access lists.
"""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from eremite.errors import InputError

_ROOT = 0


def require_private_folder(path: Path) -> None:
    """Refuse a file in a folder that others may write. Links are followed, and the folder of each is checked."""
    for folder in dict.fromkeys(_folders(path)):
        _require_private(folder, folder.stat(), "go-w")


def _folders(path: Path) -> Iterator[Path]:
    yield path.absolute().parent
    if path.is_symlink():
        yield from _folders(path.parent / path.readlink())


def require_private_file(path: Path, found: os.stat_result) -> None:
    """Refuse a file that others may write."""
    _require_private(path, found, "600")


def _require_private(path: Path, found: os.stat_result, mode: str) -> None:
    if sys.platform == "win32":
        return
    if is_of_another(found.st_uid, os.geteuid()):
        raise InputError(
            f"{path} belongs to another user, who could give themselves tokens; run eremite as that user, "
            "or make the path yours with chown."
        )
    if is_writable_by_others(found.st_mode):
        raise InputError(f"{path} can be written by others, who could give themselves tokens; run: chmod {mode} {path}")


def is_of_another(owner: int, me: int) -> bool:
    """Whether the owner is neither me nor root. Root can write everything anyway."""
    return owner not in (me, _ROOT)


def is_writable_by_others(mode: int) -> bool:
    """Whether group or others may write it. In a folder with the sticky bit they can only add files."""
    sticky = stat.S_ISDIR(mode) and mode & stat.S_ISVTX
    return bool(mode & (stat.S_IWGRP | stat.S_IWOTH)) and not sticky
