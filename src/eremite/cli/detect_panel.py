"""Chosen candidates for a person to read, numbered from 1."""

from collections.abc import Iterator
from typing import Any

from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from eremite import Release, Session
from eremite.cli.release_panel import aligned, definition_in_words, release_panel, strong
from eremite.names import list_names, show_name
from eremite.table.bounds import FloatArray


def detect_panel(release: Release, session: Session, points: FloatArray | None) -> Panel:
    """The candidates in the order drawn: points with their values, or rows of the table by number alone."""
    kind, others = ("row", "other row") if points is None else ("point", "row")
    return release_panel(
        "detect",
        release,
        session,
        answer=Group(strong(_answer(release, kind)), Text(), aligned(_lines(release, points))),
        facts={
            "candidates": str(dict(release.parameters)["candidates"]),
            "outlier": definition_in_words(release, kind, others),
        },
        drawing=f"draws: {release.mechanism}",
    )


def _answer(release: Release, kind: str) -> str:
    """Said of the draw, not of the table: whether one is an outlier, and how many rows are near, is not told."""
    value: Any = release.value
    where = list_names(release.columns)
    if len(value) == 1:
        return f"drawn as the {kind} with the fewest rows near it in {where}"
    return f"drawn as the {len(value):,} {kind}s with the fewest rows near them in {where}, in the order drawn"


def _lines(release: Release, points: FloatArray | None) -> Iterator[tuple[str, ...]]:
    value: Any = release.value
    for i, place in enumerate(value, 1):
        values = () if points is None else (_values(release, points[place]),)
        yield f"{i}.", f"row {place + 1:,}", *values


def _values(release: Release, point: FloatArray) -> str:
    numbers = [repr(float(x)).removesuffix(".0") for x in point]
    pairs = [f"{show_name(name)} = {x}" for name, x in zip(release.columns, numbers, strict=True)]
    return list_names(pairs, show=str)
