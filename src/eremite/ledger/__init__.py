"""The privacy budget: what may be spent, what was spent, and the decision between the two."""

from eremite.ledger.cost import Cost
from eremite.ledger.decide import Refusal, decide
from eremite.ledger.errors import LedgerError
from eremite.ledger.home import Home
from eremite.ledger.ledger import Entry, Ledger, Remaining
from eremite.ledger.memory import MemoryLedger
from eremite.ledger.memory_store import MemoryStore
from eremite.ledger.opening import open_ledger
from eremite.ledger.reserving import Reserved, Stored
from eremite.ledger.store import Account
from eremite.ledger.verify import Verification

__all__ = [
    "Account",
    "Cost",
    "Entry",
    "Home",
    "Ledger",
    "LedgerError",
    "MemoryLedger",
    "MemoryStore",
    "Refusal",
    "Remaining",
    "Reserved",
    "Stored",
    "Verification",
    "decide",
    "open_ledger",
]
