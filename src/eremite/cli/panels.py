"""Panels of releases: what one says, what it spent, what it protects. The words are those of `release.summary`."""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite import Release, Session
from eremite.cli.candidates import PublicPoints
from eremite.release.summary import summary


def release_panel(release: Release, session: Session, points: PublicPoints | None = None) -> Panel:
    """The answer, what it means, and what it cost; with public points, their values beside their numbers."""
    said = summary(release, rows=session.facts.rows_in_words, point=None if points is None else points.in_words)
    cost = {
        "spent": said.spent,
        "left": f"{session.remaining} for all later questions; see eremite budget",
        "protects": said.protects,
    }
    lines: list[RenderableType] = [Text(), _aligned(said.lines)] if said.lines else []
    warning: list[RenderableType] = [Text(), Text(said.warning, style="bold red")] if said.warning else []
    content = Group(Text(said.answer, style="bold"), *warning, *lines, Text(), _aligned((said.meaning | cost).items()))
    return Panel(content, title=said.kind, title_align="left", padding=(1, 2))


def _aligned(rows: Iterable[tuple[str, ...]]) -> Grid:
    """Texts in columns, the last one wrapped. rich does not read them as markup, whatever a name holds."""
    grid = Grid.grid(padding=(0, 2, 0, 0))
    for row in rows:
        grid.add_row(*map(Text, row))
    return grid
