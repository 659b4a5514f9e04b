"""How names from files, and lists of them, are shown. Such a name may hold any character and be of any length."""

import re
from collections.abc import Callable, Iterable, Sequence

from eremite.errors import InputError

_LONGEST = 200  # characters; names of datasets, accounts, tokens and requests are never longer
#: Where a spreadsheet may see the beginning of a formula: at the beginning of a cell, and after whatever it may take
#: for the end of one, depending on its language, whatever spaces and quotes stand between. Wide and small forms of the
#: signs count: some spreadsheets read them as the plain ones.
_FORMULA = re.compile(
    r"(^|[;|\t\r\n])(?=[\s\"]*["
    r"=\uff1d\ufe66\u207c\u208c+\uff0b\ufe62\u207a\u208a\ufb29\-\uff0d\ufe63\u2212@\uff20\ufe6b])"
)


def show_name(name: str, longest: int = _LONGEST) -> str:
    """The name on one line, cut with an ellipsis after `longest` characters.

    A name that is empty or not printable is quoted: line breaks and control characters could forge the text around it.
    """
    if not name or not name.isprintable():
        return quote_name(name, longest)
    return name if len(name) <= longest else f"{name[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def quote_name(name: str, longest: int = _LONGEST) -> str:
    """The name in quotes, escaped, cut with an ellipsis after `longest` characters."""
    text = repr(name)
    return text if len(text) <= longest else f"{text[: longest - 2]}\N{HORIZONTAL ELLIPSIS}{text[-1]}"


def list_names(
    names: Sequence[str], what: str = "columns", *, most: int = 12, show: Callable[[str], str] = show_name
) -> str:
    """The names as a list in a sentence: "a, b and c"; if there are more than `most`, "a, b and 9 more columns"."""
    if not names:
        return f"no {what}"
    kept = len(names) if len(names) <= most else most - 1
    parts = [show(name) for name in names[:kept]]
    if kept < len(names):
        parts.append(f"{len(names) - kept:,} more {what}")
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def require_name(text: object, what: str) -> str:
    """The name of a dataset, account, token or request, if it is a printable text that is not too long."""
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST or not text.isprintable():
        raise InputError(f"The {what} must be a text of 1 to {_LONGEST} printable characters.")
    return text


def without_formula(cell: object) -> object:
    """A cell for a CSV file that no spreadsheet runs: an apostrophe stands before whatever looks like a formula."""
    return _FORMULA.sub(r"\1'", cell) if isinstance(cell, str) else cell


def first_repeated(names: Iterable[str]) -> str | None:
    """The first name that occurred before; None if all differ."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
