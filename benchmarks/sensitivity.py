"""What a private count costs beyond an exact one, how tight its bounds are, and how far the exact depth reaches."""

import multiprocessing
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.clock import cpu_seconds, median_seconds
from benchmarks.peers import best_exact
from benchmarks.tables import CAP, Case, K, case, clusters, real
from eremite import OutlierDefinition
from eremite.engines import count_neighbors
from eremite.geometry import densest_ball, smallest_enclosing_ball
from eremite.mechanisms import SmoothLaplace
from eremite.outliers import count_outliers
from eremite.sensitivity import smooth_bound
from eremite.sensitivity.windows import Method, windows

Result = TypeVar("Result")

MOST_TIMES = {"core": 3.0, "auto": 5.0}
MOST_MEMORY = 2.0
MOST_ABOVE_DEPTH = 1.1
METHODS: tuple[Method, ...] = ("truss", "core", "auto")


def decay(epsilon: int) -> Fraction:
    """What the default mechanism asks of its smooth bound."""
    return SmoothLaplace(Fraction(epsilon)).decay


def cost(out: Console, n: int) -> bool:
    """Degrees and smooth bound together, against our own exact count and the best exact peer's."""
    title = f"Smooth bound, N = {n:,}, 1 % outliers, epsilon = 1: CPU seconds"
    table = Table("d", "exact count", "core", "auto", "best exact peer's count", "memory, of the degrees'", title=title)
    cleared = True
    for d in (2, 3, 8):
        measured = case(clusters(n, d), "A")
        definition = OutlierDefinition(min_neighbors=K, radius=measured.radius)
        exact = median_seconds(partial(count_outliers, measured.points, definition))
        bounded = partial(smooth_bound, measured.points, definition, decay(1))
        times = {method: median_seconds(partial(bounded, method)) for method in MOST_TIMES}
        peer = best_exact(measured)
        memory = _peak(bounded) / _peak(partial(count_neighbors, measured.points, measured.radius, CAP))
        cleared &= all(times[m] <= MOST_TIMES[m] * exact for m in times) and peer.seconds >= 5 * times["auto"]
        cleared &= memory <= MOST_MEMORY
        shown = [f"{times[m]:.3f} = {times[m] / exact:.1f}x (bar {MOST_TIMES[m]:.0f}x)" for m in times]
        ratio = f"{peer.peer} {peer.seconds:.2f} = {peer.seconds / times['auto']:.0f}x auto (bar 5x)"
        table.add_row(str(d), f"{exact:.3f}", *shown, ratio, f"{memory:.2f}x")
    out.print(table)
    return cleared


def tightness(out: Console, n: int, limit: float) -> bool:
    """S by core, by truss and by the default as multiples of S by depth; depth is given up on after `limit` seconds."""
    names = ("table", "d", "window rows", "S depth", "truss", "core", "auto")
    table = Table(*names, title="Smooth bound by method, epsilon = 1")
    cleared = True
    for name, measured in _tables(n):
        definition = OutlierDefinition(min_neighbors=K, radius=measured.radius)
        bounds = {m: smooth_bound(measured.points, definition, decay(1), m) for m in METHODS}
        depth = _within(limit, smooth_bound, measured.points, definition, decay(1), "ball")
        seen = windows(measured.points, definition, 21, "core", len(measured.points))
        base = depth or bounds["truss"]
        cleared &= depth is None or bounds["truss"] <= MOST_ABOVE_DEPTH * depth
        table.add_row(
            name,
            str(measured.points.shape[1]),
            str(len(seen.points)),
            f"{float(depth):.2f}" if depth else f"over {limit:.0f} s",
            *(f"{float(bounds[m]):.2f} = {float(bounds[m] / base):.3f}x" for m in METHODS),
        )
    out.print(table)
    return cleared


def exact_depth(out: Console, limit: float) -> None:
    """The largest window whose depth is found within the limit, and the paper's Algorithm 1 where it still finishes."""
    table = Table("d", "largest |P|", "seconds", "paper's |P|", "paper, s", "ours, s", "ratio", title="Exact depth")
    for d in (2, 3, 5, 8):
        measured = case(clusters(10_000, d), "A")
        definition = OutlierDefinition(min_neighbors=K, radius=measured.radius)
        seen = windows(measured.points, definition, len(measured.points), "core", len(measured.points))
        order = np.argsort(np.abs(seen.degrees - K), kind="stable")
        largest, seconds = 0, 0.0
        for size in (50, 100, 200, 400, 700, 1000, 2000, 4000):
            taken = _within(limit, _depth_seconds, seen.points[order[:size]], seen.radius)
            if taken is None:
                break
            largest, seconds = size, taken
        crowd = _crowd(seen.points, seen.radius)
        small, theirs = 4, 0.0
        while small < len(crowd) and theirs < limit / 5:
            small += 1
            theirs = cpu_seconds(partial(algorithm_1, crowd[:small], seen.radius))
        ours = median_seconds(partial(densest_ball, crowd[:small], seen.radius))
        table.add_row(str(d), str(largest), f"{seconds:.2f}", str(small), f"{theirs:.1f}", f"{ours:.5f}",
                      f"{theirs / ours:,.0f}x")  # fmt: skip
    out.print(table)


def algorithm_1(points: NDArray[np.float64], radius: float) -> int:
    """The paper's: every subset of the points, cut off where the smallest enclosing ball is already too large."""

    def largest(chosen: list[int], i: int) -> int:
        if chosen and smallest_enclosing_ball(points[chosen])[1] > radius * (1 + 1e-9):
            return 0
        if i == len(points):
            return len(chosen)
        return max(largest([*chosen, i], i + 1), largest(chosen, i + 1))

    return largest([], 0)


def _crowd(points: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
    """Rows of the window in the order of their distance from the one with the most of them within 2R."""
    near = count_neighbors(points, 2 * radius / np.sqrt(points.shape[1]), None)
    order = np.linalg.norm(points - points[near.argmax()], axis=1).argsort()
    return np.asarray(points[order])


def _tables(n: int) -> list[tuple[str, Case]]:
    made = [("generated", case(clusters(n, d), "A")) for d in (2, 3, 4, 6, 8, 12, 16)]
    names = (("mammography", 0.0335), ("shuttle", 0.02))
    return made + [(name, found) for name, radius in names if (found := real(name, radius))]


def _within(limit: float, work: Callable[..., Result], *arguments: object) -> Result | None:
    """The result of `work` in a process of its own, or None if it takes longer than the limit."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.apply(_depth_seconds, (np.zeros((8, 3)), 1.0))  # start, import and compile before the clock runs
        try:
            return pool.apply_async(work, arguments).get(limit)
        except multiprocessing.TimeoutError:
            return None


def _depth_seconds(points: NDArray[np.float64], radius: float) -> float:
    return cpu_seconds(partial(densest_ball, points, radius))


def _peak(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak)
