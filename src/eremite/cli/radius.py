"""`eremite choose-radius`: for a share of outliers, from the table privately or from a stand-in for free."""

import json
from dataclasses import dataclass
from pathlib import Path

from rich.panel import Panel

from eremite import OutlierDefinition, Release, Session
from eremite.cli.asked import MadeUp, typed_columns
from eremite.cli.forecast import stand_in_of
from eremite.cli.purse import Purse
from eremite.cli.release_panel import release_panel, strong
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told
from eremite.errors import InputError
from eremite.forecast import StandIn, radius_on
from eremite.names import list_names
from eremite.privacy import exact, shown
from eremite.table import read_description


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which share of the rows of which table shall be outliers, and among which radii to choose, as typed."""

    description: Path
    min_neighbors: int
    share: str
    columns: str | None
    radii: str | None

    def listed(self) -> list[float] | None:
        """The radii, if any were given: numbers with commas between them."""
        return None if self.radii is None else [float(exact(part, "each of --radii")) for part in self.radii.split(",")]


def privately(wanted: Wanted, epsilon: str, purse: Purse, as_json: bool) -> Told:
    """Draw a radius, and give the release."""
    names, radii, share = typed_columns(wanted.columns), wanted.listed(), wanted.share
    with working("Counting"):
        session = purse.open(wanted.description)
        release = session.choose_radius(
            wanted.min_neighbors, share=share, columns=names, radii=radii, epsilon=epsilon, request_id=purse.request_id
        )
    return Told(release.to_json() if as_json else framed(_panel(release, session)), release.plot)


def freely(wanted: Wanted, made_up: MadeUp, as_json: bool) -> str:
    """The radius for public or made-up rows."""
    names, radii = typed_columns(wanted.columns), wanted.listed()
    with working("Counting"):
        stand_in = stand_in_of(read_description(wanted.description), made_up)
        definition, outliers = radius_on(stand_in, wanted.min_neighbors, wanted.share, names, radii)
    return _facts(stand_in, definition, outliers) if as_json else _words(stand_in, definition, outliers)


def _panel(release: Release, session: Session) -> Panel:
    told = dict(release.parameters)
    share = shown(exact(told["share"], "share"))
    k = release.definition.min_neighbors
    answer = (
        f"radius {release.value}, drawn as the one with a share of {share} outliers in {list_names(release.columns)}"
    )
    facts = {"outlier": f"a row with fewer than {k:,} other row{'s' * (k != 1)} within the radius"}
    return release_panel("radius", release, session, answer=strong(answer), facts=facts, drawing=release.mechanism)


def _facts(stand_in: StandIn, definition: OutlierDefinition, outliers: int) -> str:
    known = {"radius": definition.radius, "min_neighbors": definition.min_neighbors}
    return json.dumps(known | {"stand_in": stand_in.words, "rows": stand_in.table.n_rows, "outliers": outliers})


def _words(stand_in: StandIn, definition: OutlierDefinition, outliers: int) -> str:
    return (
        f"radius {definition.radius!r}: {outliers:,} outliers on {stand_in.words}. "
        "A private table that is not like these rows has another number of them. Nothing was spent."
    )


def require_one_way(epsilon: str | None, from_stand_in: bool, plot: Path | None) -> None:
    """Either the table is asked, for epsilon, or the stand-in, whose answer has no picture."""
    if (epsilon is None) != from_stand_in:
        raise InputError("Give --epsilon to ask the table privately, or --from-stand-in to ask public rows for free.")
    if from_stand_in and plot is not None:
        raise InputError("--plot draws a release, and --from-stand-in makes none; leave one of them out.")
