from math import floor

import numpy as np
import pytest

from eremite.reach import covers
from eremite.reach.grid import MOST_COLUMNS, Grid

THRESHOLD = 3


def heavy_by_definition(grid, points, strata, weights):
    """Whether a row is in a block of cells that holds more than the threshold, tried for every block."""
    cells = [tuple(floor((x - low) / grid.width) for x, low in zip(p, grid.lows, strict=True)) for p in points.tolist()]
    found = np.zeros(len(points), bool)
    for corner in np.ndindex(*(n + grid.span for n in grid.shape[1:])):
        begin = [c - grid.span + 1 for c in corner]
        for stratum in set(strata.tolist()):
            inside = [
                s == stratum and all(b <= c < b + grid.span for b, c in zip(begin, cell, strict=True))
                for s, cell in zip(strata.tolist(), cells, strict=True)
            ]
            if weights[inside].sum() > THRESHOLD:
                found |= inside
    return found


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_heavy_cells_are_those_of_the_definition(d, seed):
    rng = np.random.default_rng(seed)
    points, strata = rng.random((30, d)), rng.integers(0, 2, 30)
    weights = rng.integers(1, 3, 30)
    grid = Grid.of((0.0,) * d, (1.0,) * d, 2, 0.4, 0.3 + 0.1 * seed, 10**6)
    cells = grid.cells(points, strata)
    assert cells.min() >= 0
    assert cells.max() < grid.size
    sums = np.bincount(cells, weights, grid.size).astype(np.int64)
    assert (grid.heavy(sums, THRESHOLD)[cells] == heavy_by_definition(grid, points, strata, weights)).all()


def test_no_grid_where_cells_are_too_many_or_columns():
    ends = (0.0, 0.0), (1.0, 1.0)
    assert Grid.of(*ends, 1, 0.1, 0.2, 10**6).width == 0.025
    coarse = Grid.of(*ends, 1, 0.1, 0.2, 400)
    assert 0.025 < coarse.width <= 0.1
    assert coarse.size <= 400
    assert Grid.of(*ends, 5, 0.1, 0.2, 400) is None
    assert Grid.of((0.0,) * (MOST_COLUMNS + 1), (1.0,) * (MOST_COLUMNS + 1), 1, 1.0, 2.0, 10**6) is None


@pytest.mark.parametrize("d", [1, 2, 3])
def test_rows_of_heavy_covers_are_in_heavy_blocks(d):
    rng = np.random.default_rng(d)
    radius, ratio, reach = 0.2, covers.ratio_for(d, 1, "above"), 1
    for scale in (0.0, 1.0, 1e5, 1e9):
        points = rng.random((12, d))[rng.integers(12, size=120)] + rng.normal(0, 0.02, (120, d)) + scale
        strata, gaps = np.sort(rng.integers(0, 2, 120)), rng.integers(1, 9, 120)
        inside = covers.in_heavy_blocks(points, strata, gaps, radius, ratio, reach)
        places = covers.Places(points, strata, gaps, np.ones(120, np.int64))
        found = covers.Covers(places, radius, reach, ratio)
        crowded = {tuple(row) for row in np.column_stack([found.crowded.points, found.crowded.strata]).tolist()}
        held = {int(row) for part in found for row in part.rows}
        rows = np.column_stack([found.crowded.points, found.crowded.strata])[sorted(held)].tolist()
        assert {tuple(row) for row in rows} <= {
            tuple(row) for row in np.column_stack([points, strata])[inside].tolist()
        }
        assert crowded


def test_no_row_is_in_no_block():
    none = np.empty((0, 2))
    assert covers.in_heavy_blocks(none, np.empty(0, np.int64), np.empty(0, np.int64), 0.1, 0.1, 1).size == 0
