"""Sentences on stderr: a note, an error or an interrupt, each on one line; with --json, each as one JSON object.

An object has the sentence as its "note" or "error", and an error has the "exit_code" as well.
"""

import json
from collections.abc import Sequence
from typing import Any


class _Form:
    """How this process writes its sentences: it runs one command."""

    as_json = False


def write_as_asked(arguments: Sequence[str]) -> None:
    """Write JSON from now on if the arguments ask for it, and text if not; whether or not a command takes them."""
    given = list(arguments)
    _Form.as_json = "--json" in given[: given.index("--") if "--" in given else None]


def note(sentence: str) -> str:
    """The line of a note."""
    return _line({"note": sentence}) if _Form.as_json else f"Note: {on_one_line(sentence)}"


def error(sentence: str, code: int, **numbers: Any) -> str:
    """The line of an error that ends the command with this exit code; the numbers are for programs alone."""
    if _Form.as_json:
        return _line({"error": sentence, "exit_code": code} | numbers)
    return f"Error: {on_one_line(sentence)}"


def interrupt(sentence: str, code: int) -> str:
    """The line with which an interrupted command ends. It is no error of anybody."""
    return error(sentence, code) if _Form.as_json else on_one_line(sentence)


def on_one_line(sentence: str) -> str:
    """The sentence with control characters escaped: names of files may hold any."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in sentence)


def _line(facts: dict[str, Any]) -> str:
    return json.dumps(facts)
