"""Lists of names, and numbers, as they are printed."""

from collections.abc import Sequence

from eremite.names import joined_cut, shown_name

_MOST_NAMES = 12


def enumerated(names: Sequence[str], what: str = "columns") -> str:
    """Names for a sentence: a, b and c; cut when there are very many."""
    return joined_cut([shown_name(name) for name in names], _MOST_NAMES, what)


def plain_number(number: float) -> str:
    """The number in full, without a point where it is whole."""
    return repr(number).removesuffix(".0")
