"""What a ledger needs of a place to keep it: one function that changes, one that reads.

A store knows no rule and no event; it keeps rows. Every store passes `tests/contracts/test_ledger.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from eremite.ledger.budget import NOTHING, Spent
from eremite.ledger.chain import Head, Row
from eremite.privacy import Privacy

#: The analyst whose account is the dataset as a whole; no analyst may be called that.
EVERYONE = ""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Account:
    """An analyst's account with a dataset."""

    dataset: str
    analyst: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Cap and sums of an account, or of a dataset as a whole: what the events add up to."""

    account: Account
    cap: Privacy | None
    spent: Spent = NOTHING
    rows_per_person: int | None = None  # of a dataset as a whole


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was paid for: the rows of its charge and, once there is one, of its release."""

    account: Account
    request_id: str
    fingerprint: str
    charged: int
    released: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What a decision about one request reads. The release is the payload of its row."""

    head: Head
    dataset: Standing | None
    account: Standing | None
    request: Request | None = None
    release: Row | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a decision writes, all of it or nothing: one row, and what it changes in standings and requests."""

    row: Row
    standings: tuple[Standing, ...] = ()
    request: Request | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything in a ledger, at one moment."""

    head: Head
    rows: tuple[Row, ...]
    standings: tuple[Standing, ...]
    requests: tuple[Request, ...]


class Store(Protocol):
    """A place that keeps a ledger."""

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        """Show `make` the page, write the changes it returns, and give its other result once they are safe.

        Nobody else changes the ledger in between, and the changes outlive a crash from when this returns. When it
        raises, the changes may have been written or not, but not in part.
        """

    @property
    def where(self) -> str:
        """The ledger and its place, as a sentence begins; no part of an address, which may hold a password."""

    @property
    def is_new(self) -> bool:
        """Whether this store made the ledger, when it was opened."""

    def page(self, account: Account) -> Page:
        """The page, to look at."""

    def sources(self) -> list[Row]:
        """The events that say where the rows of datasets come from, in order."""

    def hash_at(self, seq: int) -> str | None:
        """The hash of the event with this number, if there is one."""

    def ping(self, within: float) -> None:
        """A `LedgerError` unless the ledger can be read, and was not set back, within so many seconds."""

    def backup(self, target: Path) -> Contents:
        """Copy one moment of the ledger into a file that is not there yet; what the copy holds."""

    def contents(self) -> Contents:
        """All rows, standings and requests, as they are: also of a ledger that was set back, to find out about it."""

    def close(self) -> None:
        """Let go of files and connections; the next use opens them again."""
