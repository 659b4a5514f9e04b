"""Capped degrees and outlier masks against every peer, in one run, on one thread."""

from collections.abc import Sequence
from time import process_time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.peers import Timing, timings
from benchmarks.tables import CAP, REGIMES, Case, K, case, clusters
from eremite.engines.local import count_neighbors_with

# How many times faster than the best exact peer at N = 1,000,000 we hold ourselves to be, for d >= 2.
BAR = {"A": 20, "B": 10, "C": 5}


def run(out: Console, sizes: Sequence[int], dims: Sequence[int]) -> bool:
    """Print one table a size and question; whether every bar was cleared and no exact peer was faster."""
    cleared = True
    for n in sizes:
        tables = {question: _table(n, question) for question in ("degrees", "outliers")}
        for d in dims:
            points = clusters(n, d)
            for regime in REGIMES:
                cleared &= _row(out, tables, case(points, regime))
        for table in tables.values():
            out.print(table)
    return cleared


def _table(n: int, question: str) -> Table:
    what = f"degrees capped at {CAP}" if question == "degrees" else f"rows with fewer than {K} neighbors"
    title = f"N = {n:,}: {what}; CPU seconds, one thread (peers as multiples of ours)"
    return Table("d", "regime", "ours", "best exact peer", "ratio", "bar", "all peers", title=title)


def _row(out: Console, tables: dict[str, Table], measured: Case) -> bool:
    n, d = measured.points.shape
    exact = count_neighbors_with(1, measured.points, measured.radius, CAP)
    peers = timings(measured, exact)
    cleared = True
    for question, cap in (("degrees", CAP), ("outliers", K)):
        ours = _ours(measured, cap)
        asked = [peer for peer in peers if peer.question == question]
        best = min((peer for peer in asked if peer.wrong == 0), key=lambda peer: peer.seconds)
        ratio = best.seconds / ours
        bar = BAR[measured.regime] if n >= 1_000_000 and d >= 2 else 1
        cleared &= ratio >= bar
        mark = "" if ratio >= bar else " missed"
        shown = ", ".join(_shown(peer, ours) for peer in sorted(asked, key=lambda peer: peer.seconds))
        tables[question].add_row(
            str(d), measured.regime, f"{ours:.3f}", best.peer, f"{ratio:.0f}x", f"{bar}x{mark}", shown
        )
    return cleared


def _ours(measured: Case, cap: int) -> float:
    """The median of three runs, or of one if it takes long."""
    seconds: list[float] = []
    while len(seconds) < 3 and sum(seconds) < 10:
        start = process_time()
        count_neighbors_with(1, measured.points, measured.radius, cap)
        seconds.append(process_time() - start)
    return float(np.median(seconds))


def _shown(peer: Timing, ours: float) -> str:
    wrong = f" ({peer.wrong:,} wrong)" if peer.wrong else ""
    return f"{peer.peer} {'~' if peer.sampled else ''}{peer.seconds / ours:.0f}x{wrong}"


def warm_up(dims: Sequence[int]) -> NDArray[np.int64]:
    """Compile every kernel before anything is timed."""
    found = np.zeros(0, dtype=np.int64)
    for d in dims:
        for cap in (K, CAP):
            found = count_neighbors_with(1, clusters(2000, d), 0.05, cap)
            found = count_neighbors_with(1, clusters(2000, d), 1e-7, cap)
    return found
