"""`eremite subspaces` and `eremite report`: where outliers gather, as a panel or JSON."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import eremite
from eremite.cli.purse import Purse
from eremite.cli.subspaces_panel import subspaces_panel
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told
from eremite.cli.typed_names import typed_names
from eremite.errors import InputError


def typed_sets(
    size: int | None, max_size: int | None, subspaces: list[str] | None
) -> tuple[int | None, int | None, list[list[str]] | None]:
    """Which sets of columns to search, in the one way that was given."""
    if (size is not None) + (max_size is not None) + bool(subspaces) != 1:
        raise InputError("Give one of --size, --max-size and --subspace: which sets of columns to search.")
    return size, max_size, [typed_names(text, "--subspace") for text in subspaces or ()] or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What to look for and where, as typed; the sets of columns in one of three ways."""

    min_neighbors: int
    radius: float
    top: int
    size: int | None
    max_size: int | None
    subspaces: list[str] | None
    epsilon: str
    delta: str
    progress: bool

    def arguments(self) -> dict[str, Any]:
        """What a session takes."""
        sets = typed_sets(self.size, self.max_size, self.subspaces)
        family = dict(zip(("size", "max_size", "subspaces"), sets, strict=True))
        definition = eremite.OutlierDefinition(min_neighbors=self.min_neighbors, radius=self.radius)
        return family | {"definition": definition, "h": self.top, "epsilon": self.epsilon, "delta": self.delta}


def run(path: Path, search: Search, purse: Purse, as_json: bool, **how: str) -> Told:
    """Ask for subspaces if told how to draw them, for a report otherwise, and give the release."""
    request = search.arguments() | how | {"request_id": purse.request_id}
    with working("Searching") as say:
        if search.progress:
            request["progress"] = lambda number: say(f"Searching: {number:,} sets of columns counted")
        session = purse.open(path)
        release = (session.top_subspaces if how else session.outlier_report)(**request)
    return Told(release.to_json() if as_json else framed(subspaces_panel(release, session)), release.plot)
