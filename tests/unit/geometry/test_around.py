"""Rows of a window around one row of the table, counted and listed."""

import numpy as np
import pytest

from eremite.engines import find_neighbors, low_rows
from eremite.geometry.around import Around
from tests.definition import are_neighbors, around_rows_by_definition


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_crowds_are_those_of_the_definition(d):
    rng = np.random.default_rng(d)
    for _ in range(8):
        points = rng.integers(0, 4, (40, d)) / 4
        radius = float(rng.uniform(0.1, 0.5))
        neighbors = find_neighbors(points, radius, 12)
        numbers = np.flatnonzero(neighbors.degrees < 12)
        around = Around(low_rows(points, radius, 5, 12))
        for _ in range(4):  # lists asked for before, and new ones
            window = np.sort(rng.permutation(numbers.size)[: rng.integers(0, numbers.size + 1)])
            inside = np.isin(np.arange(40), numbers[window])
            assert around.most(window) == around_rows_by_definition(points, inside, radius)
            for floor in (0, 1, 3):
                found = [sorted(numbers[crowd].tolist()) for crowd in around.crowds(window, floor)]
                assert sorted(found) == sorted(crowds_by_definition(points, inside, radius, floor))
                assert [len(crowd) for crowd in found] == sorted(map(len, found), reverse=True)


def crowds_by_definition(points, window, radius, floor):
    crowds = [
        [j for j, q in enumerate(points) if j != i and window[j] and are_neighbors(p, q, radius)]
        for i, p in enumerate(points)
    ]
    return [crowd for crowd in crowds if len(crowd) > floor]
