"""How time grows with N at fixed density, and how much memory a count takes beyond the points."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.tables import CAP, case, clusters
from eremite.engines.local import count_neighbors_with

MOST_GROWTH = 15
MOST_MEMORY = 3.0


def run(out: Console, n: int, dims: Sequence[int]) -> bool:
    """Time from n / 10 to n rows with 20 neighbours a row, and peak memory at n in regimes A and C."""
    table = Table("d", "seconds", "growth for 10x rows", "memory A", "memory C", title=f"Growth and memory, N = {n:,}")
    cleared = True
    for d in dims:
        small, large = (_seconds(size, d) for size in (n // 10, n))
        memory = [_memory(n, d, regime) for regime in "AC"]
        cleared &= large / small < MOST_GROWTH and max(memory) <= MOST_MEMORY
        table.add_row(str(d), f"{large:.3f}", f"{large / small:.1f}x", *(f"{m:.2f}x the points" for m in memory))
    out.print(table)
    return cleared


def _seconds(n: int, d: int) -> float:
    measured = case(clusters(n, d), "C")
    best = []
    for _ in range(3):
        start = process_time()
        count_neighbors_with(1, measured.points, measured.radius, CAP)
        best.append(process_time() - start)
    return min(best)


def _memory(n: int, d: int, regime: str) -> float:
    """Peak resident memory beyond the points, in units of the points, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.growth", str(n), str(d), regime]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _peak_kilobytes() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def _measure_memory(n: int, d: int, regime: str) -> float:
    measured = case(clusters(n, d), regime)
    few = clusters(2000, d)
    for radius in (0.05, 1e-7):  # compile first
        count_neighbors_with(2, few, radius, CAP)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = _peak_kilobytes()
    count_neighbors_with(2, measured.points, measured.radius, CAP)
    return float((_peak_kilobytes() - before) * 1024 / np.asarray(measured.points).nbytes)


if __name__ == "__main__":
    print(_measure_memory(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
