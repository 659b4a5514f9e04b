"""Gaps in the documentation: each function returns one sentence for each thing that is missing."""

import re
from collections.abc import Iterable, Mapping

from tools.commands import Command
from tools.routes import Route


def missing_commands(listed: Iterable[Command], page: str, prose: str) -> list[str]:
    """Commands without a description or example, parameters without help, and either missing from the reference."""
    return [sentence for command in listed for sentence in _missing_of(command, page, prose)]


def _missing_of(command: Command, page: str, prose: str) -> Iterable[str]:
    typed = f"eremite {command.name}".rstrip()
    if not command.does:
        yield f"{typed} has no description"
    if typed not in page:
        yield f"{typed} is not in the reference"
    if not re.search(rf"(?<![\w-]){re.escape(typed)}(?![\w-])", prose):
        yield f"{typed} is on no page but the reference"
    for each in command.parameters:
        if not each.meaning:
            yield f"{typed}: {each.typed} has no help"
        if each.typed not in page:
            yield f"{typed}: {each.typed} is not in the reference"


def missing_names(docstrings: Mapping[str, str], shown: Iterable[str]) -> list[str]:
    """Public names that have no docstring or are missing from the reference."""
    there = set(shown)
    bare = [f"{name} has no docstring" for name, text in docstrings.items() if not text.strip()]
    return bare + [f"{name} is not in the reference" for name in docstrings if name not in there]


def unmentioned(names: Iterable[str], prose: str) -> list[str]:
    """Methods that no page outside the reference mentions."""
    lasts = {name: name.rpartition(".")[2] for name in names}
    return [f"{name} is on no page but the reference" for name, last in lasts.items() if not _called(last, prose)]


def missing_keys(keys: Iterable[str], page: str) -> list[str]:
    """Keys of the description file that are missing from its page."""
    return [f"the key {key} is not on the page of the description file" for key in keys if f"`{key}`" not in page]


def missing_routes(listed: Iterable[Route], page: str) -> list[str]:
    """Routes and fields without a description, and routes missing from the reference."""
    return [sentence for route in listed for sentence in _missing_of_route(route, page)]


def _missing_of_route(route: Route, page: str) -> Iterable[str]:
    if not route.does:
        yield f"{route.name} has no description"
    if route.name not in page:
        yield f"{route.name} is not in the reference"
    for field in (*route.takes, *route.gives):
        if not field.meaning:
            yield f"{route.name}: {field.way} has no description"


def _called(name: str, text: str) -> bool:
    """Whether the text mentions the name after a dot or a backtick; a plain word in a sentence does not count."""
    return re.search(rf"[.`]{re.escape(name)}\b", text) is not None
