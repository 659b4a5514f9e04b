"""Every way to count neighbors, held against the definition."""

import os
from unittest import mock

import numpy as np

from eremite.engines import cells, line, local, tree
from eremite.engines.pair import squared_radius
from tests.definition import degrees_by_definition

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"


def by_line(points, radius, cap, threads):
    return line.count(line.build(points), squared_radius(radius, 1), cap)


def by_cells(points, radius, cap, threads):
    """Also where its cells are nearly empty and it would give way to the tree."""
    with mock.patch.object(cells, "_RUNS_PER_ROW", 10**9):
        return by_worthy_cells(points, radius, cap, threads)


def by_worthy_cells(points, radius, cap, threads):
    squared = squared_radius(radius, points.shape[1])
    grid = cells.build(points, squared, threads)
    return None if grid is None else cells.count(grid, squared, cap, threads)


def by_tree(points, radius, cap, threads):
    return tree.count(tree.build(points, threads), squared_radius(radius, points.shape[1]), cap, threads)


def by_choice(points, radius, cap, threads):
    return local.count_neighbors_with(threads, points, radius, cap)


def methods_for(d):
    if d == 1:
        return (by_line, by_tree, by_choice)
    return (by_cells, by_tree, by_choice) if d <= cells.MOST_COLUMNS else (by_tree, by_choice)


def assert_all_agree(points, radius, caps=(0, 1, 3, None), threads=(1, 2) if COMPILED else (1,)):
    points = np.ascontiguousarray(points, dtype=float)
    exact = degrees_by_definition(points, radius)
    for cap in caps:
        limit = len(points) if cap is None else cap
        wanted = [min(degree, limit) for degree in exact]
        for method in methods_for(points.shape[1]):
            for number in threads:
                found = method(points, radius, limit, number)
                assert found is None or found.tolist() == wanted, (method.__name__, cap, number)
