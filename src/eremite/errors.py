"""The errors of eremite.

EremiteError            anything eremite raises on purpose
├── InputError          an input is not valid; nothing was charged, nothing was lost
│   └── TableError      the rows of a private table are not valid; the message is for the custodian alone
├── BudgetRefused       the budget does not cover a request; nothing was charged, and smaller requests may succeed
├── LedgerError         the ledger cannot be read or written; nothing was released
│   └── NoLedger        the ledger, or a dataset's budget in it, does not exist and was not created
└── ServiceError        a service is out of reach, does not admit a token, or has no answer

LedgerNotice            a warning about a ledger, shown once: it is new, or its witness cannot be written

Every message is one sentence or two that say what is wrong, where, and what to do next. No message carries a value
of a private table, nor says in which row or in how many rows it is: a column name and a bound are public, a cell is
not. Only a `TableError`, for the custodian, says in which columns cells are not valid.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eremite.privacy import Privacy


class EremiteError(Exception):
    """Base of every error eremite raises on purpose."""


class InputError(EremiteError):
    """A file, description, column, parameter or value is not valid; the message says how to repair it."""


class TableError(InputError):
    """The rows of a private table do not fit their description. For the custodian alone.

    The message depends on the rows: it names columns, but has no value in it. An interface for analysts
    must show the same sentence for every `TableError`, as the commands that ask questions do.
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
    """The ledger cannot be reached or written, is damaged, or is not the expected one; nothing was released."""


class NoLedger(LedgerError):  # noqa: N818 -- it names a state, not a mistake
    """The ledger, or a dataset's budget in it, does not exist; none was created."""

    def __init__(self, ledger: str, sentence: str | None = None) -> None:
        super().__init__(sentence or f"{ledger} is not there, and none was made; nothing was charged.")
        self.ledger = ledger  # as the subject of a sentence


class ServiceError(EremiteError):
    """A service is out of reach, does not admit a token, or has no answer; the message says what to do.

    `status` is that of the HTTP response, if there was one. `request_id` is the id of the question, if one was asked:
    whether it was charged may then be unknown, and asking again under this id never charges it twice.
    """

    def __init__(self, sentence: str, *, status: int | None = None, request_id: str | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.request_id = request_id


class LedgerNotice(UserWarning):
    """A warning for the custodian: a ledger is new, or its witness cannot be written.

    It depends on files and names, never on rows.
    """
