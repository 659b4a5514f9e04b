"""`eremite subspaces`: where outliers gather, as a panel or JSON."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import eremite
from eremite.cli.subspaces_panel import subspaces_panel
from eremite.cli.terminal import framed, working
from eremite.cli.typed_names import typed_names
from eremite.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Which sets of columns to search, as typed: one of three ways."""

    size: int | None
    max_size: int | None
    subspaces: list[str] | None

    def arguments(self) -> dict[str, Any]:
        """What a session takes."""
        if (self.size is not None) + (self.max_size is not None) + bool(self.subspaces) != 1:
            raise InputError("Give one of --size, --max-size and --subspace: which sets of columns to search.")
        sets = [typed_names(text, "--subspace") for text in self.subspaces or ()]
        return {"size": self.size, "max_size": self.max_size, "subspaces": sets or None}


def run(
    path: Path,
    family: Family,
    *,
    min_neighbors: int,
    radius: float,
    top: int,
    epsilon: str,
    delta: str,
    utility: str | None,
    selection: str | None,
    counts: bool,
    as_json: bool,
) -> str:
    """Ask for subspaces, or with `counts` for a report, and give the release."""
    if counts and not (utility is selection is None):
        raise InputError("--counts takes neither --utility nor --selection, a report fixes both; leave them out.")
    definition = eremite.OutlierDefinition(min_neighbors=min_neighbors, radius=radius)
    request: dict[str, Any] = family.arguments() | {"h": top, "epsilon": epsilon, "delta": delta}
    chosen = {"utility": utility, "selection": selection}
    request |= {name: choice for name, choice in chosen.items() if choice is not None}
    with working("Searching"):
        session = eremite.open(path)
        ask = session.outlier_report if counts else session.top_subspaces
        release = ask(definition, **request)
    return release.to_json() if as_json else framed(subspaces_panel(release, session))
