"""The whole private search over many subspaces, against a non-private loop over cKDTree."""

import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as Grid
from scipy.spatial import cKDTree

from benchmarks.clock import cpu_seconds
from benchmarks.tables import K, clusters
from eremite import OutlierDefinition, Session, Table
from eremite.engines import FindNeighbors
from eremite.mechanisms import SmoothLaplace
from eremite.outliers import Subspaces, count_outliers_in_each, in_each
from eremite.queries.subspaces import CENTER_SHARE
from eremite.sensitivity import Glimpse, glimpse
from eremite.tiles import AnyPart

COLUMNS = 34
_H = 3
_SAMPLE = 4
_PARTS = 200


@dataclass(frozen=True, slots=True)
class Job:
    """A table of clusters and the subspaces of one size; the radius makes about 1 % of the rows outliers in each."""

    points: NDArray[np.float64]
    size: int
    radius: float

    @property
    def names(self) -> list[str]:
        return [f"c{i}" for i in range(self.points.shape[1])]

    @property
    def table(self) -> Table:
        return Table.from_frame(self.points, bounds=dict.fromkeys(self.names, (0, 1)))

    @property
    def definition(self) -> OutlierDefinition:
        return OutlierDefinition(min_neighbors=K, radius=self.radius)

    @property
    def family(self) -> Subspaces:
        return Subspaces.of_size(self.names, self.size)

    def some(self, count: int) -> Subspaces:
        """Subspaces drawn from the family, or all of a small one."""
        every = list(self.family)
        if len(every) <= count:
            return self.family
        chosen = np.random.default_rng(1).choice(len(every), count, replace=False)
        return Subspaces.listed(self.names, [every[i] for i in sorted(chosen)])


def run(out: Console, n_threes: int, n_ones: int, columns: int = COLUMNS) -> None:
    """Wall seconds on all cores, and CPU seconds, which ratios and parts are in. No bar: cKDTree's is less work."""
    title = f"{columns} columns, h = {_H}, epsilon = 1, about 1 % outliers: the whole top_subspaces"
    grid = Grid("subspaces", "N", "seconds", "a second", "CPU", "cKDTree, CPU", "ratio", "memory", title=title)
    parts = Grid("subspaces", "N", "exact counts", "counts, bounds", "the rest", "whole", title="CPU seconds, by part")
    for n, size, radius in ((n_threes, 3, 0.0215), (n_ones, 1, 1.1e-5)):
        job = Job(clusters(n, columns), size, radius)
        _row(grid, job)
        _part(parts, job)
    out.print(grid)
    out.print(parts)
    out.print("~ from a few subspaces. Memory: the peak beyond the table, in units of the table's points.")


def _row(grid: Grid, job: Job) -> None:
    session, count = Session(job.table, epsilon=100), job.family.count
    _search(session, job, list(job.some(_H)))  # compiles
    start, ours = perf_counter(), cpu_seconds(lambda: _search(session, job, None))
    wall, theirs = perf_counter() - start, count * _ckdtree(job)
    public = f"{count:,} of size {job.size}", f"{len(job.points):,}", f"{wall:.1f}", f"{count / wall:.0f}"
    grid.add_row(*public, f"{ours:.1f}", f"~{theirs:,.0f}", f"~{theirs / ours:.0f}x", f"{_memory(session, job):.2f}x")


def _part(grid: Grid, job: Job) -> None:
    """What the search does first for every subspace, done alone; the rest is settling scores that bounds leave open."""
    family, table, session = job.some(_PARTS), job.table, Session(job.table, epsilon=100)
    counts = cpu_seconds(lambda: list(count_outliers_in_each(table, job.definition, family)))
    bounds = cpu_seconds(lambda: _bounds(table, job.definition, family))
    whole = cpu_seconds(lambda: _search(session, job, list(family)))
    seconds = (f"{part:.2f}" for part in (counts, bounds, max(0, whole - bounds), whole))
    grid.add_row(f"{family.count} of size {job.size}", f"{table.n_rows:,}", *seconds)


def _bounds(table: Table, definition: OutlierDefinition, family: Subspaces) -> Fraction:
    """The counts and the largest smooth bound, as the search for a center takes them."""
    decay, largest = SmoothLaplace(CENTER_SHARE).decay, Fraction(0)

    def look(part: AnyPart, find: FindNeighbors) -> tuple[Glimpse, Fraction]:
        return glimpse(part.points, definition, decay, largest, find)

    for _, (_, bound) in in_each(table, family, (), look):
        largest = max(largest, bound)
    return largest


def _search(session: Session, job: Job, subspaces: Sequence[Sequence[str]] | None) -> None:
    size = job.size if subspaces is None else None
    session.top_subspaces(job.definition, h=_H, size=size, subspaces=subspaces, epsilon=1)


def _ckdtree(job: Job) -> float:
    """CPU seconds a subspace; its answers must be ours."""
    counts = dict(count_outliers_in_each(job.table, job.definition, job.some(_SAMPLE)))

    def count_all() -> None:
        for subspace, ours in counts.items():
            chosen = np.ascontiguousarray(job.points[:, [job.names.index(name) for name in subspace]])
            distance = job.radius * np.sqrt(job.size)
            found = cKDTree(chosen).query_ball_point(chosen, distance, return_length=True, workers=-1) - 1
            assert int(np.count_nonzero(found < K)) == ours

    return cpu_seconds(count_all) / len(counts)


def _memory(session: Session, job: Job) -> float:
    """Peak of what NumPy allocates for some of the subspaces; of each, a few hundred bytes are kept."""
    tracemalloc.start()
    _search(session, job, list(job.some(_PARTS // 4)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / job.points.nbytes
