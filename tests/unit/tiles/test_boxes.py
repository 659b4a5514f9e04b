"""Which points touch which boxes: the tree against the definition, ties included."""

import numpy as np
import pytest

from eremite.engines import workers
from eremite.tiles import boxes as module
from eremite.tiles.boxes import Boxes

RANDOM = np.random.default_rng(5)


def by_definition(found, points, squared):
    """For each tile, the points whose squared distance to its box, added up by columns, is at most `squared`."""
    touched = {}
    for tile, (low, high) in found.items():
        near = []
        for i, point in enumerate(points.tolist()):
            total = 0.0
            for x, least, most in zip(point, low.tolist(), high.tolist(), strict=True):
                gap = max(least - x, x - most, 0.0)
                total += gap * gap
            if total <= squared:
                near.append(i)
        if near:
            touched[tile] = near
    return touched


def some_boxes(tiles, d, values):
    """Boxes with corners on a grid, of some of the tiles."""
    corners = RANDOM.integers(0, values, (len(tiles), 2, d)) / values
    kept = [number for number in tiles if RANDOM.random() < 0.8]
    return {number: (corners[at].min(axis=0), corners[at].max(axis=0)) for at, number in enumerate(kept)}


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("tiles", [range(1), range(3, 5), range(16, 32), range(64)], ids=len)
def test_touched_boxes_are_those_of_the_definition(tiles, d):
    for values in (4, 16, 10**6):
        found = some_boxes(tiles, d, values)
        points = RANDOM.integers(0, values, (200, d)) / values
        for squared in (0.0, 1 / 16, d / 8, 9.0):  # on the coarse grid, exactly the distances of some points
            touched = Boxes.of(tiles, found, d).touched_by(points, squared)
            assert {number: rows.tolist() for number, rows in touched.items()} == by_definition(found, points, squared)


def test_no_points_and_no_rows_touch_nothing():
    assert Boxes.of(range(4), {}, 2).touched_by(RANDOM.random((50, 2)), 4.0) == {}
    assert Boxes.of(range(4), some_boxes(range(4), 2, 8), 2).touched_by(np.empty((0, 2)), 4.0) == {}


def test_threads_change_no_answer(monkeypatch):
    found, points = some_boxes(range(32), 3, 16), RANDOM.random((5_000, 3))
    expected = by_definition(found, points, 0.01)
    monkeypatch.setattr(module, "_ROWS_AT_LEAST", 64)
    for threads in (1, 3):
        monkeypatch.setattr(workers, "available", lambda threads=threads: threads)
        touched = Boxes.of(range(32), found, 3).touched_by(points, 0.01)
        assert {number: rows.tolist() for number, rows in touched.items()} == expected
