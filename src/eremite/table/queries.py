"""Which query may run: one SELECT, and nothing that could change a database."""

import re

# Quoted text, quoted names and comments may hold anything, semicolons and keywords included.
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_ONE_SELECT = re.compile(r"\s*(?:select|with)\b[^;]*;?\s*", re.IGNORECASE)


def is_one_select(query: str) -> bool:
    """One statement that starts with SELECT or WITH.

    This is for a clear message. What protects the database is that it is opened read-only.
    """
    return _ONE_SELECT.fullmatch(_QUOTED.sub(" ", query)) is not None
