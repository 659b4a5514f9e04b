"""Errors of a command line that cannot be parsed: what is wrong with it, and what to type instead."""

import typer

from eremite.privacy import with_point

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
        wrong = error.__cause__.errors()[0]
        point = with_point(wrong["input"])
        if wrong["type"] == "float_parsing" and point is not None:
            return f"{_option(error)} must be written with a decimal point, as {point}."
        return f"{_option(error)} must be {_EXPECTED.get(wrong['type'], 'of plain letters and digits')}."
    message = " ".join(error.format_message().split())
    return (
        f"{message if message.endswith(('.', '?')) else f'{message}.'}{_blanks(error, message)}{_help_command(error)}"
    )


def _blanks(error: typer.TyperException, message: str) -> str:
    """Where names of columns are typed: one with blanks falls into several arguments, and the rest is unexpected."""
    context: typer.Context | None = getattr(error, "ctx", None)
    options = [] if context is None else [name for option in context.command.params for name in option.opts]
    taken = next((name for name in ("--columns", "--subspace") if name in options), None)
    if taken is None or not message.startswith("Got unexpected extra argument"):
        return ""
    return f' Put names with blanks in quotes: {taken} "bmi,blood sugar".'


def _option(error: typer.BadParameter) -> str:
    """Such as -k (--min-neighbors)."""
    first, *others = error.param.opts if error.param is not None else ("An argument",)
    return f"{first} ({', '.join(others)})" if others else first


def _help_command(error: typer.TyperException) -> str:
    context: typer.Context | None = getattr(error, "ctx", None)
    return "" if context is None else f" See {context.command_path} --help."
