"""The rows that replacing t + 1 rows could turn, and how many of them one ball can hold.

paper     here
W_j(t)    the rows whose degree is within t of j, for j = k and j = k - 1
f         what bounds the number of a window's rows in one ball: depth, truss or core, each coarser than the last
"""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eremite.engines import CountNeighbors, count_neighbors
from eremite.errors import InputError
from eremite.geometry.core import core_of_graph, peeled
from eremite.geometry.densest import depth_of_graph, line_depth
from eremite.geometry.graph import MARGIN, Graph, near_graph
from eremite.geometry.truss import truss_of_graph
from eremite.outliers import OutlierDefinition

Method = Literal["auto", "ball", "truss", "core"]

# `auto`: depth in one and two columns; in more, the truss for this many steps, the core from there on. The truss looks
# at all triangles of a window, and where most rows have few neighbours that is most of the table.
_TRUSS_STEPS = ((5_000, 64), (50_000, 32), (2**32, 8))  # up to so many rows, for so many steps

# The graph of so few points is made once and serves every step. How many there are is private; the answer is the same.
_FEW = 2_048


@dataclass(frozen=True, slots=True)
class Windows:
    """A table seen from the count: rows of small degree, in a form that answers for every step t below `steps`."""

    n_rows: int
    outliers: int  # q(X)
    points: NDArray[np.float64]  # rows with degree below k + steps
    degrees: NDArray[np.int64]
    min_neighbors: int
    radius: float  # Euclidean
    most: int  # the cap of the profile
    method: Method
    graph: Graph | None = None  # of the points, if they are few

    def ball_bound(self, step: int, floor: int = 0) -> int:
        """max over both windows of f(W_j(step)), or `floor` if that is larger."""
        near = self._near(step)
        if near.size == 0:
            return floor
        floor = max(floor, 1)
        near = self._crowded(near, floor)
        k = self.min_neighbors
        floor = self._bound(near[self.degrees[near] >= k - step], step, floor)
        if step >= k:  # degrees are not negative: the other window is a part of this one
            return floor
        return self._bound(near[self.degrees[near] <= k - 1 + step], step, floor)

    def narrowed(self, step: int, floor: int) -> "Windows":
        """Without rows that matter for no step up to this one, if `ball_bound` is asked with this floor or more."""
        rows = self._crowded(self._near(step), floor)
        points = self.points[rows]
        graph = near_graph(points, self.radius) if points.shape[1] > 1 and len(rows) <= _FEW else None
        return replace(self, points=points, degrees=self.degrees[rows], graph=graph)

    def _near(self, step: int) -> NDArray[np.intp]:
        """The rows of both windows."""
        k = self.min_neighbors
        return np.flatnonzero((self.degrees >= k - 1 - step) & (self.degrees <= k + step))

    def _crowded(self, rows: NDArray[np.intp], floor: int) -> NDArray[np.intp]:
        """Those of the rows that may be in a group of more than `floor`."""
        if self.graph is not None:
            return peeled(self.graph, rows, floor)
        return rows[_crowded(self.points[rows], self.radius, floor)]

    def _bound(self, rows: NDArray[np.intp], step: int, floor: int) -> int:
        """Coarse bounds first: the finer one is computed only if the coarser one exceeds the floor."""
        used = finest(self.method, self.n_rows, self.points.shape[1], step)
        if used == "ball" and self.points.shape[1] == 1:
            return max(floor, line_depth(self.points[rows], self.radius))
        window = self.points[self._crowded(rows, floor)]
        if len(window) <= floor:
            return floor
        graph = near_graph(window, self.radius)
        core = core_of_graph(graph)
        if core <= floor or used == "core":
            return max(core, floor)
        truss = truss_of_graph(graph, self.radius, floor)
        if truss <= floor or used == "truss":
            return truss
        return depth_of_graph(window, graph, self.radius, floor)


def _crowded(points: NDArray[np.float64], radius: float, floor: int) -> NDArray[np.intp]:
    """The points with `floor` others within 2R, until few leave: no other point is in a larger group (claim L5).

    The engine's expression is not the graph's, so it looks a little further; it may keep too much and never too little.
    """
    kept = np.arange(len(points))
    further = 2 * radius * (1 + 4 * MARGIN) / np.sqrt(points.shape[1])
    while True:
        enough = count_neighbors(np.ascontiguousarray(points[kept]), further, floor) >= floor
        if 10 * np.count_nonzero(enough) >= 9 * kept.size:
            return kept[enough]
        kept = kept[enough]


def truss_steps(n: int) -> int:
    """For how many steps `auto` takes the truss in a table of n rows."""
    return next(steps for most, steps in _TRUSS_STEPS if n <= most)


def finest(method: Method, n: int, d: int, step: int) -> Method:
    """Which bound serves step t: public facts only, and only coarser as t grows (claim L4)."""
    if method != "auto":
        return method
    if d <= 2:
        return "ball"
    return "truss" if step < truss_steps(n) else "core"


def windows(
    points: NDArray[np.float64],
    definition: OutlierDefinition,
    steps: int,
    method: Method,
    most: int,
    count: CountNeighbors = count_neighbors,
) -> Windows:
    """Count the degrees once, up to where they stop to matter, and keep the rows that do."""
    if method not in get_args(Method):
        raise InputError(f"method must be one of {', '.join(get_args(Method))}.")
    k = definition.min_neighbors
    found = count(points, definition.radius, k + steps)
    few = np.flatnonzero(found < k + steps)
    return Windows(
        n_rows=len(points),
        outliers=int(np.count_nonzero(found < k)),
        points=points[few],
        degrees=found[few],
        min_neighbors=k,
        radius=float(definition.radius * np.sqrt(points.shape[1])),
        most=most,
        method=method,
    )
