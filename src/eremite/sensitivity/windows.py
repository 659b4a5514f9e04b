"""The rows that one row could turn after some changes, and how many of them one row can turn.

theory          here
W[k-a, k+b]     the rows with degrees from k - a to k + b, for a rows added and b removed; a = b = t for t replaced
C               the most rows of W[k-a, k+b] around one row: what its removal can turn
f               what bounds the number of rows of W[k-1-a, k-1+b] in one ball, which an added row can turn: depth,
                truss, core or crowd, each coarser than the last

How much work a look takes is bounded for every table (claim L6): what would take more is counted more coarsely.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eremite.engines import FindNeighbors, LowRows, count_neighbors, find_neighbors, low_rows
from eremite.engines.pair import squared_radius
from eremite.errors import InputError
from eremite.geometry.around import Around
from eremite.geometry.core import core_of_graph, peeled
from eremite.geometry.densest import depth_of_graph, line_depth
from eremite.geometry.graph import MARGIN, Graph, graph_up_to, part_of_graph
from eremite.geometry.lattice import lattice_depth, on_lattice
from eremite.geometry.thinned import (
    near_edges,
    thinned_core,
    thinned_core_of_graph,
    thinned_truss_of_ball,
    thinned_truss_of_graph,
)
from eremite.geometry.triangles import Triangles, thinned_truss_of_part, triangles_up_to
from eremite.geometry.truss import truss_of_graph
from eremite.outliers import OutlierDefinition
from eremite.sensitivity.relation import Change

Method = Literal["auto", "ball", "truss", "core"]

#: `auto` takes the thinned truss for so many steps, the thinned core from there on.
TRUSS_STEPS = 64

# A graph of so few edges, and its triangles where they are few, are found once and serve many steps. How many there
# are is private; the answer is the same.
_FEW_EDGES = 2**22
_FEW_TRIANGLES = 2**23
_MANY_LOOKS = 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a look at a window may cost (claim L6): so many edges, triangles, and rows within 2R of each other.

    The graph of n rows with a core of c has at most n c edges and n c^2 triangles. A window t steps away is judged by
    n + t and c + t: what is too large here is then too large for every neighbor one step further away.
    """

    edges: int
    triangles: int
    crowd: int

    def allow_edges(self, size: int, core: int, step: int) -> bool:
        return (size + step) * (core + step) <= self.edges

    def allow_triangles(self, size: int, core: int, step: int) -> bool:
        return core + step <= self.crowd and (size + step) * (core + step) ** 2 <= self.triangles


UNLIMITED = Limits(edges=2**62, triangles=2**62, crowd=2**62)


def limits_for(n: int) -> Limits:
    """The limits of a release from a table of n rows: a public number, so large that ordinary tables never meet it."""
    return Limits(edges=max(2**25, 64 * n), triangles=max(2**26, 1024 * n), crowd=256)


class SharedGraph:
    """The graph of the rows that may still matter; its triangles, and what one truss tells of later ones."""

    def __init__(self, graph: Graph, near: NDArray[np.bool_], radius: float, looks: int) -> None:
        self.graph = graph
        self._near, self._radius = near, radius  # near: which edges join neighbors
        self._looks = looks  # expected, and one more with each
        self._levels: list[tuple[int, int, NDArray[np.int32]]] = []  # with the degrees of the window they hold for

    @cached_property
    def triangles(self) -> Triangles | None:
        """Those that fit into a ball, or None if they are too many to be kept."""
        return triangles_up_to(self.graph, self._near, self._radius, _FEW_TRIANGLES)

    def keeps_triangles(self) -> bool:
        """Whether to find all triangles once: not for a first look of few, nor where they are too many."""
        self._looks += _MANY_LOOKS // 2
        return self._looks > _MANY_LOOKS and self.triangles is not None

    def thinned_truss(self, places: NDArray[np.intp], window: tuple[int, int], most_near: int, floor: int) -> int:
        """The thinned truss of the rows of a window that may exceed the floor, or the floor.

        The window is given by its least and largest degree. What was seen of a window serves those within it.
        """
        assert self.triangles is not None  # noqa: S101 -- for the type checker
        inside = np.zeros(self.graph.size, np.bool_)
        inside[places] = True
        low, high = window
        wider = [entry for entry in self._levels if entry[0] <= low and high <= entry[1]]
        known = min(wider, key=lambda entry: entry[1] - entry[0])[2] if wider else None
        truss, levels = thinned_truss_of_part(self.triangles, inside, most_near, floor, known)
        self._levels.append((low, high, levels))
        return truss


