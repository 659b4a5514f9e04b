"""Algorithm 1 against the definition, our depth, and its own bound on the number of calls."""

import numpy as np
import pytest

from eremite.geometry import densest_ball
from eremite.paper.algorithm_1 import Searched, algorithm_1
from tests.definition import depth_by_definition


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("radius", [0.1, 0.4, 1.0])
def test_algorithm_1_finds_the_depth(d, radius):
    rng = np.random.default_rng([d, int(10 * radius)])
    for size in range(8):
        points = rng.uniform(size=(size, d)).round(1)
        found = algorithm_1(points, radius)
        assert found.size == depth_by_definition(points, radius) == (densest_ball(points, radius) if size else 0)
        assert found.calls <= 2 ** (size + 1)


def test_algorithm_1_asks_once_for_every_nonempty_node_where_all_points_fit():
    """Every subset of every prefix: 2^(n+1) - 1 nodes, of which n + 1 have an empty subset."""
    assert algorithm_1(np.zeros((6, 2)), 1.0) == Searched(6, 2**7 - 1 - 7)


def test_algorithm_1_skips_what_cannot_fit():
    """Points far apart: one ball of each single point on every level below it, one of each pair."""
    apart = np.arange(5.0)[:, None] * 10
    singles, pairs = sum(6 - i for i in range(1, 6)), 10
    assert algorithm_1(apart, 1.0) == Searched(1, singles + pairs)


def test_algorithm_1_is_given_up_beyond_the_calls_allowed():
    assert algorithm_1(np.zeros((6, 2)), 1.0, most_calls=119) == Searched(None, 119)
    assert algorithm_1(np.zeros((6, 2)), 1.0, most_calls=120).size == 6
