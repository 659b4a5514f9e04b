"""Names as a sentence has them. They come from files and may hold anything."""

from collections.abc import Iterable, Sequence

_LONGEST_SHOWN = 40


def shown_name(name: str) -> str:
    """A name on one line: one with line breaks or control characters could forge what else is shown."""
    return name if name and name.isprintable() else repr(name)


def joined(parts: Sequence[str]) -> str:
    """One or more parts: a, b and c."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def joined_cut(parts: Sequence[str], most: int, what: str) -> str:
    """The same; where there are more than `most`, the last are a number of `what` they are: a, b and 9 more columns."""
    if len(parts) <= most:
        return joined(parts)
    return joined([*parts[: most - 1], f"{len(parts) - most + 1:,} more {what}"])


def cut_name(name: str) -> str:
    """A name quoted, on one line, and cut: whoever sends a megabyte does not get it back."""
    return repr(name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}...")


def first_repeated(names: Iterable[str]) -> str | None:
    """The first name that occurred before; None if all differ. Each name is looked at once."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
