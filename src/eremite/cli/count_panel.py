"""A count for a person to read."""

from rich.panel import Panel

from eremite import Release, Session
from eremite.cli.release_panel import definition_in_words, release_panel, strong
from eremite.names import list_names

# How far off this very count is depends on the rows, and nobody is told.
ERROR_IN_WORDS = "eremite forecast, asked the same, tells how far off such counts are, for free"


def count_panel(release: Release, session: Session) -> Panel:
    """The noisy count, in words."""
    answer = f"about {release.value:,} of {session.n_rows:,} rows are outliers in {list_names(release.columns)}"
    return release_panel(
        "count",
        release,
        session,
        answer=strong(answer),
        facts={"outlier": definition_in_words(release), "error": ERROR_IN_WORDS},
        drawing=f"noise: {release.mechanism}",
    )
