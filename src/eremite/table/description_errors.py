"""Errors of a description file as one sentence that names the file, the key and the repair."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from eremite.names import list_names
from eremite.table.toml_text import toml_key

# The type of our own validation errors. Their words follow the name of a key, or extend it: ".source ...".
CUSTOM = "eremite"
# Tags of the two kinds of columns; pydantic puts them into the path of a key, where nobody wrote them.
INTERVAL, LISTED = "[interval]", "[listed]"
UNFILLED = "?"  # written by `eremite init` for a bound that the custodian has to fill in

EXAMPLES = {
    "dataset": '[dataset] with name = "..." and source = "..."',
    "columns": "[columns] with a line such as bmi = { min = 10, max = 60 }",
    "epsilon": "epsilon = 1.0",
    "min": "{ min = ..., max = ... }",
    "max": "{ min = ..., max = ... }",
}
REPAIRS = {
    "dict_type": "must be a section of its own, as in [columns]",
    "model_type": "must be a section or { ... } with keys of its own",
    "string_type": "must be text in quotes",
    "string_too_short": "must not be empty",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "greater_than_equal": "must be 1 or more",
    "too_short": "names no column; add a line such as bmi = { min = 10, max = 60 }",
}
_POSITION = re.compile(r" \(at (line \d+, column \d+|end of document)\)$")
_TWICE = re.compile(r"overwrite|twice|duplicate|immutable|mutate", re.IGNORECASE)


def sentence_for(path: Path, error: ValidationError, model: type[BaseModel]) -> str:
    """The first problem to repair. A misspelled key comes before the missing key it stands for."""
    details = sorted(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden")
    first, more = details[0], len(details) - 1
    words = _words(path, first, model)
    if more:
        return f"{words} ({more} more to repair after that)."
    return words if words.endswith("?") else f"{words}."


def unfilled_sentence(path: Path, raw: Mapping[str, Any]) -> str | None:
    """A sentence that names the columns that `eremite init` left open; None if all are filled in."""
    columns = raw.get("columns")
    given = {n: c for n, c in columns.items() if isinstance(c, dict)} if isinstance(columns, dict) else {}
    bounds = [name for name, column in given.items() if UNFILLED in (column.get("min"), column.get("max"))]
    lists = [name for name, column in given.items() if column.get("categories") == []]
    whence = "from knowledge of the subject and not from the data"
    ranges, values = (list_names(names, most=40, show=toml_key) for names in (bounds, lists))
    repair = f'replace each "{UNFILLED}" in [columns] by the smallest and largest value that can occur'
    if bounds and lists:
        repair = f"{repair}, and fill each categories = [], of {values}, with the values that can occur"
    if bounds:
        return f"{path} still needs bounds for {ranges}; {repair}, {whence}."
    if lists:
        return f"{path} still needs categories for {values}; list in each [] the values that can occur, {whence}."
    return None


def syntax_sentence(path: Path, error: Exception) -> str:
    """A sentence for a TOML error, with its position. The line is not quoted, because it may hold a password."""
    position = _POSITION.search(str(error))
    where = f" at {position[1]}" if position else ""
    repair = "correct the syntax there" if position else "correct its syntax"
    if _TWICE.search(str(error)):
        return f"{path} gives the same key twice{where}; keep one of the two."
    return f"{path} is not valid TOML{where}; {repair}."


def _words(path: Path, detail: ErrorDetails, model: type[BaseModel]) -> str:
    path_of_key = [str(part) for part in detail["loc"]]
    *parents, last = [part for part in path_of_key if part not in (INTERVAL, LISTED)] or [""]
    key = ".".join(toml_key(part) for part in (*parents, last) if part)
    if detail["type"] == "extra_forbidden":
        return f"{path} has the unknown key {key}; {_suggestion(last, _known(model, path_of_key[:-1]))}"
    if detail["type"] == "missing":
        return f"{path} has no {key}; add {EXAMPLES.get(last, f'a value for {last}')}"
    if detail["type"] == CUSTOM:
        words = detail["ctx"]["words"]
        return f"In {path}, {key}{words}" if words.startswith(".") else f"In {path}, {key} {words}".replace("  ", " ")
    return f"In {path}, {key} {REPAIRS.get(detail['type'], 'does not fit; see the README')}"


def _suggestion(key: str, known: Sequence[str]) -> str:
    near = get_close_matches(key, known, n=1)
    return f"did you mean {near[0]}?" if near else f"remove it, the keys here are {', '.join(known)}"


def _known(model: type[BaseModel], parents: Sequence[str]) -> list[str]:
    """The keys allowed below `parents`, taken from the fields of the records."""
    if not parents:
        return list(model.model_fields)
    return list(_record_in(model.model_fields[parents[0]].annotation, LISTED in parents).model_fields)


def _record_in(annotation: Any, listed: bool) -> type[BaseModel]:
    """The record in an annotation: Dataset in Dataset, Budget in Budget | None, one of the two kinds of columns."""
    kinds = list(_records(annotation))
    return kinds[-1] if listed else kinds[0]


def _records(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from _records(inner)
