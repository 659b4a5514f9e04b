"""The 95 % half-width of the default count against that of the first release, table by table.

Both are the noise's alone, without rounding and clamping. The default is what `mechanism="auto"` takes.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.former import former_bound, former_decay, former_half_width
from benchmarks.noise import released
from benchmarks.tables import Named, clusters, outlying, real_tables
from eremite.mechanisms import Mechanism
from eremite.queries import CountQuery
from eremite.table import Table

#: For each epsilon, the most that the geometric mean of the ratios may be.
MOST_RATIO = {Fraction(1, 5): 0.93, Fraction(1, 2): 0.92, Fraction(1): 0.85, Fraction(2): 0.78}
#: At epsilon 1, the widest that the default may be.
MOST_AT_ONE = {"mammography": 30.5, "shuttle": 67.0}
REAL = ("mammography", "shuttle", "http")


def generated(n: int, dims: Sequence[int]) -> list[Named]:
    """Clusters with 1.5 % outliers."""
    return [Named(f"N = {n:,}, d = {d}", outlying(clusters(n, d), 0.015)) for d in dims]


def all_tables(out: Console) -> list[Named]:
    """The six tables of the full run."""
    return real_tables(out, *REAL) + generated(10_000, (2, 8, 16))


def default(table: Table, measured: Named, epsilon: Fraction) -> Mechanism:
    """The mechanism that answers a count of these rows unless another one is asked for."""
    return CountQuery(definition=measured.definition, epsilon=epsilon).plan(table).noise


def half_width(measured: Named, mechanism: Mechanism) -> float:
    """For 95 % of the noise that this mechanism adds to the count."""
    return mechanism.half_width() * float(released(measured.case, measured.definition, mechanism.decay))


def run(out: Console, tables: Sequence[Named]) -> bool:
    """Half-widths and ratios by epsilon, their geometric means, and the bars."""
    title = "95 % half-width of the default count, first release -> now = ratio"
    grid = Grid("table", *(f"epsilon {float(epsilon):g}" for epsilon in MOST_RATIO), "bar", "", title=title)
    ratios, cleared = [], True
    for measured in tables:
        found = _widths(measured)
        ratios.append([now / before for before, now in found])
        cleared &= _row(grid, measured.name, found)
    means = np.exp(np.log(ratios).mean(axis=0)).tolist()
    met = [mean <= most for mean, most in zip(means, MOST_RATIO.values(), strict=True)]
    cells = zip(means, MOST_RATIO.values(), met, strict=True)
    grid.add_row("geometric mean", *(f"{mean:.3f} (bar {most:g}) {_verdict(clear)}" for mean, most, clear in cells))
    out.print(grid)
    return cleared and all(met)


def _row(grid: Grid, name: str, found: Sequence[tuple[float, float]]) -> bool:
    shown = [f"{before:.1f} -> {now:.1f} = {now / before:.3f}" for before, now in found]
    if name not in MOST_AT_ONE:
        grid.add_row(name, *shown)
        return True
    bar = MOST_AT_ONE[name]
    met = dict(zip(MOST_RATIO, found, strict=True))[Fraction(1)][1] <= bar
    grid.add_row(name, *shown, f"{bar:g} at 1", _verdict(met))
    return met


def _widths(measured: Named) -> list[tuple[float, float]]:
    """Before and now, for each epsilon."""
    table, case = measured.opened(), measured.case
    found = []
    for epsilon in MOST_RATIO:
        before = former_bound(case.points, measured.definition, former_decay(epsilon))
        now = half_width(measured, default(table, measured, epsilon))
        found.append((former_half_width(epsilon, before), now))
    return found


def _verdict(met: bool) -> str:
    return "met" if met else "missed"


if __name__ == "__main__":
    run(Console(width=220), all_tables(Console()))
