from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from eremite import Privacy
from eremite.ledger import Cost, Refusal, decide
from eremite.ledger.budget import Budget
from eremite.ledger.remaining import in_words, remaining, remaining_delta, remaining_epsilon
from tests.unit.ledger.histories import CAPS, COSTS

STEP = Fraction(1, 10**6)


@given(CAPS, st.lists(COSTS, max_size=15))
def test_what_is_left_is_admitted_and_more_is_not(cap, wanted):
    here = (Budget("d", cap),)
    for cost in wanted:
        decision = decide(here, cost)
        here = here if isinstance(decision, Refusal) else decision
    epsilon = remaining_epsilon(here[0])
    assert epsilon is not None
    if epsilon:
        assert not isinstance(decide(here, Cost.pure(epsilon)), Refusal)
    assert isinstance(decide(here, Cost.pure(epsilon + STEP)), Refusal)


@given(CAPS, st.lists(COSTS, max_size=15))
def test_delta_that_is_left_is_admitted_beside_some_epsilon_and_more_is_not(cap, wanted):
    here = (Budget("d", cap),)
    for cost in wanted:
        decision = decide(here, cost)
        here = here if isinstance(decision, Refusal) else decision
    delta, little = remaining_delta(here[0]), Fraction(1, 10**30)
    if delta:
        assert not isinstance(decide(here, Cost.approximate(little, delta)), Refusal)
    assert isinstance(decide(here, Cost.approximate(little, delta + Fraction(1, 10**12))), Refusal)


def test_words():
    assert in_words(Budget("Account 'alice'", None)) == "Account 'alice' has no cap of its own."
    capped = Budget("Account 'alice'", Privacy(Fraction(1), Fraction(1, 10**6)))
    assert in_words(capped) == "Account 'alice' has epsilon 1, delta 1e-06 left of epsilon 1, delta 1e-06."


def test_lowered_cap_leaves_nothing_not_less():
    (after,) = decide((Budget("d", Privacy(Fraction(2))),), Cost.pure(Fraction(1)))
    assert remaining(Budget("d", Privacy(Fraction(1, 2)), after.spent)) == Privacy(Fraction(0))
    assert remaining(Budget("d", Privacy(Fraction(1, 2), Fraction(1, 100)), after.spent)).epsilon == 0
