"""A budget that lives as long as its session, composed by sums alone."""

from fractions import Fraction
from threading import Lock

from eremite.errors import BudgetRefused
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
            after = self._spent + wanted
            if after.epsilon > self.cap.epsilon or after.delta > self.cap.delta:
                raise BudgetRefused(
                    f"This release needs {wanted}; what is left of the budget is {self.remaining}. "
                    "Ask for less, or have the custodian raise the budget."
                )
            self._spent = after
