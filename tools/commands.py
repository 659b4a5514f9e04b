"""The command line as records, taken from the program itself, and its reference page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer
from typer.main import get_command


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument or an option: how it is typed, what it means, and its default."""

    typed: str
    meaning: str
    otherwise: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of an option; none for an argument."""
        return tuple(word.strip(",") for word in self.typed.split() if word.startswith("-"))


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name after `eremite`, what it does, and its parameters."""

    name: str
    does: str
    usage: str
    parameters: tuple[Parameter, ...]


def commands(app: typer.Typer) -> list[Command]:
    """All commands of the program in the order of its help, groups before their members."""
    return list(_walk(get_command(app), ()))


def command_page(listed: list[Command]) -> str:
    """The reference page of the command line, as Markdown."""
    return "\n".join([_OPENING, *map(_section, listed)])


_OPENING = """# Command line

Generated from the program itself, with the same texts as `eremite COMMAND --help`.

Exit codes: 0 done, 1 internal error, 2 bad input, 3 refused by the budget, 130 interrupted. An error is one sentence on
stderr. Bad input and a refusal charge nothing; what was charged before an error or an interrupt stays charged.
"""


def _walk(command: Any, path: tuple[str, ...]) -> Iterator[Command]:
    name = " ".join(path)
    context = typer.Context(command, info_name=" ".join(["eremite", *path]))
    parameters = tuple(_parameter(each, context) for each in command.params if not each.hidden)
    yield Command(name, (command.help or "").strip(), _usage(command, context), parameters)
    for below in getattr(command, "commands", {}).values():
        if not below.hidden:
            yield from _walk(below, (*path, below.name))


def _usage(command: Any, context: Any) -> str:
    words = [_argument(each) for each in command.params if each.param_type_name == "argument"]
    group = ["COMMAND"] if hasattr(command, "commands") else []
    return " ".join([context.info_name, *words, *group, "[OPTIONS]"])


def _argument(parameter: Any) -> str:
    name = str(parameter.name).upper()
    return name if parameter.required else f"[{name}]"


def _parameter(parameter: Any, context: Any) -> Parameter:
    typed, _ = parameter.get_help_record(context)
    shown = _argument(parameter) if parameter.param_type_name == "argument" else typed
    return Parameter(shown, (parameter.help or "").strip(), _otherwise(parameter))


def _otherwise(parameter: Any) -> str:
    if parameter.required:
        return "required"
    return "" if parameter.default is None or parameter.default is False else f"`{parameter.default}`"


def _section(command: Command) -> str:
    title = f"## eremite {command.name}".rstrip()
    if not command.parameters:
        return f"{title}\n\n{command.does}\n\n```text\n{command.usage}\n```\n"
    rows = [f"| `{each.typed}` | {each.meaning} | {each.otherwise} |" for each in command.parameters]
    table = "\n".join(["| typed | what it means | default |", "|---|---|---|", *rows])
    return f"{title}\n\n{command.does}\n\n```text\n{command.usage}\n```\n\n{table}\n"
