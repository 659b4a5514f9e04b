"""Among all 63 sets of Adult's numeric columns: the share of right ones, against the paper's mechanism.

`python -m benchmarks.adult_search` takes a few minutes, most of them for the profiles.
"""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.tables import DATA
from eremite_paper.files import read_files
from eremite_paper.scenario_2 import CORRECTED, OUR_OWN
from eremite_paper.setting import Setting
from eremite_paper.tables import Row, chosen, number, values
from eremite_paper.whole_adult import subspace_parts

_ERRORS = 3  # standard errors of a difference that count as sampling


def adult_search(out: Console, runs: int) -> bool:
    """Ours must find as large a share as Algorithm 3 with the factor 2, for every h and epsilon, up to sampling."""
    parts = subspace_parts(Setting(files=read_files(DATA.parent), runs=runs)) if DATA.parent.is_dir() else []
    rows = [row for part in parts for row in part()]
    if not rows:
        out.print("The file of Adult is not there; its search is left out.")
    return shown(out, rows)


def shown(out: Console, rows: Sequence[Row]) -> bool:
    """One line for each h and mechanism."""
    epsilons = values(rows, "epsilon")
    grid = Grid("h", "mechanism", *map(str, epsilons), "", title="Share of right sets among Adult's 63, by epsilon")
    cleared = True
    for h in values(rows, "h"):
        papers, ours = (
            np.array([number(row, "right") for row in chosen(rows, h=h, mechanism=name)])
            for name in (CORRECTED, OUR_OWN)
        )
        errors = [np.sqrt(share * (1 - share) / number(rows[0], "runs")) for share in (papers, ours)]
        met = bool((ours - papers >= -_ERRORS * np.hypot(*errors)).all())
        grid.add_row(str(h), "paper, factor 2", *(f"{share:.3f}" for share in papers), "")
        grid.add_row("", "ours", *(f"{share:.3f}" for share in ours), "met" if met else "missed")
        cleared &= met
    out.print(grid)
    return cleared


if __name__ == "__main__":
    adult_search(Console(width=120), runs=20_000)
