"""Checks that a query is a single SELECT."""

import re

# Quoted text, quoted names and comments may hold anything, including semicolons and keywords.
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_ONE_SELECT = re.compile(r"\s*(?:select|with)\b[^;]*;?\s*", re.IGNORECASE)


def is_one_select(query: str) -> bool:
    """Whether the query is one statement that starts with SELECT or WITH.

    This check serves a clear message. The database is protected because it is opened read-only.
    """
    return _ONE_SELECT.fullmatch(_QUOTED.sub(" ", query)) is not None
