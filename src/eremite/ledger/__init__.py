"""The privacy budget: what may be spent, what was spent, and the decision between the two."""

from eremite.ledger.decide import Refusal, decide
from eremite.ledger.home import Home
from eremite.ledger.memory import MemoryLedger

__all__ = ["Home", "MemoryLedger", "Refusal", "decide"]
