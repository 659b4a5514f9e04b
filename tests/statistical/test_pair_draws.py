"""Draws of two values follow the law they are said to follow, and the test would see a scale that is 10 % off."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest
from scipy.stats import chi2

from eremite.mechanisms import ReachPair
from tests.statistical.goodness import ALPHA
from tests.statistical.seeding import seeded_bits

NOISE = ReachPair(Fraction(3), 1 + Fraction(1, 32), 2 + Fraction(1, 32), 4)  # of nine steps
DRAWS = 40_000
FURTHEST = 8  # a cell for each point up to here, one for all others


@pytest.fixture(scope="module")
def points():
    with seeded_bits(2015):
        drawn = [NOISE.draw((Fraction(0), Fraction(0))).units for _ in range(DRAWS)]
    return Counter(z if max(map(abs, z)) <= FURTHEST else None for z in drawn)


def p_value(points, off=1.0):
    """Of the counts of all points near 0, if P(z) is proportional to e^(-epsilon max(|z1|, |z2|) / (9 off))."""
    r = exp(-float(NOISE.epsilon) / NOISE.steps / off)
    cells = {z: r ** max(map(abs, z)) for z in product(range(-FURTHEST, FURTHEST + 1), repeat=2)}
    whole = 1 + 8 * r / (1 - r) ** 2
    expected = np.array([*cells.values(), whole - sum(cells.values())]) * DRAWS / whole
    seen = np.array([points[z] for z in (*cells, None)])
    return chi2.sf(((seen - expected) ** 2 / expected).sum(), len(expected) - 1)


def test_draws_of_a_pair_follow_their_law(points):
    assert NOISE.steps == 9
    assert p_value(points) > ALPHA


@pytest.mark.parametrize("off", [1.1, 1 / 1.1])
def test_draws_of_a_pair_are_told_from_those_of_a_scale_ten_percent_off(points, off):
    assert p_value(points, off) < ALPHA
