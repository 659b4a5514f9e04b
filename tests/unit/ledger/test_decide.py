"""The decision against the rule written out slowly, and against what mechanisms can really do."""

from fractions import Fraction
from math import comb, exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eremite import Privacy
from eremite.ledger import Cost, Refusal, budget, decide
from eremite.ledger.budget import Budget, Limit, Spent, limits
from eremite.ledger.zcdp import largest_rho
from tests.unit.ledger.histories import CAPS, COSTS, true_delta


def admitted_by_definition(cap: Privacy, history: list[Cost]) -> bool:
    """Whether these charges, all together, keep the cap: the rule of the proof, spelled out."""
    epsilon, delta = sum(c.epsilon for c in history), sum(c.delta for c in history)
    if cap.delta == 0:
        return epsilon <= cap.epsilon and delta == 0
    first, most = history[0], largest_rho(cap.epsilon, cap.delta / 4)
    if first.delta > cap.delta / 2 and (first.rho > most or first.rho_delta > cap.delta / 4):
        return epsilon <= cap.epsilon and delta <= cap.delta
    by_sums = epsilon <= cap.epsilon and delta <= cap.delta / 2
    rho, rho_delta = sum(c.rho for c in history), sum(c.rho_delta for c in history)
    by_zcdp = rho <= largest_rho(cap.epsilon, cap.delta / 4) and rho_delta <= cap.delta / 4
    return by_sums or by_zcdp


@given(CAPS, st.none() | CAPS, st.lists(COSTS, max_size=25))
def test_random_histories_keep_both_caps_and_nothing_is_refused_without_need(cap, own, wanted):
    budgets, admitted = (Budget("Dataset 'd'", cap), Budget("Account 'a'", own)), []
    for cost in wanted:
        decision = decide(budgets, cost)
        fits = all(c is None or admitted_by_definition(c, [*admitted, cost]) for c in (cap, own))
        assert isinstance(decision, Refusal) != fits
        if not isinstance(decision, Refusal):
            budgets, admitted = decision, [*admitted, cost]
    assert budgets[0].spent.epsilon == budgets[1].spent.epsilon == sum(c.epsilon for c in admitted)


@given(
    st.fractions(Fraction(1, 10), 3, max_denominator=10),
    st.sampled_from([Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 5), Fraction(4, 5)]),
    st.lists(st.integers(1, 40).map(lambda i: Fraction(i, 40)), max_size=60),
)
def test_admitted_releases_never_tell_more_than_the_cap(epsilon, delta, wanted):
    budgets, admitted = (Budget("d", Privacy(epsilon, delta)),), []
    for each in wanted:
        decision = decide(budgets, Cost.pure(each))
        if not isinstance(decision, Refusal):
            budgets, admitted = decision, [*admitted, float(each)]
    assert true_delta(admitted, float(epsilon)) <= float(delta)


def adversary(cap: Privacy, step: Fraction) -> float:
    """The most that a clever analyst gets beyond e^E: small releases until sums are used up, then a look at them.

    If they told much, go on by zCDP, where epsilon may exceed E. If they did not, take all of delta by sums, as a
    release that shows the table with that probability and nothing otherwise.
    """
    most, e = exp(cap.epsilon), float(step)
    sums, zcdp = limits(cap, sums_only=False)
    first, in_all = int(sums.loss / step), int(2 * zcdp.loss / step**2)
    assert in_all > first
    high, low, total = exp(e) / (1 + exp(e)), 1 / (1 + exp(e)), 0.0
    for k in range(first + 1):
        seen = comb(first, k) * high**k * low ** (first - k), comb(first, k) * low**k * high ** (first - k)
        more = in_all - first
        going_on = sum(
            max(0.0, seen[0] * comb(more, j) * high**j * low ** (more - j)
                - most * seen[1] * comb(more, j) * low**j * high ** (more - j))
            for j in range(more + 1)
        )  # fmt: skip
        total += max(going_on, seen[0] * float(sums.delta))
    return total


CLEVER = Privacy(Fraction(1), Fraction(1, 1000)), Fraction(1, 50)


