"""Neighbor lists of every method, held against the definition."""

import numpy as np
import pytest

from eremite.engines import cells, line, tree
from eremite.engines.pair import squared_radius
from tests.definition import are_neighbors


def by_line(points, rows, starts, squared):
    return line.list_neighbors(line.build(points), points, rows, starts, squared)


def by_cells(points, rows, starts, squared):
    grid = cells.build(points, squared, 1)
    return None if grid is None else cells.list_neighbors(grid, points, rows, starts, squared, 1)


def by_tree(points, rows, starts, squared):
    return tree.list_neighbors(tree.build(points, 1), points, rows, starts, squared, 1)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 9])
def test_lists_are_those_of_the_definition(d):
    rng = np.random.default_rng(d)
    methods = (by_line if d == 1 else by_cells, by_tree) if d <= cells.MOST_COLUMNS else (by_tree,)
    for points in (rng.integers(0, 4, (90, d)) / 4, rng.random((140, d))):
        for radius in (0.25, 0.5):
            rows = rng.permutation(len(points))[:12]
            wanted = [[j for j, q in enumerate(points) if j != i and are_neighbors(points[i], q, radius)] for i in rows]
            starts = np.concatenate([[0], np.cumsum([len(near) for near in wanted])])
            for method in methods:
                found = method(points, rows, starts, squared_radius(radius, d))
                if found is not None:
                    assert [sorted(part.tolist()) for part in np.split(found, starts[1:-1])] == wanted


def test_degrees_are_given_up_on_where_they_add_up_to_too_many():
    points = np.random.default_rng(1).random((300, 3))
    boxes = tree.build(points, 1)
    degrees = tree.count(boxes, 0.05, len(points), 1)
    for most in (degrees.sum(), degrees.sum() - 1, 0):
        found = tree.count_up_to(boxes, 0.05, int(most), 1)
        assert found is None if most < degrees.sum() else (found == degrees).all()
