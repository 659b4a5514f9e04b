"""What is said of a command line that cannot be read: what is wrong with it, and what to type instead."""

import typer

# By the kinds of errors of pydantic, with which Typer reads numbers.
_TAKES = {
    "int_parsing": "a whole number, written like 5",
    "int_from_float": "a whole number, written like 5",
    "int_parsing_size": "a whole number of fewer digits",
    "float_parsing": "a number, written like 0.5",
}


def mistyped(error: typer.TyperException) -> str:
    """One sentence or two, in our words where a value does not fit its option."""
    from pydantic import ValidationError

    if isinstance(error, typer.BadParameter) and isinstance(error.__cause__, ValidationError):
        takes = _TAKES.get(error.__cause__.errors()[0]["type"], "of plain letters and digits")
        return f"{_name(error)} must be {takes}."
    said = " ".join(error.format_message().split())
    return f"{said if said.endswith(('.', '?')) else f'{said}.'}{_where_to_look(error)}"


def _name(error: typer.BadParameter) -> str:
    """-k (--min-neighbors)."""
    first, *others = error.param.opts if error.param is not None else ("An argument",)
    return f"{first} ({', '.join(others)})" if others else first


def _where_to_look(error: typer.TyperException) -> str:
    context: typer.Context | None = getattr(error, "ctx", None)
    return "" if context is None else f" See {context.command_path} --help."
