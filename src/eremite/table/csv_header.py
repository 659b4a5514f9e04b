"""The first line of a CSV file: its column names, unless it looks like a row.

Names are public and shown in messages; a row is private. So no part of a first line that may be a row is shown.
"""

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from eremite.errors import InputError
from eremite.table.cells import NUMBER
from eremite.table.text_files import TextFile

# Numbers written with letters; any other number is recognized by having no letter.
_SPELT = re.compile(rf"{NUMBER}|[+-]?(nan|inf|infinity|0x[0-9a-f.]+(p[+-]?[0-9]+)?)", re.IGNORECASE)
_LINE_BREAK = re.compile(r"[\r\n]")
_UNDECODED = re.compile("[\ufffd\0]")
_OTHERS = {";": ";", "\t": "\\t", "|": "|", ",": ","}  # separators in use, as TOML writes them

SET_ENCODING = (
    'set encoding in [dataset] to the one it was saved in, for example encoding = "cp1252" or "utf-16" '
    "(with eremite init: --encoding cp1252)"
)


def column_names(file: TextFile) -> list[str]:
    """The fields of the first line, without the blanks around them."""
    names = _fields(file)
    if names is None or any(map(_UNDECODED.search, names)):
        raise InputError(
            f"The first line of {file.path} is not text in the encoding {file.writing.encoding}; {SET_ENCODING}."
        )
    if not names:
        raise ValueError("no names")
    if any(map(_LINE_BREAK.search, names)):
        raise _not_names(file.path)  # a quote is left open
    return [name.strip() for name in names]


def require_names(path: Path, names: Sequence[str]) -> None:
    """Refuse a first line that looks like data. The first name may be empty: data frames write their index so."""
    if not any(names) or any(map(_looks_like_data, names[1:] if names[0] == "" else names)):
        raise _not_names(path)


def require_separator(file: TextFile, names: Sequence[str]) -> None:
    """Refuse a first line that is a single name with another separator in it."""
    other = next((sign for sign in _OTHERS if sign != file.separator and sign in names[0]), None)
    if len(names) == 1 and other is not None:
        written = _OTHERS[other]
        raise InputError(
            f"The first line of {file.path} is a single name with another separator in it; if that separates its "
            f'names, set separator = "{written}" in [dataset] (with eremite init: --separator "{written}").'
        )


def _fields(file: TextFile) -> list[str] | None:
    """The fields as they are, with a line break where a quote is left open; None if they cannot be decoded."""
    with suppress(UnicodeError), file.opened_text() as text:
        return next(csv.reader([text.readline().removeprefix("\ufeff")], delimiter=file.separator))
    return None


def _not_names(path: Path) -> InputError:
    return InputError(
        f"The first line of {path} does not look like column names: a field is empty, has no letter, is a "
        "number or has an open quote; put a line of names on top."
    )


def _looks_like_data(name: str) -> bool:
    return not any(map(str.isalpha, name)) or _SPELT.fullmatch(name) is not None
