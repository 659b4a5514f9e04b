"""Algorithm 2 against the plain maximum over all steps, and against Algorithm 1 in its place."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from eremite.mechanisms.decay import decay_above
from eremite.outliers import OutlierDefinition
from eremite_paper.algorithm_1 import algorithm_1
from eremite_paper.algorithm_2 import Levels, algorithm_2
from eremite_paper.at_scale import smooth_sensitivity, smooth_sensitivity_at_least
from eremite_paper.datasets import grown, synthetic_1
from tests.definition import degrees_by_definition, depth_by_definition


def smooth_by_definition(points, k, radius, beta):
    """max over t of e^(-t beta) min(N, most of a window in one ball + t + 1), every t tried."""
    degrees = np.array(degrees_by_definition(points, radius))
    distance = radius * np.sqrt(points.shape[1])

    def local(t):
        held = max(depth_by_definition(points[np.abs(degrees - j) <= t], distance) for j in (k, k - 1))
        return min(len(points), held + t + 1)

    return max(exp(-t * beta) * local(t) for t in range(len(points) + 1))


@pytest.mark.long
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("beta", [0.03, 0.2, 1.0, 3.0])
def test_algorithm_2_is_the_maximum_over_all_steps(d, k, beta):
    rng = np.random.default_rng([d, k])
    for _ in range(3):
        points = rng.uniform(size=(7, d)).round(1)
        levels = Levels(points, OutlierDefinition(min_neighbors=k, radius=0.3))
        assert algorithm_2(levels, beta) == pytest.approx(smooth_by_definition(points, k, 0.3, beta), rel=1e-12)


def test_algorithm_2_says_the_same_with_algorithm_1_inside():
    points = synthetic_1(0)[35:]
    definition = OutlierDefinition(min_neighbors=3, radius=0.5)
    literal = Levels(points, definition, lambda rows, radius: algorithm_1(rows, radius).size)
    assert algorithm_2(literal, 0.3) == algorithm_2(Levels(points, definition), 0.3)


def test_algorithm_2_stops_before_it_has_looked_at_every_step():
    """Propositions 3 and 4: with a steep decay only the first windows are searched."""
    searched = []

    def one(rows, _):
        searched.append(len(rows))
        return min(1, len(rows))

    algorithm_2(Levels(synthetic_1(0), OutlierDefinition(min_neighbors=3, radius=1.1), one), 3.0)
    assert len(searched) < 10


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "2"])
def test_smooth_sensitivity_at_scale_agrees_and_its_lower_bound_is_one(epsilon):
    points, definition = grown(60, 2, 1), OutlierDefinition(min_neighbors=3, radius=0.5)
    beta = Fraction(epsilon) / 8
    literal = algorithm_2(Levels(points, definition), float(beta))
    assert smooth_sensitivity(points, definition, decay_above(beta)) == pytest.approx(literal, rel=1e-6)
    assert 0.4 * literal < smooth_sensitivity_at_least(points, definition, float(beta)) <= literal * (1 + 1e-9)
