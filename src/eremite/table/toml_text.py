"""Names and texts in the syntax of TOML."""

import re

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')


def toml_key(name: str) -> str:
    """A name as a TOML key: bare where that is allowed, quoted otherwise."""
    return name if _BARE.fullmatch(name) else toml_string(name)


def toml_string(text: str) -> str:
    """A text as a TOML basic string, on one line."""
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\t":
        return "\\t"
    return f"\\{character}" if character in '"\\' else f"\\u{ord(character):04x}"
