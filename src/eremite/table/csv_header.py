"""The first line of a CSV file: its column names, unless it looks like a row.

Names are public and shown in messages; a row is private. So no part of a first line that may be a row is shown.
"""

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from eremite.errors import InputError
from eremite.table.cells import NUMBER
from eremite.table.csv_lines import opened_text

# Numbers written with letters; any other number is recognized by having no letter.
_SPELT = re.compile(rf"{NUMBER}|[+-]?(nan|inf|infinity|0x[0-9a-f.]+(p[+-]?[0-9]+)?)", re.IGNORECASE)


def column_names(path: Path) -> list[str]:
    """The fields of the first line. If a quote is left open, the last field ends in the line break."""
    with opened_text(path) as file:
        names = next(csv.reader([file.readline()]))
    "".join(names).encode()  # raises where a name is not UTF-8
    if not names:
        raise ValueError("no names")
    return names


def require_names(path: Path, names: Sequence[str]) -> None:
    """Refuse a first line that looks like data, or whose fields are not separated by commas."""
    if any(map(_looks_like_data, names)):
        raise InputError(
            f"The first line of {path} does not look like column names: a field is empty, has no letter, is a "
            "number or has an open quote; put a line of names on top."
        )
    if len(names) == 1 and re.search(r"[;\t]", names[0]):
        raise InputError(
            f"The first line of {path} is a single name with a semicolon or tab in it; "
            "the separator must be a comma, so write the file again with commas."
        )


def _looks_like_data(name: str) -> bool:
    has_letter = any(map(str.isalpha, name))
    return not has_letter or re.search(r"[\r\n]", name) is not None or _SPELT.fullmatch(name.strip()) is not None
