"""Random caps and charges, and the most that releases can tell in truth."""

from fractions import Fraction
from math import exp

from hypothesis import strategies as st

from eremite import Privacy
from eremite.ledger import Cost

DELTAS = st.sampled_from([Fraction(0), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 3)])
EPSILONS = st.fractions(Fraction(1, 100), 3, max_denominator=100)
CAPS = st.builds(Privacy, st.fractions(Fraction(1, 10), 8, max_denominator=20), DELTAS)
COSTS = st.one_of(
    st.builds(Cost.pure, EPSILONS),
    st.builds(Cost.approximate, EPSILONS, st.sampled_from([Fraction(1, 10**7), Fraction(1, 10**6), Fraction(1, 200)])),
    st.builds(lambda e, d: Cost(epsilon=e, delta=d, rho=e**2 / 40), EPSILONS, DELTAS),
)


def sums_of_losses(epsilons: list[float]) -> dict[float, tuple[float, float]]:
    """Randomized responses together: what they can come to, and how likely that is in each of two neighboring tables.

    No epsilon-DP releases tell more than these (Kairouz, Oh and Viswanath 2015).
    """
    found = {0.0: (1.0, 1.0)}
    for e in epsilons:
        high, low, after = exp(e) / (1 + exp(e)), 1 / (1 + exp(e)), {}
        for loss, (p, q) in found.items():
            for to, x, y in ((loss + e, high, low), (loss - e, low, high)):
                was = after.get(round(to, 9), (0.0, 0.0))
                after[round(to, 9)] = (was[0] + p * x, was[1] + q * y)
        found = after
    return found


def true_delta(epsilons: list[float], epsilon: float) -> float:
    return sum(max(0.0, p - exp(epsilon) * q) for p, q in sums_of_losses(epsilons).values())
