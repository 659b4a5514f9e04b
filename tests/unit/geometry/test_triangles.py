"""Triangles found once serve the thinned truss of every part of the points."""

import numpy as np
import pytest

from eremite.geometry.graph import near_graph, part_of_graph
from eremite.geometry.thinned import thinned_truss_of_graph
from eremite.geometry.triangles import thinned_truss_of_part, triangles_up_to

RADIUS = 0.3


def points_and_triangles(rng, d):
    n = int(rng.integers(1, 25))
    points = rng.random((n, d)) if rng.random() < 0.6 else rng.integers(0, 5, (n, d)) / 4  # ties and equal points
    graph = near_graph(points, RADIUS)
    return graph, triangles_up_to(graph, graph.squares <= RADIUS**2, RADIUS, 10**9)


def part_of(rng, graph):
    return np.sort(rng.permutation(graph.size)[: rng.integers(1, graph.size + 1)])


def truss_of_part(triangles, graph, places, most_near, floor, known=None):
    inside = np.zeros(graph.size, bool)
    inside[places] = True
    return thinned_truss_of_part(triangles, inside, most_near, floor, known)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_truss_of_a_part_is_that_of_its_own_graph(d):
    rng = np.random.default_rng(d)
    for _ in range(25):
        graph, triangles = points_and_triangles(rng, d)
        places = part_of(rng, graph)
        own = part_of_graph(graph, places)
        for most_near, floor in ((0, 0), (1, 0), (2, 3), (4, 0), (4, 5)):
            wanted = thinned_truss_of_graph(own, own.squares <= RADIUS**2, RADIUS, most_near, floor)
            assert truss_of_part(triangles, graph, places, most_near, floor)[0] == wanted


@pytest.mark.parametrize("d", [2, 3])
def test_what_is_known_of_more_points_serves_fewer(d):
    """Handed on from the whole to a part and to a part of that, with any floors."""
    rng = np.random.default_rng(10 + d)
    for _ in range(40):
        graph, triangles = points_and_triangles(rng, d)
        places, most_near, known = np.arange(graph.size), int(rng.integers(0, 4)), None
        for _ in range(3):
            floor = int(rng.integers(0, 6))
            wanted = truss_of_part(triangles, graph, places, most_near, floor)[0]
            found, known = truss_of_part(triangles, graph, places, most_near, floor, known)
            assert found == wanted
            places = np.sort(rng.permutation(places)[: max(1, places.size * 2 // 3)])


def test_triangles_are_given_up_on_where_they_are_too_many():
    graph = near_graph(np.zeros((12, 2)), 1.0)
    near = np.ones(graph.neighbors.size, bool)
    assert triangles_up_to(graph, near, 1.0, 219) is None
    assert triangles_up_to(graph, near, 1.0, 220).ones.size == 3 * 220
    assert triangles_up_to(graph, near, 1.0, 1) is None
