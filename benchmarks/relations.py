"""`python -m benchmarks.relations`: the 95 % half-width of a count at epsilon 1, under both relations.

Both are the noise's alone, without rounding and clamping. Where rows come and go, `rows_about` is the number of rows.
"""

from collections.abc import Sequence
from fractions import Fraction

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.tables import Named
from benchmarks.widths import all_tables
from eremite.mechanisms import SmoothLaplace
from eremite.privacy import Neighbors
from eremite.sensitivity import count_with_bound
from eremite.sensitivity.relation import Relation

EPSILON = Fraction(1)
#: Where rows are added and removed, the widest that the half-width may be.
MOST = {"mammography": 27.0, "shuttle": 46.0}


def half_width(measured: Named, neighbors: Neighbors) -> float:
    """For 95 % of the noise that the default adds to the count."""
    noise, points = SmoothLaplace(EPSILON), measured.case.points
    _, bound = count_with_bound(points, measured.definition, noise.decay, Relation(neighbors, len(points)))
    return noise.half_width() * float(bound)


def run(out: Console, tables: Sequence[Named]) -> bool:
    """Half-widths under both relations, their ratio, and the bars."""
    title = "95 % half-width of a count at epsilon 1, by relation"
    grid = Grid("table", "replace", "add-remove", "ratio", "bar", "", title=title)
    cleared = True
    for measured in tables:
        replaced, moved = half_width(measured, "replace"), half_width(measured, "add-remove")
        most = MOST.get(measured.name)
        met = most is None or moved <= most
        bar = () if most is None else (f"{most:g}", "met" if met else "missed")
        grid.add_row(measured.name, f"{replaced:.1f}", f"{moved:.1f}", f"{moved / replaced:.2f}", *bar)
        cleared &= met
    out.print(grid)
    return cleared


if __name__ == "__main__":
    run(Console(width=120), all_tables(Console()))