@dataclass(frozen=True, slots=True)
class Windows:
    """A table seen from the count: rows of small degree, in a form that answers for every step t below `steps`."""

    outliers: int  # q(X)
    points: NDArray[np.float64]  # rows with degree below k + steps
    images: NDArray[np.float64]  # the same, or their images on the lattice
    degrees: NDArray[np.int64]
    below: NDArray[np.int64]  # how many rows have a degree below 0, 1, 2, ...
    around: Around  # these rows, as neighbors of all rows
    rows: NDArray[np.intp]  # those of them that may still matter
    min_neighbors: int
    squared_radius: float  # as the engine compares it
    radius: float  # Euclidean; of the images
    square: int | None  # the squared diameter, on the lattice; None elsewhere
    most: int  # the cap of the profile
    method: Method
    limits: Limits
    left_out: int = 0  # rows that do not matter any more are in no group of more than so many
    shared: SharedGraph | None = None  # of the rows that may still matter, if it has few edges

    def size(self, change: Change) -> int:
        """How many rows the two windows have together."""
        return self._size(self.min_neighbors - 1 - change.added, self.min_neighbors + change.removed)

    def turned(self, change: Change, floor: int = 0) -> int:
        """max(C(W[k-a, k+b]), f(W[k-1-a, k-1+b])), or `floor` if that is larger."""
        low, high = self.min_neighbors - 1 - change.added, self.min_neighbors + change.removed
        if self.size(change) <= floor:
            return floor
        near = self._crowded(self._near(low, high), floor)
        return self._around_rows(near, change, self._bound(near, low, high - 1, change.step, floor))

    def ball_bound(self, around: int, step: int, floor: int = 0) -> int:
        """f(W_j(step)) for j = `around`, or `floor` if that is larger."""
        low, high = around - step, around + step
        if self._size(low, high) <= floor:
            return floor
        return self._bound(self._crowded(self._near(low, high), max(floor, 1)), low, high, step, floor)

    def _around_rows(self, near: NDArray[np.intp], change: Change, floor: int) -> int:
        """C(W[k-a, k+b]), or `floor` if that is larger; `near` has all that may exceed the floor.

        Where the lists of the window would be too long, f takes its place (claim L6).
        """
        step, low, high = change.step, self.min_neighbors - change.added, self.min_neighbors + change.removed
        if not self.limits.allow_edges(self._size(low, high), self.min_neighbors, step):
            return self._bound(near, low, high, step, floor)
        window = self.rows[near]
        window = window[(self.degrees[window] >= low) & (self.degrees[window] <= high)]
        if window.size <= floor:
            return floor
        if not self._is_thinned:
            return max(floor, self.around.most(window))
        for crowd in self.around.crowds(window, floor):
            if crowd.size > floor:
                floor = max(floor, self._thinned_size(crowd, step, floor))
        return floor

    @property
    def _is_thinned(self) -> bool:
        """Whether rows that all turn are known to have few neighbors among themselves (claim H1)."""
        return self.method == "auto" and self.points.shape[1] > 1

    def _thinned_size(self, crowd: NDArray[np.intp], step: int, floor: int) -> int:
        """How many of the rows around a row it can turn at once, or `floor` if that is larger."""
        if crowd.size + step > self.limits.crowd:
            return int(crowd.size)
        return thinned_truss_of_ball(self.points[crowd], self.squared_radius, self.min_neighbors - 1, floor)

    def crowd_bound(self, change: Change) -> int:
        """At least `turned` of this change and of all within it, by one count of rows within 2R."""
        if self.points.shape[1] == 1:
            return self.size(change)
        return self._crowd(self.min_neighbors - 1 - change.added, self.min_neighbors + change.removed)

    def _crowd(self, low: int, high: int) -> int:
        """The largest m for which m rows of a window have m - 1 others within 2R: at least its core (claim L6)."""
        window = self.images[(self.degrees >= low) & (self.degrees <= high)]
        falling = np.sort(within_two(window, self.radius, None))[::-1]
        return int(np.count_nonzero(falling >= np.arange(falling.size)))

    def narrowed(self, change: Change, floor: int, looks: int = 1) -> "Windows":
        """Without rows that matter for no change within this one, if `turned` is asked with this floor or more.

        About how many looks will follow decides what is prepared for them, and changes no answer.
        """
        allowed = self._allowed_core(self.size(change), change.step)
        floor = min(floor, allowed)  # so that it tells which windows are too large
        near = self._crowded(
            self._near(self.min_neighbors - 1 - change.added, self.min_neighbors + change.removed), floor
        )
        rows = self.rows[near]
        points = self.images[rows]
        shared = None
        if points.shape[1] > 1 and not _fit_around_their_mean(points, self.radius):
            graph = graph_up_to(points, self.radius, min(_FEW_EDGES, self.limits.edges))
            if graph is not None:
                shared = SharedGraph(graph, self._near_edges(graph, rows), self.radius, looks)
        return replace(self, rows=rows, left_out=max(self.left_out, floor), shared=shared)

    def _near_edges(self, graph: Graph, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which edges join neighbors; the graph's squares are the engine's, except for images."""
        if self.square is None:
            return graph.squares <= self.squared_radius
        return near_edges(graph, self.points[rows], self.squared_radius)

    def _near(self, low: int, high: int) -> NDArray[np.intp]:
        """Places, among the rows that may still matter, of those with a degree from `low` to `high`."""
        degrees = self.degrees[self.rows]
        return np.flatnonzero((degrees >= low) & (degrees <= high))

    def _crowded(self, near: NDArray[np.intp], floor: int) -> NDArray[np.intp]:
        """Those of the places whose rows may be in a group of more than `floor`."""
        if self.shared is not None:
            return peeled(self.shared.graph, near, floor)
        return near[_crowded(self.images[self.rows[near]], self.radius, floor)]

    def _bound(self, near: NDArray[np.intp], low: int, high: int, step: int, floor: int) -> int:
        """f of the window with these degrees, or `floor` if that is larger; `near` has all that may exceed the floor.

        Coarse bounds first: the finer one is computed only if the coarser one exceeds the floor. Which bound counts is
        decided by the whole window, whatever was left out of `near` and whatever the floor is.
        """
        size = self._size(low, high)
        if size <= floor:
            return floor
        floor = max(floor, 1)
        degrees = self.degrees[self.rows[near]]
        places = near[(degrees >= low) & (degrees <= high)]
        if self.points.shape[1] == 1 and self.method in ("auto", "ball"):
            return max(floor, line_depth(self.points[self.rows[places]], self.radius))
        if not self.limits.allow_edges(size, floor, step) and self._is_too_large(low, high, step):
            return max(floor, self._crowd(low, high))
        places = self._crowded(places, floor)
        if len(places) <= floor:
            return floor
        many = not self._is_thinned or len(places) + step > self.limits.crowd
        if many and _fit_around_their_mean(self.images[self.rows[places]], self.radius):
            return len(places) if self.limits.allow_edges(size, len(places), step) else self._crowd(low, high)
        graph = self._graph(places)
        core = size if graph is None else core_of_graph(graph)
        if core <= floor:
            return floor
        if graph is None or not self.limits.allow_edges(size, core, step):
            return max(floor, self._crowd(low, high))
        return self._refined(places, (low, high), graph, core, step, floor)

    def _refined(
        self, places: NDArray[np.intp], window: tuple[int, int], graph: Graph, core: int, step: int, floor: int
    ) -> int:
        """f of a window whose core is above the floor, by the finest bound that its step and its size allow."""
        rows = self.rows[places]
        if self._is_thinned:
            depth = core if self.square is None else lattice_depth(self.images[rows], graph, self.square, floor)
            return depth if depth <= floor else min(depth, self._thinned(places, window, graph, core, step, floor))
        if self.method == "core":
            return core
        if self.method == "ball" and self.square is not None:
            return lattice_depth(self.images[rows], graph, self.square, floor)
        if not self.limits.allow_triangles(self._size(*window), core, step):
            return core
        truss = truss_of_graph(graph, self.radius, floor)
        if truss <= floor or self.method == "truss":
            return truss
        return depth_of_graph(self.images[rows], graph, self.radius, floor)

    def _thinned(
        self, places: NDArray[np.intp], window: tuple[int, int], graph: Graph, core: int, step: int, floor: int
    ) -> int:
        """The thinned truss or core of these rows, or `floor` if that is larger; the core where they crowd."""
        if core + step > self.limits.crowd:
            return core
        most_near, near = self.min_neighbors - 1, self._near_edges(graph, self.rows[places])
        if step >= TRUSS_STEPS or not self.limits.allow_triangles(self._size(*window), core, step):
            return thinned_core_of_graph(graph, near, most_near, floor)
        if self.shared is None or not self.shared.keeps_triangles():
            return thinned_truss_of_graph(graph, near, self.radius, most_near, floor)
        return self.shared.thinned_truss(places[thinned_core(graph, near, most_near, floor)], window, most_near, floor)

    def _graph(self, places: NDArray[np.intp]) -> Graph | None:
        """The graph of these rows, or None if it has more edges than are allowed."""
        if self.shared is not None:
            return part_of_graph(self.shared.graph, places)
        return graph_up_to(self.images[self.rows[places]], self.radius, self.limits.edges)

    def _size(self, low: int, high: int) -> int:
        largest = len(self.below) - 1
        return int(self.below[min(high + 1, largest)] - self.below[min(max(low, 0), largest)])

    def _allowed_core(self, size: int, step: int) -> int:
        """The largest core with which a window of this size is not too large."""
        return max(0, self.limits.edges // max(1, size + step) - step)

    def _is_too_large(self, low: int, high: int, step: int) -> bool:
        """Whether the whole window has more edges, by its core, than are allowed."""
        allowed = self._allowed_core(self._size(low, high), step)
        rows = self.rows if self.left_out <= allowed else np.arange(self.degrees.size)
        window = self.images[rows[(self.degrees[rows] >= low) & (self.degrees[rows] <= high)]]
        crowd = window[_crowded(window, self.radius, allowed)]
        graph = graph_up_to(crowd, self.radius, self.limits.edges)
        return graph is None or core_of_graph(graph) > allowed


def _fit_around_their_mean(points: NDArray[np.float64], radius: float) -> bool:
    """Whether the ball around the mean of the points holds them all: then depth, truss and core are their number."""
    if len(points) == 0:
        return True
    with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of rows; what overflows does not fit
        return bool(np.square(points - points.mean(axis=0)).sum(axis=1).max() <= radius**2 * (1 - MARGIN))


def _crowded(points: NDArray[np.float64], radius: float, floor: int) -> NDArray[np.intp]:
    """The points with `floor` others within 2R, until few leave: no other point is in a larger group (claim L5)."""
    kept = np.arange(len(points))
    while True:
        enough = within_two(points[kept], radius, floor) >= floor
        if 10 * np.count_nonzero(enough) >= 9 * kept.size:
            return kept[enough]
        kept = kept[enough]


def within_two(points: NDArray[np.float64], radius: float, cap: int | None) -> NDArray[np.int64]:
    """How many others each point has within 2R, up to the cap; perhaps a few too many and never too few.

    The engine's expression is not the graph's, so it looks a little further.
    """
    further = 2 * radius * (1 + 4 * MARGIN) / np.sqrt(points.shape[1])
    return count_neighbors(np.ascontiguousarray(points), further, cap)


def windows(
    points: NDArray[np.float64],
    definition: OutlierDefinition,
    steps: int,
    method: Method,
    most: int,
    find: FindNeighbors = find_neighbors,
    limits: Limits | None = None,
) -> Windows:
    """Count the degrees once, up to where they stop to matter, and keep the rows that do.

    `auto` has the limits of a release; a method that is asked for by name takes the time it takes, unless `limits` are
    given. Where there are limits, rows of the plane are taken to a lattice.
    """
    k = definition.min_neighbors
    limits = limits or (limits_for(len(points)) if method == "auto" else UNLIMITED)
    return windows_of(low_rows(points, definition.radius, k, k + steps, find), definition, method, most, limits)


def windows_of(low: LowRows, definition: OutlierDefinition, method: Method, most: int, limits: Limits) -> Windows:
    """The windows of a table of which the rows of low degree are known."""
    if method not in get_args(Method):
        raise InputError(f"method must be one of {', '.join(get_args(Method))}.")
    d = low.points.shape[1]
    images, radius, square = low.points, float(definition.radius * np.sqrt(d)), None
    if limits != UNLIMITED and d == 2:
        images, square = on_lattice(low.points, radius)
        radius = float(np.sqrt(square)) / 2
    return Windows(
        outliers=low.outliers,
        points=low.points,
        images=images,
        degrees=low.degrees,
        below=np.append(0, np.bincount(low.degrees).cumsum()),
        around=Around(low),
        rows=np.arange(low.degrees.size),
        min_neighbors=definition.min_neighbors,
        squared_radius=squared_radius(definition.radius, d),
        radius=radius,
        square=square,
        most=most,
        method=method,
        limits=limits,
    )
