"""Titles of pictures. Names in them are cut, so that a title stays short whatever a name holds."""

from collections.abc import Sequence

from eremite.names import list_names, show_name

#: Characters of a name that fit into a picture.
LONGEST_NAME = 28


def list_columns(names: Sequence[str]) -> str:
    """The columns as a list that fits into the title of a picture."""
    return list_names(names, most=6, show=lambda name: show_name(name, LONGEST_NAME))


def outlier(
    min_neighbors: int,
    radius: float | None,
    one: str = "row",
    others: str = "other row",
    within: Sequence[str] = (),
) -> str:
    """The definition of an outlier in words: `one` is an outlier if few `others` are near, and agree with it."""
    near = "the radius" if radius is None else f"{radius:g}"
    alike = f" that agree with it on {list_columns(within)}" if within else ""
    number = f"{min_neighbors:,} {others}{'s' * (min_neighbors != 1)}"
    return f"outlier: a {one} with fewer than {number}{alike} within {near}"
