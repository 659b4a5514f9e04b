"""Algorithm 3: what it draws, and that as printed it breaks the guarantee it states."""

from itertools import permutations
from math import e, exp

import numpy as np
import pytest

from eremite.paper.algorithm_3 import algorithm_3, chances, utilities
from eremite.paper.guarantees import hub_tables, ratio
from tests.definition import outliers_by_definition

RUNS = 10_000


def by_definition(scores, exponent, h):
    """The chance of every ordered pair of winners: draws repeated until a new one comes."""
    weights = [exp(exponent * score) for score in scores]
    out = {}
    for winners in permutations(range(len(scores)), h):
        chance, left = 1.0, sum(weights)
        for winner in winners:
            chance, left = chance * weights[winner] / left, left - weights[winner]
        out[winners] = chance
    return out


def as_printed(scores, exponent, h, rng):
    """Line by line: draw, and again if the item was drawn before."""
    chosen = []
    while len(chosen) < h:
        drawn = rng.choice(len(scores), p=chances(scores, exponent))
        if drawn not in chosen:
            chosen.append(int(drawn))
    return tuple(chosen)


@pytest.mark.parametrize(("factor_2", "exponent"), [(False, 1.5), (True, 0.75)])
def test_algorithm_3_has_the_distribution_of_the_printed_one(factor_2, exponent):
    scores, rng = np.array([0.0, 0.5, 2.0]), np.random.default_rng(4)
    ours = algorithm_3(scores, 3.0, 2, RUNS, rng, factor_2=factor_2).tolist()
    printed = [as_printed(scores, exponent, 2, rng) for _ in range(RUNS)]
    for winners, chance in by_definition(scores, exponent, 2).items():
        assert ours.count(list(winners)) / RUNS == pytest.approx(chance, abs=4 * np.sqrt(chance / RUNS))
        assert printed.count(winners) / RUNS == pytest.approx(chance, abs=4 * np.sqrt(chance / RUNS))


def test_algorithm_3_ends_where_one_subspace_leads_by_far():
    drawn = algorithm_3(np.array([0.0, 1.0, 500.0]), 4.0, 2, 1_000, np.random.default_rng(1), factor_2=True)
    assert set(drawn[:, 0]) == {2}
    assert set(drawn[:, 1]) == {0, 1}


def test_chances_are_those_of_the_exponential_mechanism():
    weights = np.exp([0.2, 0.4, 0.0])
    assert chances(np.array([1.0, 2.0, 0.0]), 0.2) == pytest.approx(weights / weights.sum())


def test_utilities_divide_by_the_upper_bound_of_each_size():
    assert utilities(np.array([7, 38]), np.array([1, 2]), 500, 3).tolist() == [1.0, 2.0]
    assert utilities(np.array([5]), np.array([2]), 10, 3).tolist() == [0.5]  # N caps it


def test_algorithm_3_as_printed_breaks_epsilon_on_an_explicit_pair():
    """One draw, h = 1, epsilon = 1: the pair differs in one row, and a chance changes by far more than e."""
    first, second = hub_tables()
    assert (first != second).any(axis=1).sum() == 1

    def chance(table, exponent):
        counts = [outliers_by_definition(table[:, [column]], 2, 0.11) for column in range(table.shape[1])]
        weights = [exp(exponent * count / 5) for count in counts]
        return weights[0] / sum(weights)

    printed, halved = (chance(second, x) / chance(first, x) for x in (1, 1 / 2))
    assert max(printed, 1 / printed) == pytest.approx(ratio(1))
    assert ratio(1) > 2 * e
    assert max(halved, 1 / halved) == pytest.approx(ratio(1 / 2))
    assert ratio(1 / 2) <= e
