"""The neighboring relation: which tables a release must not tell apart."""

from typing import Any, Literal, TypeAlias

from eremite.errors import InputError

#: "replace": tables of the same public number of rows that differ in one row. "add-remove": tables of which one has a
#: row more, so that the number of rows is private too.
Neighbors: TypeAlias = Literal["replace", "add-remove"]


def neighbors_problem(neighbors: Any, rows_about: Any) -> str | None:
    """What is wrong with a relation and the declared order of magnitude, as the end of a sentence; None if they fit."""
    if neighbors not in ("replace", "add-remove"):
        return 'neighbors must be "replace" or "add-remove"'
    if neighbors == "replace":
        return (
            None
            if rows_about is None
            else (
                'rows_about is for neighbors = "add-remove" alone, because with "replace" the number of rows is public'
            )
        )
    if rows_about is None:
        return (
            'neighbors = "add-remove" keeps the number of rows private and needs rows_about, a public order of '
            "magnitude such as 20000"
        )
    if type(rows_about) is not int or rows_about < 1:
        return "rows_about must be a whole number, 1 or more"
    return None


def require_neighbors(neighbors: Any, rows_about: Any) -> None:
    """Refuse a relation that is unknown, or that lacks what it needs."""
    problem = neighbors_problem(neighbors, rows_about)
    if problem is not None:
        raise InputError(f"{problem}.")
