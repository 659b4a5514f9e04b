"""What can go wrong, as one tree.

EremiteError            anything eremite raises on purpose
├── InputError          something handed to eremite does not fit; nothing was charged, nothing was lost
│   └── TableError      the rows of a private table do not fit; its words are for the custodian alone
├── BudgetRefused       the budget does not cover a request; nothing was charged, and smaller requests may go on
└── LedgerError         the ledger cannot be read or written; nothing was released
    └── NoLedger        there is none where one is expected, and none was made

LedgerNotice            a warning about a ledger, shown once: it is new, or its witness cannot be kept

Every message is one sentence or two that say what is wrong, where, and what to do next. No message carries a value
of a private table: a column name, the number of rows and a bound are public, a cell is not. How many rows do not fit is
for the custodian, and only a `TableError` says so.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eremite.privacy import Privacy


class EremiteError(Exception):
    """Base of every error eremite raises on purpose."""


class InputError(EremiteError):
    """A file, description, column, parameter or value does not fit; the message says how to repair it."""


class TableError(InputError):
    """The rows of a private table do not fit their description. For the custodian alone.

    The message depends on the rows: it names columns and counts rows, and holds no value. Whoever passes errors on to
    analysts must say the same sentence for every `TableError`, as the commands that ask do.
    """


class BudgetRefused(EremiteError):  # noqa: N818 -- it names an outcome, not a mistake
    """The budget does not cover a request; decided on public numbers only.

    `needed` is what the request would spend, and `remaining` what the budget that refused has left; both are None
    where a request is refused for another reason, such as an answer that was lost.
    """

    def __init__(self, sentence: str, *, needed: "Privacy | None" = None, remaining: "Privacy | None" = None) -> None:
        super().__init__(sentence)
        self.needed = needed
        self.remaining = remaining


class LedgerError(EremiteError):
    """The ledger is out of reach, full, damaged, or not ours; nothing was released. The message says what to do."""


class NoLedger(LedgerError):  # noqa: N818 -- it names a state, not a mistake
    """No ledger, or no budget for a dataset in it, is where one is expected; none was made."""

    def __init__(self, ledger: str, sentence: str | None = None) -> None:
        super().__init__(sentence or f"{ledger} is not there, and none was made; nothing was charged.")
        self.ledger = ledger  # as a sentence begins


class LedgerNotice(UserWarning):
    """What a custodian should know about a ledger: it was made just now, or its witness cannot be kept.

    It depends on files and names, never on rows.
    """
