"""A release for a person to read: what it says, what it spent, what it protects.

Beside the value all of it is public. How accurate the value is depends on the rows, and is not said.
"""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite import Release, Session
from eremite.privacy import Privacy, shown, times_as_likely


def release_panel(
    title: str, release: Release, session: Session, *, answer: RenderableType, facts: dict[str, str], drawing: str
) -> Panel:
    """The answer, what it means, and what it cost. `drawing` says how it was drawn."""
    cost = {
        "spent": f"{_spent(release)}; {drawing}",
        "left": _left(session.remaining),
        "protects": _protects(release, session.rows_per_person),
    }
    content = Group(answer, Text(), aligned((facts | cost).items()))
    return Panel(content, title=title, title_align="left", padding=(1, 2))


def strong(text: str) -> Text:
    """Letters that stand out."""
    return Text(text, style="bold")


def aligned(rows: Iterable[tuple[str, ...]]) -> Grid:
    """Texts in columns, the last one wrapped. They are not read as markup, whatever a name holds."""
    grid = Grid.grid(padding=(0, 2, 0, 0))
    for row in rows:
        grid.add_row(*map(Text, row))
    return grid


def definition_in_words(release: Release, one: str = "row", others: str = "other row") -> str:
    """When `one` is an outlier, by how many `others` are near."""
    least, radius = release.definition.min_neighbors, release.definition.radius
    return (
        f"a {one} with fewer than {least:,} {others}{'s' * (least != 1)} within distance {radius!r}; "
        "distances run from 0 to 1, as the public bounds scale every column"
    )


def _spent(release: Release) -> str:
    purity = "" if release.delta else ", pure"
    return f"{Privacy(release.epsilon, release.delta)}{purity}"


def _left(remaining: Privacy) -> str:
    return f"{remaining} for all later questions; eremite budget tells more"


def _protects(release: Release, rows_per_person: int) -> str:
    one = "every row: with any one row replaced"
    many = f"every person: with all rows of any one person replaced, {rows_per_person:,} at most"
    plus = f", plus {shown(release.delta)}" if release.delta else ""
    whom = one if rows_per_person == 1 else many
    return f"{whom}, any outcome would be at most {times_as_likely(release.epsilon)} times as likely{plus}"
