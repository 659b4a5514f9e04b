"""When a ledger cannot be read or written."""

from eremite.errors import EremiteError


class LedgerError(EremiteError):
    """The ledger is out of reach, full, damaged, or not ours; nothing was released. The message says what to do."""
