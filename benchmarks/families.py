"""All one- and two-dimensional subspaces of a 34-column table, against cKDTree one by one."""

from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from scipy.spatial import cKDTree

from benchmarks.tables import K, clusters
from eremite import OutlierDefinition, Table
from eremite.outliers import Subspaces, count_outliers_in_each

COLUMNS = 34
LEAST_RATIO = 50
_SAMPLE = 4


def run(out: Console, n: int) -> bool:
    """Wall seconds on all cores for us, and for cKDTree with all its workers on a few subspaces, extrapolated."""
    names = [f"c{i}" for i in range(COLUMNS)]
    points = clusters(n, COLUMNS)
    table = Table.from_frame(points, bounds=dict.fromkeys(names, (0, 1)))
    definition = OutlierDefinition(min_neighbors=K, radius=0.01)
    grid = Grid("subspaces", "ours, s", "each, ms", "cKDTree, s", "ratio", title=f"{COLUMNS} columns, N = {n:,}")
    total_ours = total_theirs = 0.0
    for size in (1, 2):
        family = Subspaces.of_size(names, size)
        start = perf_counter()
        counts = dict(count_outliers_in_each(table, definition, family))
        ours = perf_counter() - start
        theirs = _ckdtree(points[:, :COLUMNS], names, list(family)[:_SAMPLE], definition, counts) * family.count
        total_ours, total_theirs = total_ours + ours, total_theirs + theirs
        grid.add_row(f"{family.count} of size {size}", *_cells(ours, theirs, family.count))
    grid.add_row("all", *_cells(total_ours, total_theirs, COLUMNS * (COLUMNS + 1) // 2))
    out.print(grid)
    return total_theirs / total_ours >= LEAST_RATIO


def _cells(ours: float, theirs: float, count: int) -> tuple[str, ...]:
    return f"{ours:.2f}", f"{1000 * ours / count:.1f}", f"~{theirs:.0f}", f"{theirs / ours:.0f}x"


def _ckdtree(
    points: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    names: list[str],
    subspaces: list[tuple[str, ...]],
    definition: OutlierDefinition,
    counts: dict[tuple[str, ...], int],
) -> float:
    """Seconds a subspace; its answers must be ours."""
    start = perf_counter()
    for subspace in subspaces:
        chosen = np.ascontiguousarray(points[:, [names.index(name) for name in subspace]])
        distance = definition.radius * np.sqrt(len(subspace))
        found = cKDTree(chosen).query_ball_point(chosen, distance, return_length=True, workers=-1) - 1
        assert int(np.count_nonzero(found < definition.min_neighbors)) == counts[subspace]
    return (perf_counter() - start) / len(subspaces)
