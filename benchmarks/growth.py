"""How time grows with N at fixed density, and how much memory a count takes beyond the points."""

import tracemalloc
from collections.abc import Sequence
from time import process_time

from rich.console import Console
from rich.table import Table

from benchmarks.tables import CAP, Case, case, clusters
from eremite.engines.local import count_neighbors_with

MOST_GROWTH = 15
MOST_MEMORY = 3.0


def run(out: Console, n: int, dims: Sequence[int]) -> bool:
    """Time from n / 10 to n rows, ten times as many clusters in ten times the volume; peak memory at n."""
    title = f"{n // 10:,} to {n:,} rows at fixed density, 20 neighbors a row; peak memory beyond the points"
    table = Table("d", "seconds", "growth", "memory A", "memory B", "memory C", title=title)
    cleared = True
    for d in dims:
        small = case(clusters(n // 10, d), "C")
        large = Case(clusters(n, d, volume=10), small.radius, "C")
        before, after = _seconds(small), _seconds(large)
        memory = [_memory(case(clusters(n, d), regime)) for regime in "ABC"]
        cleared &= after / before < MOST_GROWTH and max(memory) <= MOST_MEMORY
        table.add_row(str(d), f"{after:.3f}", f"{after / before:.1f}x", *(f"{m:.2f}x the points" for m in memory))
    out.print(table)
    return cleared


def _seconds(measured: Case) -> float:
    best = []
    for _ in range(3):
        start = process_time()
        count_neighbors_with(1, measured.points, measured.radius, CAP)
        best.append(process_time() - start)
    return min(best)


def _memory(measured: Case) -> float:
    """Peak of what NumPy allocates, the result included, in units of the points; kernels allocate a few kilobytes."""
    tracemalloc.start()
    count_neighbors_with(2, measured.points, measured.radius, CAP)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / measured.points.nbytes
