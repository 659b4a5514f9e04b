"""`eremite subspaces` and `eremite report`: where outliers gather, as a panel or JSON."""

from dataclasses import dataclass
from typing import Any

from eremite.cli.asked import Question, Sets
from eremite.cli.purse import Purse
from eremite.cli.subspaces_panel import subspaces_panel
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What to look for and where, as typed."""

    question: Question
    sets: Sets
    top: int
    epsilon: str
    delta: str
    progress: bool

    def arguments(self) -> dict[str, Any]:
        """What a session takes."""
        family = dict(zip(("size", "max_size", "subspaces"), self.sets.typed(), strict=True))
        definition = self.question.definition()
        return family | {"definition": definition, "h": self.top, "epsilon": self.epsilon, "delta": self.delta}


def run(search: Search, purse: Purse, as_json: bool, **how: str) -> Told:
    """Ask for subspaces if told how to draw them, for a report otherwise, and give the release."""
    request = search.arguments() | how | {"request_id": purse.request_id}
    with working("Searching") as say:
        if search.progress:
            request["progress"] = lambda number: say(f"Searching: {number:,} sets of columns counted")
        session = purse.open(search.question.description)
        release = (session.top_subspaces if how else session.outlier_report)(**request)
    return Told(release.to_json() if as_json else framed(subspaces_panel(release, session)), release.plot)
