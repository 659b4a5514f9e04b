"""A budget that lives as long as its session."""

from fractions import Fraction
from threading import Lock

from eremite.errors import BudgetRefused
from eremite.ledger.decide import Refusal, decide
from eremite.ledger.home import Home
from eremite.privacy import Privacy


class MemoryLedger:
    """Charges are made one at a time, and never taken back."""

    def __init__(self, cap: Privacy) -> None:
        self.cap = cap
        self._spent = Privacy(Fraction(0))
        self._lock = Lock()
        self._home = Home()

    @property
    def remaining(self) -> Privacy:
        """What is left."""
        return self.cap - self._spent

    def charge(self, wanted: Privacy) -> None:
        """Spend, or raise `BudgetRefused` and spend nothing."""
        self._home.require()
        with self._lock:
            decision = decide(self.cap, self._spent, wanted)
            if isinstance(decision, Refusal):
                raise BudgetRefused(decision.sentence)
            self._spent = decision
