"""`eremite count`: a private count, as a panel or JSON."""

from pathlib import Path

import eremite
from eremite.cli.count_panel import count_panel
from eremite.cli.purse import Purse
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told
from eremite.cli.typed_names import typed_names


def run(
    path: Path,
    *,
    min_neighbors: int,
    radius: float,
    columns: str | None,
    epsilon: str,
    delta: str,
    mechanism: str,
    purse: Purse,
    as_json: bool,
) -> Told:
    """Ask for a count and give its release. Epsilon and delta are texts, so that 0.2 is 1/5 and not a float near it.

    Of the rows, only the value of the release is printed.
    """
    definition = eremite.OutlierDefinition(min_neighbors=min_neighbors, radius=radius)
    names = None if columns is None else typed_names(columns, "--columns")
    with working("Counting"):
        session = purse.open(path)
        release = session.count_outliers(
            definition, names, epsilon=epsilon, delta=delta, mechanism=mechanism, request_id=purse.request_id
        )
    return Told(release.to_json() if as_json else framed(count_panel(release, session)), release.plot)
