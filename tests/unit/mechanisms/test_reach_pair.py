"""The answer between a count from below and one from above."""

from fractions import Fraction
from math import floor

import pytest

from eremite.mechanisms import Bounds, ReachPair

ONE = Fraction(1)


def bounds(noise, low, high):
    """What was drawn, near these two values."""
    return Bounds(noise, tuple(floor(value / noise.step(side)) for side, value in enumerate((low, high))))


def test_answer_is_the_lower_value_where_both_are_one():
    for noise in (ReachPair(ONE, 2, 5), ReachPair(Fraction(1, 10), 3, 3)):
        assert bounds(noise, 40, 40).middle() == 40


@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(19, 20)])
def test_answer_lies_in_its_interval_wherever_noise_has_put_the_two(confidence):
    for noise in (ReachPair(ONE, 2, 5), ReachPair(ONE, 100, 3), ReachPair(ONE, 3, 100)):
        for low, high in ((0, 0), (0, 1000), (1000, 0), (500, 510)):
            drawn = bounds(noise, low, high)
            ends = drawn.between(confidence)
            assert ends[0] <= drawn.middle(confidence) <= ends[1]


@pytest.mark.parametrize(
    ("below", "above", "weight"), [(4, 4, "2/5"), (2, 8, "1/10"), (9, 2, "41/45"), (1, 40, "1/100")]
)
def test_answer_lies_nearer_to_the_value_that_has_less_noise(below, above, weight):
    noise = ReachPair(Fraction(1, 100), below, above)  # so much noise that the answer may rise by as much
    assert noise.weight == Fraction(weight)
    assert abs(bounds(noise, 100, 160).middle() - (100 + 60 * noise.weight)) <= 1
    assert abs(bounds(noise, 160, 100).middle() - (160 - 60 * noise.weight)) <= 1


def test_upper_value_that_is_far_off_raises_the_answer_by_the_margin_of_the_lower_one():
    noise = ReachPair(ONE, 2, 2)
    assert noise.furthest == noise.margin() * noise.step(0)
    assert abs(bounds(noise, 100, 10**6).middle() - 100 - noise.furthest) <= 1
    assert 7 < noise.furthest < 9
