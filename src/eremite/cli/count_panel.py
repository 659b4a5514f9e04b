"""A count for a person to read."""

from rich.panel import Panel

from eremite import Release, Session
from eremite.cli.names import enumerated
from eremite.cli.release_panel import definition_in_words, release_panel, strong


def count_panel(release: Release, session: Session) -> Panel:
    """The noisy count, in words."""
    answer = f"about {release.value:,} of {session.n_rows:,} rows are outliers in {enumerated(release.columns)}"
    return release_panel(
        "count",
        release,
        session,
        answer=strong(answer),
        facts={"outlier": definition_in_words(release)},
        drawing=f"noise: {release.mechanism}",
    )
