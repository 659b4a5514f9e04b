"""Compile every kernel before the first private question.

Numba compiles a kernel when it is first called: once for each number of columns up to `UNROLLED`, and separately for
writable and read-only arrays. Which kernels a question calls may depend on the rows, and the compile time would show
it. So each is called beforehand: every engine on one thread and on two, every bound on what a ball can hold, and all
questions, on made-up rows that are crowded, scattered and in between, also at a radius so small that rows are not put
into cells.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from eremite.engines import low_rows, tree
from eremite.engines.local import find_neighbors_with
from eremite.engines.pair import COMPILES, UNROLLED, squared_radius
from eremite.forecast import SHAPES, made_up
from eremite.geometry import core_bound, truss_bound
from eremite.geometry.around import Around
from eremite.geometry.core import peeled
from eremite.geometry.graph import near_graph, part_of_graph
from eremite.geometry.thinned import (
    near_edges,
    thinned_core,
    thinned_core_of_graph,
    thinned_truss_of_ball,
    thinned_truss_of_graph,
)
from eremite.geometry.triangles import thinned_truss_of_part, triangles_up_to
from eremite.outliers import OutlierDefinition
from eremite.reach import MOST_COLUMNS_ABOVE, capped_count, capped_pair
from eremite.reach.grid import MOST_CELLS
from eremite.reach.slots import slots_for
from eremite.session.session import Session
from eremite.table import Facts
from eremite.table.rules import CellRules
from eremite.tiles.boxes import Boxes
from eremite.tiles.core import AskedOfCore, RowsInSlots, WeighWithin
from eremite.tiles.counting import CountVisitors, CountWithin, ListVisitors, Some
from eremite.tiles.tiling import tiling_of

_ROWS = 400
_RADII = (0.1, 1e-9)
_NEIGHBORS = 5


def compile_kernels(most_columns: int, say: Callable[[str], None] = lambda _: None) -> None:
    """Compile what questions in up to `most_columns` columns need, after it said so."""
    if not COMPILES:
        return  # compilation is off: calling the kernels as Python would take minutes
    say(f"Compiling for up to {most_columns:,} columns: a minute or two the first time, seconds from then on.")
    for columns in range(1, min(most_columns, UNROLLED + 1) + 1):
        rules = CellRules.of({f"column {i}": (0, 1) for i in range(columns)})
        for shape, radius in product(SHAPES, _RADII):
            table = made_up(Facts(rules, 1, "replace", _ROWS), shape).table
            _count_and_bound(table.points(), radius)
            _cap(columns)
            _ask(Session(table, epsilon=10), columns, OutlierDefinition(min_neighbors=_NEIGHBORS, radius=radius))


def _count_and_bound(points: NDArray[np.float64], radius: float) -> None:
    for rows, threads in product((points, points.copy()), (1, 2)):
        found = find_neighbors_with(threads, rows, radius, _NEIGHBORS)
        found.of(np.flatnonzero(found.degrees < _NEIGHBORS))
        squared = squared_radius(radius, rows.shape[1])
        tree.count_rows(tree.build(rows, 1), rows, np.arange(len(rows)), squared, _NEIGHBORS, threads)
        low = low_rows(rows, radius, _NEIGHBORS, _NEIGHBORS)
        list(Around(low).crowds(np.arange(low.degrees.size), 0))
    _count_in_tiles(points, radius)
    core_bound(points, radius)
    truss_bound(points, radius)
    _thin(points[: _ROWS // 4], radius)


def _cap(columns: int) -> None:
    """A chain of outliers, each in covers with others: no cover holds all of them."""
    chain = np.repeat(np.linspace(0, 1, _ROWS // 4)[:, None], columns, axis=1)
    definition = OutlierDefinition(min_neighbors=_NEIGHBORS, radius=2.1 / len(chain))
    capped_count(chain, definition, 1)
    capped_pair(chain, definition, (1, 1))


def _count_in_tiles(points: NDArray[np.float64], radius: float) -> None:
    """What is done with the rows of tiles: they are placed, counted, and visited."""
    d = points.shape[1]
    for coded in (False, True):  # with strata, a row has one number more
        rows = np.column_stack([points, np.zeros(len(points))]) if coded else points
        tiling_of(points, 4, radius).sort(rows)
        visitors = Some(points, np.zeros(len(points), np.int64))
        CountWithin(d, rows.shape[1], radius, _NEIGHBORS)(rows.reshape(-1), None)
        CountVisitors(d, rows.shape[1], radius, _NEIGHBORS)(rows.reshape(-1), visitors)
        ListVisitors(d, rows.shape[1], radius)(rows.reshape(-1), visitors)
        if d <= MOST_COLUMNS_ABOVE:
            slots = slots_for(d, MOST_CELLS, radius * d**0.5, _NEIGHBORS, 1, len(points))  # too many for blocks
            asked = AskedOfCore(d, rows.shape[1], radius, _NEIGHBORS, slots)
            WeighWithin(asked)(rows.reshape(-1), (np.full(d, -np.inf), np.full(d, np.inf)))
            RowsInSlots(asked)(rows.reshape(-1), np.zeros(1, np.uint32))
    Boxes.of(range(1), {0: (points[0], points[1])}, d).touched_by(points, squared_radius(radius, d))


def _thin(points: NDArray[np.float64], radius: float) -> None:
    """The bounds that count thin sets, with triangles found once and with those of one part."""
    graph, squared = near_graph(points, radius), squared_radius(radius, points.shape[1])
    near, every = near_edges(graph, points, squared), np.arange(len(points))
    part_of_graph(graph, peeled(graph, every, 0))
    thinned_core(graph, near, _NEIGHBORS, 0)
    thinned_core_of_graph(graph, near, _NEIGHBORS)
    thinned_truss_of_graph(graph, near, radius, _NEIGHBORS)
    thinned_truss_of_ball(points[:_NEIGHBORS], squared, _NEIGHBORS)
    triangles = triangles_up_to(graph, near, radius, most=len(points) ** 3)
    if triangles is not None:
        thinned_truss_of_part(triangles, np.ones(len(points), np.bool_), _NEIGHBORS, 0)


def _ask(session: Session, columns: int, definition: OutlierDefinition) -> None:
    for epsilon in (1, 0.1):
        session.count_outliers(definition, epsilon=epsilon)
    session.top_subspaces(definition, h=1, size=columns, epsilon=1)
    session.detect_outliers(definition, candidates=[[0.5] * columns], h=1, epsilon=1)
    session.detect_outliers(definition, candidates=None, h=1, epsilon=1)
    session.explain_outlier(definition, point=[0.5] * columns, h=1, max_size=1, epsilon=1)
