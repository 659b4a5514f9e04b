"""Names of tables and columns, and numbers, as they are printed."""

from collections.abc import Sequence

_MOST_NAMES = 12


def shown_name(name: str) -> str:
    """A name on one line: one with line breaks or control characters could forge what else is printed."""
    return name if name and name.isprintable() else repr(name)


def enumerated(names: Sequence[str]) -> str:
    """Names for a sentence: a, b and c; cut when there are very many."""
    parts = [shown_name(name) for name in names]
    if len(parts) > _MOST_NAMES:
        parts = [*parts[: _MOST_NAMES - 1], f"{len(parts) - _MOST_NAMES + 1} more columns"]
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def plain_number(number: float) -> str:
    """The number in full, without a point where it is whole."""
    return repr(number).removesuffix(".0")
