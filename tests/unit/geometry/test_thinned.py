"""Thinned core and truss against their definitions, and the properties that make them admissible."""

import os
from itertools import pairwise

import numpy as np
import pytest

from eremite.engines.pair import squared_radius
from eremite.geometry.core import core_of_graph
from eremite.geometry.graph import near_graph
from eremite.geometry.thinned import (
    near_edges,
    thinned_core_of_graph,
    thinned_truss_of_ball,
    thinned_truss_of_graph,
)
from eremite.geometry.truss import truss_of_graph
from tests.definition import (
    are_neighbors,
    thinned_core_by_definition,
    thinned_depth_by_definition,
    thinned_truss_by_definition,
)

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"


def core(points, radius, k, floor=0):
    graph = near_graph(points, euclidean(points, radius))
    return thinned_core_of_graph(graph, flags(graph, points, radius), k - 1, floor)


def truss(points, radius, k, floor=0):
    distance = euclidean(points, radius)
    graph = near_graph(points, distance)
    return thinned_truss_of_graph(graph, flags(graph, points, radius), distance, k - 1, floor)


def euclidean(points, radius):
    return float(radius * np.sqrt(points.shape[1]))


def flags(graph, points, radius):
    return near_edges(graph, points, squared_radius(radius, points.shape[1]))


def small_sets(seed, count, most=9):
    """Few points, some on a grid where they tie and coincide, with a radius that ties on it; and k."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, d = int(rng.integers(0, most)), int(rng.integers(1, 4))
        if rng.random() < 0.6:
            points, radius = rng.integers(0, 3, (n, d)) / 2, float(rng.choice([0.5, np.sqrt(0.5 / d)]))
        else:
            points, radius = rng.normal(0, 0.6, (n, d)), float(rng.uniform(0.2, 0.9))
        yield points.astype(float), radius, int(rng.integers(1, 5))


def crowds(seed, count):
    """Sets too large to be written out: clumps of several sizes. A few smaller ones where nothing is compiled."""
    rng = np.random.default_rng(seed)
    for _ in range(count if COMPILED else 2):
        d, n = int(rng.integers(1, 6)), int(rng.integers(20, 60)) if COMPILED else 16
        centers = rng.normal(0, 0.7, (int(rng.integers(2, 7)), d))
        yield rng.normal(centers[rng.integers(0, len(centers), n)], 0.15), float(rng.uniform(0.3, 0.6)), 1 + n % 6


@pytest.mark.parametrize("seed", range(4))
def test_thinned_bounds_equal_their_definitions(seed):
    for points, radius, k in small_sets(seed, 25):
        assert core(points, radius, k) == thinned_core_by_definition(points, radius, k)
        assert truss(points, radius, k) == thinned_truss_by_definition(points, radius, k)


def test_thinned_bounds_are_ordered():
    """H2 to H4: thinned depth <= thinned truss <= thinned core; each below the one that is not thinned."""
    for points, radius, k in small_sets(10, 60):
        assert thinned_depth_by_definition(points, radius, k) <= truss(points, radius, k)
    for points, radius, k in (*small_sets(11, 60), *crowds(12, 60)):
        distance = euclidean(points, radius)
        graph = near_graph(points, distance)
        assert truss(points, radius, k) <= core(points, radius, k) <= core_of_graph(graph)
        assert truss(points, radius, k) <= truss_of_graph(graph, distance)


def test_thinned_bounds_are_those_of_the_graph_where_all_may_be_near():
    for points, radius, _ in crowds(13, 40):
        distance = euclidean(points, radius)
        graph = near_graph(points, distance)
        assert core(points, radius, len(points)) == core_of_graph(graph)
        assert truss(points, radius, len(points)) == truss_of_graph(graph, distance)


@pytest.mark.parametrize("bound", [core, truss])
def test_thinned_bounds_grow_by_one_at_most_with_each_point(bound):
    for points, radius, k in (*small_sets(14, 60), *crowds(15, 12)):
        grown = [bound(points[:n], radius, k) for n in range(len(points) + 1)]
        assert grown[0] == 0
        assert all(0 <= after - before <= 1 for before, after in pairwise(grown))


@pytest.mark.parametrize("bound", [core, truss])
def test_thinned_bounds_with_a_floor_are_the_larger_of_both(bound):
    for points, radius, k in (*small_sets(16, 30), *crowds(17, 20)):
        value = bound(points, radius, k)
        for floor in (1, value - 2, value - 1, value, value + 1, len(points)):
            assert bound(points, radius, k, max(0, floor)) == max(0, floor, value)


@pytest.mark.parametrize("bound", [core, truss])
def test_thinned_bounds_do_not_depend_on_the_order_of_points(bound):
    rng = np.random.default_rng(18)
    for points, radius, k in crowds(19, 20):
        assert bound(points, radius, k) == bound(points[rng.permutation(len(points))], radius, k)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_thinned_bounds_count_k_copies_of_a_row(k):
    for n in range(8):
        points = np.full((n, 2), 0.25)
        assert core(points, 0.1, k) == truss(points, 0.1, k) == min(n, k)


def test_thinned_truss_of_a_ball_is_that_of_its_graph():
    """H5: rows around a row are all joined, and every three of them fit."""
    rng = np.random.default_rng(20)
    for points, radius, k in (*small_sets(21, 60), *crowds(22, 60)):
        for center in points[:3]:
            ball = points[[are_neighbors(p, center, radius) for p in points]]
            floor = int(rng.integers(0, 6))
            found = thinned_truss_of_ball(ball, squared_radius(radius, points.shape[1]), k - 1, floor)
            assert found == max(floor, truss(ball, radius, k))


def test_near_edges_are_decided_as_the_engine_decides_them():
    """Many rows are at the distance r, up to rounding, and lie on both sides of it."""
    split = 0
    points = np.array([[0.1 * i, 0.1 * j] for i in range(4) for j in range(4)])
    for radius in (0.1, 0.1 / np.sqrt(2), 0.2, 0.3 / np.sqrt(2)):
        graph = near_graph(points, euclidean(points, radius))
        owners = np.repeat(np.arange(graph.size), np.diff(graph.starts))
        wanted = [are_neighbors(points[u], points[v], radius) for u, v in zip(owners, graph.neighbors, strict=True)]
        assert flags(graph, points, radius).tolist() == wanted
        at_distance = np.isclose(graph.squares, squared_radius(radius, 2))
        split += len(set(np.array(wanted)[at_distance])) == 2
    assert split > 0
