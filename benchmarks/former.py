"""The default count as it was in the first release, written out: the yardstick for everything sharper.

theory     here
m          SHARPNESS: beta = epsilon / 4, and the noise law (a)
f          lattice depth in one and two columns; in more, the geometric truss for the first steps, then the core
A^(t)      min(cap, max(f(W_k(t)), f(W_{k-1}(t))) + t + 1)
S          `former_bound`, the largest decay^t A^(t)

That release also bounded the work for every table (claim L6); no table of the benchmarks comes near these limits, and
they are left out here. Not for releases: the numbers are as private as the rows.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from eremite.engines import count_neighbors
from eremite.geometry.core import core_of_graph
from eremite.geometry.densest import line_depth
from eremite.geometry.graph import MARGIN, near_graph
from eremite.geometry.lattice import lattice_depth, on_lattice
from eremite.geometry.truss import truss_of_graph
from eremite.mechanisms.decay import decay_above
from eremite.outliers import OutlierDefinition
from eremite.sensitivity import most_moved

SHARPNESS = 4
_TRUSS_STEPS = ((5_000, 64), (50_000, 32), (2**32, 8))  # in a table of up to so many rows, for so many steps


def former_half_width(epsilon: Fraction, bound: Fraction, share: float = 0.95) -> float:
    """The noise stays below this with probability `share`; for 0.95, 4.59 / epsilon times the bound."""
    rest = 310 * (1 - share)
    v: float = 4 - (rest - 54) ** 0.25 if rest >= 135 else (84375 / rest) ** 0.25 - 4
    return v / float(epsilon) * float(bound)


def former_decay(epsilon: Fraction) -> Fraction:
    """A fraction just above e^(-epsilon / 4)."""
    return decay_above(epsilon / SHARPNESS)


def former_bound(points: NDArray[np.float64], definition: OutlierDefinition, decay: Fraction) -> Fraction:
    """The smooth bound. Steps at which the bound of every table is large come first: then the others need not be exact.

    A step wins only if f is above a floor, and f is not computed where something coarser is below the floor.
    """
    n, d = points.shape
    most, fall = most_moved(n, d, definition.min_neighbors), -log(decay)
    peak = min(most - 1, max(0, round(1 / fall) - 1))  # here decay^t (t + 1), which no table falls below, is largest
    last = peak + 1 + ceil(log(most / (peak + 1)) / fall)
    seen = _Seen.of(points, definition, last)
    best = Fraction(0)
    for step in sorted(range(last + 1), key=lambda step: abs(step - peak)):
        weight = decay**step
        floor = int(best / weight) - step - 1
        if weight * most > best and floor < len(seen.points):
            best = max(best, weight * min(most, seen.most_in_a_ball(step, max(floor, 0)) + step + 1))
    return best


@dataclass(frozen=True, slots=True)
class _Seen:
    """The rows whose degree may come near k."""

    points: NDArray[np.float64]  # in two columns, their images on the lattice
    degrees: NDArray[np.int64]
    radius: float  # Euclidean
    square: int | None  # the squared diameter, on the lattice
    min_neighbors: int
    truss_steps: int

    @classmethod
    def of(cls, points: NDArray[np.float64], definition: OutlierDefinition, last: int) -> "_Seen":
        (n, d), most = points.shape, definition.min_neighbors + last + 1
        degrees = count_neighbors(points, definition.radius, most)
        low, square = points[degrees < most], None
        radius = float(definition.radius * np.sqrt(d))
        if d == 2:
            low, square = on_lattice(low, radius)
            radius = float(np.sqrt(square)) / 2
        truss_steps = next(steps for rows, steps in _TRUSS_STEPS if n <= rows)
        return cls(low, degrees[degrees < most], radius, square, definition.min_neighbors, truss_steps)

    def most_in_a_ball(self, step: int, floor: int) -> int:
        """f of both windows, or the floor if that is larger."""
        for degree in (self.min_neighbors, self.min_neighbors - 1):
            floor = self._f(self.points[np.abs(self.degrees - degree) <= step], step, floor)
        return floor

    def _f(self, window: NDArray[np.float64], step: int, floor: int) -> int:
        if self.points.shape[1] == 1:
            return max(floor, line_depth(window, self.radius))
        window = _crowded(window, self.radius, floor)
        if len(window) <= floor:
            return floor
        graph = near_graph(window, self.radius)
        core = core_of_graph(graph)
        if core <= floor:
            return floor
        if self.square is not None:
            return lattice_depth(window, graph, self.square, floor)
        return truss_of_graph(graph, self.radius, floor) if step < self.truss_steps else core


def _crowded(points: NDArray[np.float64], radius: float, floor: int) -> NDArray[np.float64]:
    """Without points that have fewer than `floor` others within 2R: none of them is in a larger group.

    The engine's distances are not the graph's, so it looks a little further.
    """
    distance = 2 * radius * (1 + 4 * MARGIN) / np.sqrt(points.shape[1])
    while True:
        enough = count_neighbors(np.ascontiguousarray(points), distance, floor) >= floor
        if enough.all():
            return points
        points = points[enough]
