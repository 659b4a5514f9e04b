from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eremite import Privacy
from eremite.ledger import Refusal, decide

AMOUNTS = st.builds(Privacy, st.fractions(0, 3, max_denominator=50), st.fractions(0, 1, max_denominator=50))
CAP = Privacy(Fraction(1), Fraction(1, 10))


@given(AMOUNTS, AMOUNTS, AMOUNTS)
def test_decision_is_the_sum_or_a_refusal(cap, spent, wanted):
    fits = spent.epsilon + wanted.epsilon <= cap.epsilon and spent.delta + wanted.delta <= cap.delta
    decision = decide(cap, spent, wanted)
    assert decision == spent + wanted if fits else isinstance(decision, Refusal)


def test_budget_is_spent_to_the_last_digit():
    left = Privacy(Fraction(1, 3), Fraction(1, 10))
    assert decide(CAP, CAP - left, left) == CAP
    more = Privacy(left.epsilon + Fraction(1, 10**300), left.delta)
    assert isinstance(decide(CAP, CAP - left, more), Refusal)


@pytest.mark.parametrize("wanted", [Privacy(Fraction(2)), Privacy(Fraction(1, 2), Fraction(1, 5))])
def test_either_part_alone_is_refused(wanted):
    assert isinstance(decide(CAP, Privacy(Fraction(0)), wanted), Refusal)


def test_refusal_says_what_is_wanted_and_what_is_left():
    refusal = decide(CAP, Privacy(Fraction(9, 10)), Privacy(Fraction(1, 4)))
    assert refusal == Refusal(
        "This release needs epsilon 0.25; what is left of the budget is epsilon 0.1, delta 0.1. "
        "Ask for less, or have the custodian raise the budget."
    )


def test_refusal_is_one_however_long_the_fractions():
    spent = sum((Privacy(Fraction(1, 10**299 + 2 * i + 1)) for i in range(20)), Privacy(Fraction(0)))
    assert isinstance(decide(CAP, spent, Privacy(Fraction(1))), Refusal)