def test_adversary_who_chooses_the_branch_by_the_answers_stays_within_delta():
    cap, step = CLEVER
    assert float(cap.delta) / 2 < adversary(cap, step) <= float(cap.delta)


def test_adversary_beats_the_mutant_that_gives_each_branch_all_of_delta(monkeypatch):
    def careless(cap: Privacy, sums_only: bool) -> tuple[Limit, Limit]:
        return Limit(cap.epsilon, cap.delta), Limit(largest_rho(cap.epsilon, cap.delta / 2), cap.delta / 2)

    monkeypatch.setitem(globals(), "limits", careless)
    cap, step = CLEVER
    assert adversary(cap, step) > float(cap.delta)


def test_first_charge_with_most_of_delta_settles_for_sums():
    cap = Privacy(Fraction(1), Fraction(1, 10**6))
    (after,) = decide((Budget("d", cap),), Cost.approximate(Fraction(1, 10), Fraction(9, 10**7)))
    assert after.spent.sums_only
    (after,) = decide((after,), Cost.approximate(Fraction(9, 10), Fraction(1, 10**7)))
    assert isinstance(decide((after,), Cost.pure(Fraction(1, 10**6))), Refusal)


def test_later_charge_with_most_of_delta_is_refused():
    cap = Privacy(Fraction(1), Fraction(1, 10**6))
    (after,) = decide((Budget("d", cap),), Cost.pure(Fraction(1, 10)))
    refusal = decide((after,), Cost.approximate(Fraction(1, 10), Fraction(9, 10**7)))
    assert refusal == Refusal(
        "d has delta 5e-07 left; this release needs delta 9e-07. Ask for less, or have the custodian raise the cap."
    )


def test_refusal_with_delta_says_what_is_left_beside_it():
    cap = Privacy(Fraction(1), Fraction(1, 10**6))
    refusal = decide((Budget("d", cap),), Cost.approximate(Fraction(3, 2), Fraction(1, 10**7)))
    assert refusal == Refusal(
        "d has epsilon 1 left beside delta 1e-07; this release needs 1.5. "
        "Ask for less, or have the custodian raise the cap."
    )


def test_budget_is_spent_to_the_last_digit():
    spent = Spent(epsilon=Fraction(2, 3), rho=Fraction(1), charges=1)
    here = (Budget("d", Privacy(Fraction(1)), spent),)
    assert not isinstance(decide(here, Cost.pure(Fraction(1, 3))), Refusal)
    assert isinstance(decide(here, Cost.pure(Fraction(1, 3) + Fraction(1, 10**300))), Refusal)


def test_sums_stay_short_and_are_only_ever_rounded_up():
    here = (Budget("d", None),)
    exactly = Fraction(0)
    for i in range(20):
        each = Fraction(1, 10**299 + 2 * i + 1)
        here, exactly = decide(here, Cost.pure(each)), exactly + each
    spent = here[0].spent
    assert max(x.denominator.bit_length() for x in (spent.epsilon, spent.rho)) <= 1025
    assert exactly <= spent.epsilon <= exactly + Fraction(20, budget._LONGEST)


def test_cost_is_valid_from_birth():
    for wrong in ({"epsilon": 0.1}, {"epsilon": Fraction(0)}, {"delta": Fraction(1)}, {"rho": Fraction(-1)}):
        with pytest.raises(Exception, match="A cost"):
            Cost(**({"epsilon": Fraction(1), "rho": Fraction(1)} | wrong))


def test_first_charge_that_zcdp_carries_does_not_settle_for_sums():
    """A search with a delta has none by zCDP; it must not cost what zCDP leaves to those after it."""
    cap, hundredth = Privacy(Fraction(1), Fraction(1, 1000)), Cost.pure(Fraction(1, 100))
    search = Cost(
        epsilon=Fraction(1, 10), delta=Fraction(1, 500), rho=Fraction(1, 10**4)
    )  # more delta than the cap has
    after = decide((Budget("d", cap),), search)
    assert not isinstance(after, Refusal)
    count = 0
    while not isinstance(next_one := decide(after, hundredth), Refusal):
        after, count = next_one, count + 1
    assert count > 500
