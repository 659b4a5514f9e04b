import builtins
from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter

import pytest

from eremite import InputError
from eremite.ledger import Cost
from eremite.ledger.plan_total import plan_total
from tests.unit.ledger.histories import true_delta

MILLIONTH = Fraction(1, 10**6)


def needs_dp_accounting() -> None:
    pytest.importorskip("dp_accounting", reason="pip install 'eremite[accounting]'")


def test_plan_total_is_that_of_the_releases_that_tell_most():
    """Never below the exact epsilon of randomized responses, and within a hundredth of it."""
    needs_dp_accounting()
    epsilons = [Fraction(1, 10)] * 60
    total = plan_total(map(Cost.pure, epsilons), MILLIONTH)
    floats = [float(e) for e in epsilons]
    assert true_delta(floats, total) <= 1e-6 < true_delta(floats, total - 0.01)


def test_plan_total_is_below_the_sum_and_grows_with_the_plan():
    needs_dp_accounting()
    totals = [plan_total([Cost.pure(Fraction(1, 10))] * n, MILLIONTH) for n in (1, 10, 100, 400)]
    assert all(few < more for few, more in pairwise(totals))
    assert 0.0999 < totals[0] <= 0.1
    assert totals[-1] < 20  # of 40 by sums


@pytest.mark.parametrize("costs", [[Cost.pure(Fraction(1, 7))] * 3, [Cost.approximate(Fraction(1), MILLIONTH)]])
def test_plan_total_never_exceeds_the_sum_where_deltas_suffice(costs):
    needs_dp_accounting()
    assert plan_total(costs, MILLIONTH) <= nextafter(float(sum(cost.epsilon for cost in costs)), inf)


def test_delta_that_the_plan_uses_up_has_no_total():
    needs_dp_accounting()
    assert plan_total([Cost.approximate(Fraction(1), MILLIONTH)] * 2, MILLIONTH) == float("inf")
    assert plan_total([], MILLIONTH) == 0


def test_missing_dp_accounting_is_one_sentence(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("dp_accounting"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"needs dp-accounting; install it with: pip install 'eremite\[accounting\]'"):
        plan_total([Cost.pure(Fraction(1))], MILLIONTH)
