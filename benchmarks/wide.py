"""The private count where it is hardest to make fast: real tables, tables of many columns, and a sparse one.

Rows that lie beside a curved sheet, or in a real table, have many neighbors here and few there, unlike Gaussian
clusters: many of them are neither outliers nor deep inside, and those are what a private count looks at more closely.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.clock import cpu_seconds, one_core
from benchmarks.peers import Timing, outlier_timings
from benchmarks.tables import Case, K, Named, case, real_tables, sheet
from eremite import Session
from eremite.outliers import count_outliers

MOST_OF_EXACT = 4.0
LEAST_RATIO = 5.0
MOST_SECONDS_SPARSE = 2.0
SHEETS = ((300_000, 10), (100_000, 16))
_RUNS = 5
_PEERS = ("cKDTree k=5", "pykdtree k=5", "PyOD KNN", "cKDTree ball", "dbscan")


def generated(sizes: Sequence[tuple[int, int]] = SHEETS) -> list[Named]:
    """Sheets of so many rows and columns, 1 % of the rows outliers."""
    return [Named("sheet", case(sheet(n, d), "A")) for n, d in sizes]


def all_tables(out: Console) -> list[Named]:
    """The tables of the full run."""
    return real_tables(out, "shuttle", "http") + generated()


def sparse(n: int = 8_000) -> Named:
    """Uniform rows in four columns, a third of them outliers: most rows are near few others."""
    return Named("uniform", Case(np.random.default_rng(0).random((n, 4)), 0.058, "sparse"))


def exact_count(measured: Named) -> Callable[[], object]:
    """Our exact count, which is not private."""
    return partial(count_outliers, measured.case.points, measured.definition)


def private_count(measured: Named, epsilon: float = 1) -> Callable[[], object]:
    """The whole private call, its table made before."""
    return partial(Session(measured.opened(), epsilon=1000).count_outliers, measured.definition, epsilon=epsilon)


def run(out: Console, tables: Sequence[Named], sample_seconds: float = 5) -> bool:
    """Private call, exact count and every peer on each table: CPU seconds on one core."""
    title = f"Private count of real and wide tables, k = {K}, epsilon = 1: CPU seconds, one core"
    bars = f"of exact (bar {MOST_OF_EXACT:g}x)", f"best exact peer (bar {LEAST_RATIO:g}x)"
    grid = Grid("table", "N", "d", "outliers", "exact count", "private count", *bars, *_PEERS, "", title=title)
    cleared = True
    for measured in tables:
        with one_core():
            exact, private = _medians([exact_count(measured), private_count(measured)])
            peers = outlier_timings(measured.case, sample_seconds)
        cleared &= _row(grid, measured, exact, private, peers)
    out.print(grid)
    return cleared


def _row(grid: Grid, measured: Named, exact: float, private: float, peers: Sequence[Timing]) -> bool:
    n, d = measured.case.points.shape
    best = next((peer for peer in peers if peer.wrong == 0), None)
    ratio = best.seconds / private if best else np.inf
    met = private <= MOST_OF_EXACT * exact and ratio >= LEAST_RATIO
    shown = {peer.peer: _shown(peer) for peer in peers}
    outliers = count_outliers(measured.case.points, measured.definition)
    grid.add_row(
        measured.name, f"{n:,}", str(d), f"{outliers / n:.1%}", f"{exact:.3f}", f"{private:.3f}",
        f"{private / exact:.1f}x", f"{best.peer} {ratio:.1f}x" if best else "none",
        *(shown.get(name, "") for name in _PEERS), "met" if met else "missed",
    )  # fmt: skip
    return met


def sparse_table(out: Console, n: int = 8_000) -> bool:
    """The private call on a sparse table, where windows hold most of the rows: CPU seconds on one core."""
    measured = sparse(n)
    title = f"Private count of {n:,} uniform rows, d = 4, k = {K}, r = {measured.case.radius:g}: CPU seconds, one core"
    grid = Grid("epsilon", "exact count", "private count", "bar", "", title=title)
    works = [exact_count(measured), private_count(measured, 0.2), private_count(measured, 1)]
    with one_core():
        exact, at_fifth, at_one = _medians(works, runs=3)
    met = at_fifth < MOST_SECONDS_SPARSE
    grid.add_row("0.2", f"{exact:.3f}", f"{at_fifth:.2f}", f"{MOST_SECONDS_SPARSE:g}", "met" if met else "missed")
    grid.add_row("1", f"{exact:.3f}", f"{at_one:.2f}", "", "")
    out.print(grid)
    return met


def _medians(works: Sequence[Callable[[], object]], runs: int = _RUNS) -> list[float]:
    """The median of several runs of each, by turns, after one that compiles: whatever slows the machine slows all."""
    for work in works:
        work()
    taken = np.array([[cpu_seconds(work) for work in works] for _ in range(runs)])
    return [float(median) for median in np.median(taken, axis=0)]


def _shown(peer: Timing) -> str:
    wrong = f" ({peer.wrong:,} wrong)" if peer.wrong else ""
    return f"{'~' if peer.sampled else ''}{peer.seconds:.2f}{wrong}"


if __name__ == "__main__":
    run(Console(width=220), all_tables(Console()))
    sparse_table(Console(width=220))
