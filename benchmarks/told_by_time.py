"""How much longer a count may take on a table than on its neighbor: a clump that one more row joins, or not.

That is where one row changes most: all rows of the clump gain a neighbor at once, so all enter or leave the windows
that the sensitivity looks at. k is scanned for the worst, also over spreads at which the clump is larger than a ball.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.clock import cpu_seconds
from eremite import OutlierDefinition
from eremite.mechanisms import SmoothLaplace
from eremite.sensitivity import count_with_bound

MOST_RATIO = 5.0
_RADIUS = 0.05
_SPREADS = (0.4, 0.9, 1.05, 1.2, 1.5)
_SIZES = ((1, 401), (2, 401), (3, 401), (6, 201), (10, 201))


def run(out: Console, every: int) -> bool:
    """The worst ratio over spreads, epsilons and every so many values of k."""
    table = Table(
        "d", "N", "worst ratio", "k", "spread / R", "epsilon", "seconds", title="Neighbors told apart by time"
    )
    cleared = True
    for d, n in _SIZES:
        ratio, k, spread, epsilon, slower = max(_ratios(d, n, every))
        cleared &= ratio <= MOST_RATIO
        table.add_row(
            str(d), str(n), f"{ratio:.1f}x (bar {MOST_RATIO:.0f}x)", str(k), str(spread), str(epsilon), f"{slower:.4f}"
        )
    out.print(table)
    return cleared


def _ratios(d: int, n: int, every: int) -> list[tuple[float, int, float, float, float]]:
    found = []
    for spread in _SPREADS:
        clump = 0.5 + spread * _RADIUS * np.sqrt(d) * _ball(n - 1, d)
        joined, apart = (np.vstack([clump, np.full((1, d), place)]) for place in (0.5, 0.99))
        for epsilon in (Fraction(1, 10), Fraction(1)):
            for k in [*range(1, n - 1, every), n - 2, n - 1]:
                times = [_seconds(rows, k, epsilon) for rows in (joined, apart)]
                found.append((max(times) / min(times), k, spread, float(epsilon), max(times)))
    return found


def _seconds(rows: NDArray[np.float64], k: int, epsilon: Fraction) -> float:
    """The best of three runs: what a patient observer would learn."""
    definition = OutlierDefinition(min_neighbors=k, radius=_RADIUS)
    decay = SmoothLaplace(epsilon).decay
    return min(cpu_seconds(lambda: count_with_bound(rows, definition, decay)) for _ in range(3))


def _ball(n: int, d: int) -> NDArray[np.float64]:
    """Points spread evenly in the unit ball."""
    rng = np.random.default_rng(d)
    directions = rng.normal(size=(n, d))
    return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True) * rng.random((n, 1)) ** (1 / d))
