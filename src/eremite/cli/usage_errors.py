"""Errors of a command line that cannot be parsed: what is wrong with it, and what to type instead."""

import typer

# By the error types of pydantic, with which Typer parses numbers.
_EXPECTED = {
    "int_parsing": "a whole number, written like 5",
    "int_from_float": "a whole number, written like 5",
    "int_parsing_size": "a whole number of fewer digits",
    "float_parsing": "a number, written like 0.5",
}


def usage_error_in_words(error: typer.TyperException) -> str:
    """One or two sentences; our own where a value does not fit its option."""
    from pydantic import ValidationError

    if isinstance(error, typer.BadParameter) and isinstance(error.__cause__, ValidationError):
        expected = _EXPECTED.get(error.__cause__.errors()[0]["type"], "of plain letters and digits")
        return f"{_option(error)} must be {expected}."
    message = " ".join(error.format_message().split())
    return f"{message if message.endswith(('.', '?')) else f'{message}.'}{_help_command(error)}"


def _option(error: typer.BadParameter) -> str:
    """Such as -k (--min-neighbors)."""
    first, *others = error.param.opts if error.param is not None else ("An argument",)
    return f"{first} ({', '.join(others)})" if others else first


def _help_command(error: typer.TyperException) -> str:
    context: typer.Context | None = getattr(error, "ctx", None)
    return "" if context is None else f" See {context.command_path} --help."
