"""The private count where it is hardest to make fast: real tables, tables of many columns, and a sparse one.

Rows that lie beside a curved sheet, or in a real table, have many neighbors here and few there, unlike Gaussian
clusters: many of them are neither outliers nor deep inside, and those are what a private count looks at more closely.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.clock import cpu_seconds, one_core
from benchmarks.peers import Timing, outlier_timings
from benchmarks.tables import Case, K, case, real, sheet
from eremite import OutlierDefinition, Session, Table
from eremite.outliers import count_outliers

MOST_OF_EXACT = 4.0
LEAST_RATIO = 5.0
MOST_SECONDS_SPARSE = 2.0
RADII = {"shuttle": 0.0022, "http": 0.0006}  # 1 to 2 % of the rows are outliers
SHEETS = ((300_000, 10), (100_000, 16))
_RUNS = 5
_PEERS = ("cKDTree k=5", "pykdtree k=5", "PyOD KNN", "cKDTree ball", "dbscan")


@dataclass(frozen=True, slots=True)
class Named:
    """A table with its radius, and what the rows of the output call it."""

    name: str
    case: Case

    @property
    def definition(self) -> OutlierDefinition:
        return OutlierDefinition(min_neighbors=K, radius=self.case.radius)

    def exact(self) -> Callable[[], object]:
        """Our exact count, which is not private."""
        return partial(count_outliers, self.case.points, self.definition)

    def private(self, epsilon: float = 1) -> Callable[[], object]:
        """The whole private call, its table made before."""
        names = [f"c{i}" for i in range(self.case.points.shape[1])]
        table = Table.from_frame(self.case.points, bounds=dict.fromkeys(names, (0, 1)))
        assert np.array_equal(table.points(), self.case.points)
        return partial(Session(table, epsilon=1000).count_outliers, self.definition, epsilon=epsilon)


def generated(sizes: Sequence[tuple[int, int]] = SHEETS) -> list[Named]:
    """Sheets of so many rows and columns, 1 % of the rows outliers."""
    return [Named("sheet", case(sheet(n, d), "A")) for n, d in sizes]


def real_tables(out: Console) -> list[Named]:
    """Shuttle and http, where their files are there."""
    found = {name: real(name, radius) for name, radius in RADII.items()}
    for name in (name for name, read in found.items() if read is None):
        out.print(f"The file of {name} is not there; its row is left out.")
    return [Named(name, read) for name, read in found.items() if read is not None]


def all_tables(out: Console) -> list[Named]:
    """The tables of the full run."""
    return real_tables(out) + generated()


def sparse(n: int = 8_000) -> Named:
    """Uniform rows in four columns, a third of them outliers: most rows are near few others."""
    return Named("uniform", Case(np.random.default_rng(0).random((n, 4)), 0.058, "sparse"))


def run(out: Console, tables: Sequence[Named], sample_seconds: float = 10) -> bool:
    """Private call, exact count and every peer on each table: CPU seconds on one core."""
    title = f"Private count of real and wide tables, k = {K}, epsilon = 1: CPU seconds, one core"
    bars = f"of exact (bar {MOST_OF_EXACT:g}x)", f"best exact peer (bar {LEAST_RATIO:g}x)"
    grid = Grid("table", "N", "d", "outliers", "exact count", "private count", *bars, *_PEERS, "", title=title)
    cleared = True
    for measured in tables:
        with one_core():
            exact, private = _medians([measured.exact(), measured.private()])
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
    with one_core():
        exact, at_fifth, at_one = _medians([measured.exact(), measured.private(0.2), measured.private(1)], runs=3)
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
