"""The search for the least epsilon that suffices."""

from fractions import Fraction

import pytest

from eremite import InputError
from eremite.forecast.ladder import least_epsilon


@pytest.mark.parametrize("least", ["0.000001", "0.0037", "1", "9.9"])
def test_least_epsilon_is_where_no_turns_to_yes(least):
    assert least_epsilon(lambda epsilon: epsilon >= Fraction(least)) == Fraction(least)


def test_no_epsilon_may_suffice():
    assert least_epsilon(lambda epsilon: False) is None


def test_refused_epsilons_are_too_small():
    def suffices(epsilon):
        if epsilon < Fraction(1, 100):
            raise InputError("Ask for a larger epsilon.")
        return True

    assert least_epsilon(suffices) == Fraction(1, 100)


def test_question_that_is_refused_at_every_epsilon_is_refused():
    def suffices(epsilon):
        raise InputError("No column has this name.")

    with pytest.raises(InputError, match=r"^No column has this name\.$"):
        least_epsilon(suffices)
