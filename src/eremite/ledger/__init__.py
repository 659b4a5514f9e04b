"""The privacy budget: what may be spent, what was spent, and the decision between the two."""

from eremite.errors import LedgerError
from eremite.ledger.budget import Budget
from eremite.ledger.cost import Cost
from eremite.ledger.decide import Refusal, decide
from eremite.ledger.events import CapSet, Charged, DatasetOpened, Event, Refused, Released
from eremite.ledger.home import Home
from eremite.ledger.ledger import Entry, Ledger, Remaining
from eremite.ledger.left import left
from eremite.ledger.memory_store import MemoryStore
from eremite.ledger.opening import open_ledger
from eremite.ledger.over_time import BudgetOverTime
from eremite.ledger.reserving import Reserved, Stored
from eremite.ledger.store import Account
from eremite.ledger.verify import Verification

__all__ = [
    "Account",
    "Budget",
    "BudgetOverTime",
    "CapSet",
    "Charged",
    "Cost",
    "DatasetOpened",
    "Entry",
    "Event",
    "Home",
    "Ledger",
    "LedgerError",
    "MemoryStore",
    "Refusal",
    "Refused",
    "Released",
    "Remaining",
    "Reserved",
    "Stored",
    "Verification",
    "decide",
    "left",
    "open_ledger",
]
