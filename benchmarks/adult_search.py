"""Among all 63 sets of Adult's numeric columns: the share of right ones, against the paper's mechanism.

`python -m benchmarks.adult_search` takes a few minutes, most of them for the profiles.
"""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.tables import DATA
from eremite.forecast.draws import Floats
from eremite_paper.files import read_files
from eremite_paper.scenario_2 import CORRECTED, OUR_OWN
from eremite_paper.setting import Setting
from eremite_paper.tables import Row, chosen, number, values
from eremite_paper.whole_adult import subspace_parts

_ERRORS = 3  # standard errors of a difference that count as sampling


def adult_search(out: Console, runs: int) -> bool:
    """Ours must find as large a share as Algorithm 3 with the factor 2, for every h and epsilon, up to sampling."""
    setting = Setting(files=read_files(DATA.parent), runs=runs, tables=1) if DATA.parent.is_dir() else Setting()
    rows = [row for part in subspace_parts(setting) for row in part()]
    if not rows:
        out.print("The file of Adult is not there; its search is left out.")
        return True
    return shown(out, rows)


def shown(out: Console, rows: Sequence[Row]) -> bool:
    """One line for each h and mechanism, and which epsilons are below the bar."""
    epsilons, runs = values(rows, "epsilon"), number(rows[0], "runs")
    grid = Grid("h", "mechanism", *map(str, epsilons), "", title="Share of right sets among Adult's 63, by epsilon")
    cleared = True
    for h in values(rows, "h"):
        papers, ours = (
            np.array([number(row, "right") for row in chosen(rows, h=h, mechanism=name)])
            for name in (CORRECTED, OUR_OWN)
        )
        below = papers - ours > sampling(papers, ours, runs)
        at = ", ".join(str(epsilon) for epsilon, one in zip(epsilons, below, strict=True) if one)
        grid.add_row(str(h), "paper, factor 2", *(f"{share:.4f}" for share in papers), "")
        grid.add_row("", "ours", *(f"{share:.4f}" for share in ours), f"missed at {at}" if at else "met")
        cleared &= not at
    out.print(grid)
    out.print(
        f"The bar: no share of ours is below the paper's, up to {_ERRORS} standard errors of the difference of "
        f"{runs:,.0f} runs each."
    )
    return cleared


def sampling(some: Floats, others: Floats, runs: float) -> Floats:
    """By how much shares of so many runs may differ and still count as equal. The h draws of a run count as one."""
    return np.asarray(_ERRORS * np.sqrt((some * (1 - some) + others * (1 - others)) / runs))


if __name__ == "__main__":
    adult_search(Console(width=140), runs=20_000)
