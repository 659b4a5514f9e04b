"""The constants of Theorems 2 and 4, tuned radii, z-scores, and the noise that ours is compared by."""

from fractions import Fraction
from math import exp, floor, log, sqrt

import numpy as np
import pytest

from eremite.mechanisms import GlobalGaussian, PaperGaussian, SmoothLaplace
from eremite.outliers import OutlierDefinition
from eremite.privacy import Privacy
from eremite.queries.choice import chosen
from eremite.sensitivity.relation import Relation
from eremite_paper import scenario_1, theorem_2, theorem_4, whole_adult
from eremite_paper.datasets import synthetic_1
from eremite_paper.global_sensitivity import moved
from eremite_paper.guarantees import scaled_tables
from eremite_paper.our_noise import by_reach, by_smooth_laplace
from eremite_paper.tuned_radius import accuracy, tuned_radius
from eremite_paper.z_scores import z_scored
from tests.definition import outliers_by_definition


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "0.9"])
def test_theorems_have_the_constants_of_the_mechanisms(epsilon):
    e, delta = Fraction(epsilon), Fraction(1, 100)
    assert theorem_2.deviation(13, float(e), 0.01) == pytest.approx(13 * float(GlobalGaussian(e, delta).sigma))
    papers = PaperGaussian(e, delta)
    assert theorem_4.deviation(2, float(e), 0.01) == pytest.approx(2 * float(papers.sigma))
    assert theorem_4.beta(float(e), 0.01) == pytest.approx(-log(papers.decay), rel=1e-6)


def test_theorem_4_alone_exceeds_what_the_paper_reports():
    assert 1 / theorem_4.alpha(0.7, 0.01) == pytest.approx(5 * sqrt(2 * log(200)) / 0.7)
    assert 1 / theorem_4.alpha(0.7, 0.01) > 3 * 7


def test_smooth_laplace_counts_by_definition_and_scales_the_unit_noise():
    points, definition = synthetic_1(3), OutlierDefinition(min_neighbors=3, radius=1.1)
    seen = by_smooth_laplace(points, definition, Fraction(7, 10))
    assert seen.count == outliers_by_definition(points, 3, 1.1)
    assert seen.deviation == pytest.approx(seen.bound * SmoothLaplace(Fraction(7, 10)).deviation)
    assert seen.half_width == pytest.approx(seen.bound * SmoothLaplace(Fraction(7, 10)).half_width())


def law_by_definition(value, sensitivity, epsilon):
    """The chance of every answer for a value on the grid of 1/64, by the law as it is stated."""
    rate, chances = epsilon / (64 * sensitivity), {}
    furthest = int(40 / rate)
    for z in range(-furthest, furthest + 1):
        answer = floor(value + z / 64 + 1 / 2)
        chances[answer] = chances.get(answer, 0) + exp(-rate * abs(z))
    return {answer: weight / sum(chances.values()) for answer, weight in chances.items()}


@pytest.mark.parametrize("epsilon", [0.2, 0.7, 2])
@pytest.mark.parametrize("crowd", [0, 3])
def test_count_by_reach_is_as_far_off_as_its_law_says(epsilon, crowd):
    """Rows far apart all count; of three rows in one place that lack a neighbor each, D = 1 holds two back."""
    apart = np.arange(6.0)[:, None] * 10
    points = np.vstack([apart, np.full((crowd, 1), -50.0)])
    seen = by_reach(points, OutlierDefinition(min_neighbors=3, radius=1), Fraction(str(epsilon)))
    assert (seen.count, seen.reach, seen.held_back) == (6 + crowd, 1, max(0, crowd - 1))
    law = law_by_definition(seen.count - seen.held_back, 2 + 1 / 32, epsilon)
    square = sum(chance * (answer - seen.count) ** 2 for answer, chance in law.items())
    assert seen.deviation == pytest.approx(sqrt(square), rel=0.01)
    assert seen.deviation == pytest.approx(sqrt(seen.noise**2 + seen.held_back**2))
    near, closer = (
        sum(chance for answer, chance in law.items() if abs(answer - seen.count) <= seen.half_width + more)
        for more in (0.5, -1)
    )
    assert closer < 0.95 <= near


@pytest.mark.parametrize(("epsilon", "most"), [("0.7", 4.3), ("0.9", 3.4)])
def test_synthetic_1_is_counted_as_closely_as_the_paper_claims(epsilon, most):
    definition = OutlierDefinition(min_neighbors=3, radius=1.1)
    seen = [by_reach(synthetic_1(seed), definition, Fraction(epsilon)) for seed in range(60)]
    assert sqrt(np.mean([one.deviation**2 for one in seen])) <= most


def test_counts_of_the_experiments_are_answered_by_reach():
    """What the reproduction calls ours is what a count takes by itself."""
    asked = [(50, d, scenario_1.K, epsilon) for d in (2, 7) for epsilon in scenario_1.EPSILONS]
    asked += [(48_842, len(columns), whole_adult.K, e) for columns in whole_adult.RADIUS for e in whole_adult.EPSILONS]
    for n, d, k, epsilon in asked:
        assert chosen(Privacy(epsilon), Relation("replace", n), d, k) == "reach"


def test_tuned_radius_has_the_best_accuracy_of_all():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        points, outlying = rng.normal(size=(20, 2)), rng.uniform(size=20) < 0.3
        picked = tuned_radius(points, outlying, 2)

        def share(radius, points=points, outlying=outlying):
            return accuracy(points, outlying, OutlierDefinition(min_neighbors=2, radius=float(radius)))

        assert share(picked) == max(share(radius) for radius in np.linspace(0.01, 3, 1000))


def test_z_scores_have_mean_0_and_variance_1_and_a_constant_column_becomes_0():
    rows = np.column_stack([np.random.default_rng(0).normal(5, 3, 40), np.full(40, 7.0)])
    scored = z_scored(rows)
    assert scored.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert scored.std(axis=0) == pytest.approx([1, 0])


def test_z_scores_move_the_count_further_than_any_bound_allows():
    before, after = scaled_tables()
    assert (before != after).any(axis=1).sum() == 1
    counts = [outliers_by_definition(z_scored(table), 3, 0.1) for table in (before, after)]
    assert abs(counts[0] - counts[1]) == 49
    assert 49 > 3 * 6 + 1


def test_moved_is_the_change_of_the_count_by_definition():
    corners = np.array([[0.9], [-0.9]])
    rows = np.repeat(corners, 2, axis=0)
    before, after = (outliers_by_definition(np.vstack([[[x]], rows]), 2, 1.0) for x in (0.0, 9.0))
    assert moved(corners, 2) == after - before == 5
