from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier

import pytest

from eremite import BudgetRefused, Privacy
from eremite.ledger import MemoryLedger

TENTH = Privacy(Fraction(1, 10))


def test_thousand_charges_of_a_tenth_spend_a_hundred():
    ledger = MemoryLedger(Privacy(Fraction(100)))
    for _ in range(1000):
        ledger.charge(TENTH)
    assert ledger.remaining == Privacy(Fraction(0))
    with pytest.raises(BudgetRefused):
        ledger.charge(Privacy(Fraction(1, 10**300)))


def test_refused_charge_spends_nothing_and_smaller_ones_go_on():
    ledger = MemoryLedger(Privacy(Fraction(1)))
    for wanted in (Privacy(Fraction(2)), Privacy(Fraction(1, 10), Fraction(1, 10**9))):
        with pytest.raises(BudgetRefused, match="what is left of the budget is epsilon 1"):
            ledger.charge(wanted)
    ledger.charge(TENTH)
    assert ledger.remaining == Privacy(Fraction(9, 10))


def test_threads_together_spend_no_more_than_the_cap():
    ledger, barrier = MemoryLedger(Privacy(Fraction(1))), Barrier(50)

    def attempt(_: int) -> bool:
        barrier.wait()
        try:
            ledger.charge(TENTH)
        except BudgetRefused:
            return False
        return True

    with ThreadPoolExecutor(50) as pool:
        assert sum(pool.map(attempt, range(50))) == 10
    assert ledger.remaining == Privacy(Fraction(0))
