"""Subspaces for a person to read, with their counts if there are any."""

from collections.abc import Iterable
from typing import Any

from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from eremite import Release, Session
from eremite.cli.release_panel import aligned, definition_in_words, release_panel, strong
from eremite.names import list_names


def subspaces_panel(release: Release, session: Session) -> Panel:
    """The subspaces in the order drawn."""
    value: Any = release.value
    counted = release.query == "outlier_report"
    lines = _counted(value) if counted else _plain(value)
    return release_panel(
        "subspaces",
        release,
        session,
        answer=Group(strong(_answer(len(value), counted, session.n_rows)), Text(), aligned(lines)),
        facts={"searched": str(dict(release.parameters)["family"]), "outlier": definition_in_words(release)},
        drawing=f"draws: {release.mechanism}",
    )


def _answer(drawn: int, counted: bool, n_rows: int) -> str:
    """Said of the draw, not of the table: the sets with the most outliers are likely, not certain, to be drawn."""
    which = "the set of columns" if drawn == 1 else f"the {drawn:,} sets of columns"
    order = "" if drawn == 1 else ", in the order drawn"
    each = "" if drawn == 1 else "each "
    how_many = f", {each}with its noisy count among {n_rows:,} rows" if counted else ""
    return f"drawn as {which} with the most outliers{order}{how_many}"


def _plain(value: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [(f"{place}.", list_names(subspace)) for place, subspace in enumerate(value, 1)]


def _counted(value: Iterable[tuple[tuple[str, ...], int]]) -> list[tuple[str, ...]]:
    return [(f"{place}.", f"about {count:,}", list_names(subspace)) for place, (subspace, count) in enumerate(value, 1)]
