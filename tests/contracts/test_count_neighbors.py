"""The contract of `CountNeighbors` and `FindNeighbors`: whoever counts or lists, the definition says what."""

from functools import partial

import numpy as np
import pytest

from eremite.engines import count_neighbors, find_neighbors
from eremite.engines.local import count_neighbors_with, find_neighbors_with
from tests.definition import are_neighbors, degrees_by_definition

ENGINES = {
    "local": count_neighbors,
    "local, one core": partial(count_neighbors_with, 1),
    "local, four threads": partial(count_neighbors_with, 4),
}


LISTING_ENGINES = {
    "local": find_neighbors,
    "local, one core": partial(find_neighbors_with, 1),
    "local, four threads": partial(find_neighbors_with, 4),
}


@pytest.fixture(params=ENGINES)
def count(request):
    return ENGINES[request.param]


@pytest.fixture(params=LISTING_ENGINES)
def find(request):
    return LISTING_ENGINES[request.param]


@pytest.mark.parametrize("d", [1, 2, 3, 4, 6, 12])
@pytest.mark.parametrize("cap", [None, 0, 3])
def test_engine_counts_what_the_definition_counts(count, d, cap):
    points = np.random.default_rng(d).integers(0, 4, (150, d)) / 4
    assert count(points, 0.25, cap).tolist() == degrees_by_definition(points, 0.25, cap)


@pytest.mark.parametrize("d", [1, 2, 5, 9])
@pytest.mark.parametrize("radius", [1e150, 1e-140, 0.0])
def test_engine_counts_what_the_definition_counts_at_the_ends_of_the_range(count, d, radius):
    """Coordinates as large as they may be, one float less, and gaps whose squares vanish; equal rows among them."""
    values = [1e150, -1e150, np.nextafter(1e150, 0), 0.0, 5e-324, 1e-140 * np.sqrt(d), 1.1e-162, 2.3e-162]
    points = np.random.default_rng(d).choice(values, (60, d))
    for cap in (None, 0, 1, 60):
        assert count(points, radius, cap).tolist() == degrees_by_definition(points, radius, cap)


def test_engine_counts_no_neighbor_of_a_row_alone(count):
    for d in (1, 2, 5, 9):
        assert [count(np.full((1, d), 1e150), 1e-140, cap).tolist() for cap in (None, 0, 1)] == [[0]] * 3


def test_engine_returns_one_integer_a_row_also_for_no_rows(count):
    found = count(np.empty((0, 3)), 0.1, None)
    assert found.dtype == np.int64
    assert found.shape == (0,)


def test_engine_counts_equal_rows_as_neighbors(count):
    assert count(np.zeros((7, 3)), 0.0, None).tolist() == [6] * 7


def test_engine_leaves_its_input_alone(count):
    points = np.random.default_rng(0).uniform(0, 1, (200, 3))
    points.flags.writeable = False
    before = points.copy()
    count(points, 0.1, 5)
    assert np.array_equal(points, before)


def test_engine_may_be_called_from_several_threads_at_once(count):
    from concurrent.futures import ThreadPoolExecutor

    points = np.random.default_rng(5).uniform(0, 1, (3000, 3))
    wanted = count(points, 0.05, 20).tolist()
    with ThreadPoolExecutor(6) as pool:
        assert all(found.tolist() == wanted for found in pool.map(lambda _: count(points, 0.05, 20), range(12)))


def lists_of(found, rows):
    """The lists that came one after the other, each in order."""
    stops = np.cumsum(found.degrees[rows])
    return [sorted(part.tolist()) for part in np.split(found.of(rows), stops[:-1])]


def lists_by_definition(points, radius, rows):
    every = points.tolist()
    return [[j for j, q in enumerate(every) if j != i and are_neighbors(every[i], q, radius)] for i in rows]


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6, 12])
@pytest.mark.parametrize("radius", [0.05, 0.25, 0.5])
def test_engine_lists_what_the_definition_lists(find, d, radius):
    """Ties, equal rows, rows in any order and twice; a row of the cap or more is not asked for."""
    rng = np.random.default_rng(d)
    for points in (rng.integers(0, 4, (150, d)) / 4, rng.random((200, d))):
        found = find(points, radius, 30)
        rows = rng.permutation(np.flatnonzero(found.degrees < 30))
        rows = np.concatenate([rows, rows[:3]])
        if rows.size:
            assert lists_of(found, rows) == lists_by_definition(points, radius, rows)


@pytest.mark.parametrize("d", [1, 2, 5, 9])
@pytest.mark.parametrize("radius", [1e150, 1e-140, 0.0])
def test_engine_lists_what_the_definition_lists_at_the_ends_of_the_range(find, d, radius):
    values = [1e150, -1e150, np.nextafter(1e150, 0), 0.0, 5e-324, 1e-140 * np.sqrt(d), 1.1e-162, 2.3e-162]
    points = np.random.default_rng(d).choice(values, (60, d))
    found = find(points, radius, None)
    rows = np.flatnonzero(found.degrees < 60)
    assert lists_of(found, rows) == lists_by_definition(points, radius, rows)


def test_engine_lists_nothing_for_no_rows(find):
    for d in (1, 3, 9):
        assert find(np.zeros((4, d)), 0.1, None).of(np.empty(0, np.int64)).size == 0
