"""Whoever can write the file of tokens, or put another in its place, can give themselves tokens.

So the file and its folder must belong to the user who runs eremite, or to root, and be writable by nobody else. In a
folder with the sticky bit, such as /tmp, others cannot replace what is not theirs. Folders above are the custodian's to
look after. On Windows nothing is checked: permissions there are lists, which Python does not read.
"""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from eremite.errors import InputError

_ROOT = 0


def require_guarded_folder(path: Path) -> None:
    """Refuse a file in a folder that others may write: where it is named and, if that is a link, wherever it leads."""
    for folder in dict.fromkeys(_folders(path)):
        _require_guarded(folder, folder.stat(), "go-w")


def _folders(path: Path) -> Iterator[Path]:
    yield path.absolute().parent
    if path.is_symlink():
        yield from _folders(path.parent / path.readlink())


def require_guarded_file(path: Path, opened: os.stat_result) -> None:
    """Refuse a file that others may write."""
    _require_guarded(path, opened, "600")


def _require_guarded(path: Path, found: os.stat_result, mode: str) -> None:
    if sys.platform == "win32":
        return
    if is_of_another(found.st_uid, os.geteuid()):
        raise InputError(
            f"{path} belongs to another user, who could give themselves tokens; run eremite as that user, "
            "or make the path yours with chown."
        )
    if is_open_to_others(found.st_mode):
        raise InputError(f"{path} can be written by others, who could give themselves tokens; run: chmod {mode} {path}")


def is_of_another(owner: int, me: int) -> bool:
    """Is the owner neither me nor root? Root can write everything anyway."""
    return owner not in (me, _ROOT)


def is_open_to_others(mode: int) -> bool:
    """May group or others write it? In a folder with the sticky bit they can only add to it."""
    sticky = stat.S_ISDIR(mode) and mode & stat.S_ISVTX
    return bool(mode & (stat.S_IWGRP | stat.S_IWOTH)) and not sticky
