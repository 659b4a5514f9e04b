"""The privacy budget: what may be spent, what was spent, and the decision between the two."""

from eremite.errors import LedgerError, LedgerNotice, NoLedger
from eremite.ledger.budget import Budget
from eremite.ledger.cost import Cost
from eremite.ledger.decide import Refusal, decide
from eremite.ledger.events import (
    CapSet,
    Charged,
    DatasetOpened,
    Event,
    LedgerAccepted,
    Refused,
    Released,
    RowsReplaced,
    SourceNoted,
)
from eremite.ledger.ledger import Entry, Ledger, Remaining, no_release, utc_now
from eremite.ledger.memory_store import MemoryStore
from eremite.ledger.opening import Creation, open_ledger
from eremite.ledger.process_guard import ProcessGuard
from eremite.ledger.remaining import remaining
from eremite.ledger.store import Account
from eremite.ledger.timeline import BudgetTimeline
from eremite.ledger.transitions import Another, Reserved, Stored, Unanswered, used_for_another
from eremite.ledger.verify import Verification
from eremite.ledger.witness import Witness
from eremite.ledger.witness_file import Witnessed

__all__ = [
    "Account",
    "Another",
    "Budget",
    "BudgetTimeline",
    "CapSet",
    "Charged",
    "Cost",
    "Creation",
    "DatasetOpened",
    "Entry",
    "Event",
    "Ledger",
    "LedgerAccepted",
    "LedgerError",
    "LedgerNotice",
    "MemoryStore",
    "NoLedger",
    "ProcessGuard",
    "Refusal",
    "Refused",
    "Released",
    "Remaining",
    "Reserved",
    "RowsReplaced",
    "SourceNoted",
    "Stored",
    "Unanswered",
    "Verification",
    "Witness",
    "Witnessed",
    "decide",
    "no_release",
    "open_ledger",
    "remaining",
    "used_for_another",
    "utc_now",
]
