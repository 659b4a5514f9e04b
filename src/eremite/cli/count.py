"""`eremite count`: a private count, as a panel or JSON."""

import csv
from pathlib import Path

import eremite
from eremite.cli.count_panel import count_panel
from eremite.cli.terminal import framed, working
from eremite.errors import InputError


def run(
    path: Path,
    *,
    min_neighbors: int,
    radius: float,
    columns: str | None,
    epsilon: str,
    delta: str,
    mechanism: str,
    as_json: bool,
) -> str:
    """Ask for a count and give its release. Epsilon and delta are texts, so that 0.2 is 1/5 and not a float near it.

    Of the rows, only the value of the release is printed.
    """
    definition = eremite.OutlierDefinition(min_neighbors=min_neighbors, radius=radius)
    names = None if columns is None else _names(columns)
    with working("Counting"):
        session = eremite.open(path)
        release = session.count_outliers(definition, names, epsilon=epsilon, delta=delta, mechanism=mechanism)
    return release.to_json() if as_json else framed(count_panel(release, session))


def _names(columns: str) -> list[str]:
    """Names between commas, as a line of CSV has them: one that holds a comma stands in quotes."""
    try:
        return next(csv.reader([columns], strict=True, skipinitialspace=True))
    except csv.Error:
        raise InputError(
            "--columns must be names with commas between them; put a name that holds a comma in double quotes."
        ) from None
