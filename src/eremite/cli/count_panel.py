"""A count for a person to read: what it says, what it spent, what it protects.

Beside the value all of it is public. How accurate the value is depends on the rows, and is not said.
"""

from math import ceil, exp

from rich.console import Group
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite import Release, Session
from eremite.cli.names import enumerated
from eremite.privacy import Privacy, shown


def count_panel(release: Release, session: Session) -> Panel:
    """The release in words. Texts are not read as markup, whatever a name holds."""
    facts = Grid.grid(padding=(0, 2, 0, 0))
    facts.add_row(Text("outlier"), Text(_definition(release)))
    facts.add_row(Text("spent"), Text(_spent(release)))
    facts.add_row(Text("left"), Text(_left(session.remaining)))
    facts.add_row(Text("protects"), Text(_protects(release, session.rows_per_person)))
    answer = Text(_answer(release, session.n_rows), style="bold")
    return Panel(Group(answer, Text(), facts), title="count", title_align="left", padding=(1, 2))


def _answer(release: Release, n_rows: int) -> str:
    return f"about {release.value:,} of {n_rows:,} rows are outliers in {enumerated(release.columns)}"


def _definition(release: Release) -> str:
    least, radius = release.definition.min_neighbors, release.definition.radius
    rows = "row" if least == 1 else "rows"
    return (
        f"a row with fewer than {least:,} other {rows} within distance {radius!r}; "
        "distances run from 0 to 1, as the public bounds scale every column"
    )


def _spent(release: Release) -> str:
    purity = "" if release.delta else ", pure"
    return f"{Privacy(release.epsilon, release.delta)}{purity}; noise: {release.mechanism}"


def _left(remaining: Privacy) -> str:
    return f"{remaining} of the budget set in the description, for this run; runs are not added up yet"


def _protects(release: Release, rows_per_person: int) -> str:
    one = "every row: with any one row replaced"
    many = f"every person: with all rows of any one person replaced, {rows_per_person:,} at most"
    plus = f", plus {shown(release.delta)}" if release.delta else ""
    whom = one if rows_per_person == 1 else many
    return f"{whom}, any outcome would be at most {_times(release)} times as likely{plus}"


def _times(release: Release) -> str:
    """e^epsilon, rounded up."""
    return f"{ceil(exp(float(release.epsilon)) * (1 + 1e-12) * 100) / 100:,.2f}"
