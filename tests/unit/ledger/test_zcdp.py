"""The conversion against dp-accounting, and against the classic one that it must never fall behind."""

from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eremite.ledger.zcdp import largest_rho

EPSILONS = st.fractions(Fraction(1, 1000), 20, max_denominator=10**4)
DELTAS = st.integers(2, 300).map(lambda tenths: Fraction(10) ** -(tenths // 10) / (1 + tenths % 10))
ORDERS = 1 + np.exp2(np.linspace(-12, 24, 36 * 400))


rdp = pytest.importorskip("dp_accounting.rdp.rdp_privacy_accountant", reason="pip install 'eremite[accounting]'")


def delta_by_dp_accounting(rho: float, epsilon: float) -> float:
    """By way of Renyi divergences: rho-zCDP is alpha rho at every order alpha."""
    return float(rdp.compute_delta(ORDERS, rho * ORDERS, epsilon)[0])


@pytest.mark.long
@given(EPSILONS, DELTAS)
def test_rho_is_the_largest_that_dp_accounting_agrees_with(epsilon, delta):
    """Within a thousandth, which is what the grids of orders differ by."""
    rho = float(largest_rho(epsilon, delta))
    assert delta_by_dp_accounting(rho * 0.999, float(epsilon)) < float(delta)
    assert delta_by_dp_accounting(rho * 1.001, float(epsilon)) > float(delta)


@given(EPSILONS, DELTAS)
def test_rho_is_at_least_that_of_the_classic_conversion(epsilon, delta):
    bits = log(1 / delta)
    assert largest_rho(epsilon, delta) >= (sqrt(bits + epsilon) - sqrt(bits)) ** 2 * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**300), Fraction(1, 10**6), Fraction(10**6), Fraction(10**300)])
@pytest.mark.parametrize("delta", [Fraction(1, 4 * 10**100), Fraction(1, 10**6), Fraction(999, 1000)])
def test_extreme_caps_have_a_rho_that_is_safe(epsilon, delta):
    rho = largest_rho(epsilon, delta)
    assert 0 <= rho <= 2 * epsilon + 1000
    if Fraction(1, 10**6) <= epsilon <= 10**6 and delta < Fraction(1, 10):
        assert rho > 0
