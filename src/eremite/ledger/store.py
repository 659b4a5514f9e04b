"""The interface of a store, which keeps the rows of a ledger.

A store knows no rules and no events. Every store passes `tests/contracts/test_ledger.py`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from eremite.ledger.budget import NOTHING, Spent
from eremite.ledger.chain import Head, Row
from eremite.privacy import Privacy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Account:
    """An analyst's account with a dataset."""

    dataset: str
    analyst: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Cap and sums of an account or of a whole dataset, as its events add up."""

    account: Account
    cap: Privacy | None
    spent: Spent = NOTHING
    rows_per_person: int | None = None  # only of a whole dataset, like `neighbors`
    neighbors: str | None = None  # None for "replace"
    refusals: int = 0  # only of an account: how many were recorded since its last charge or change of its cap


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was charged: the numbers of the rows with its charge and, once there is one, its release."""

    account: Account
    request_id: str
    fingerprint: str
    charged: int
    released: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """All that a decision about one request reads. `release` is the row with the stored release."""

    head: Head
    dataset: Standing | None
    account: Standing | None
    request: Request | None = None
    release: Row | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """All that a decision writes, atomically: one row, and the standings and the request that it changes."""

    row: Row
    standings: tuple[Standing, ...] = ()
    request: Request | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Which events to read: at most `limit` with a number above `after` and below `before`, in order or newest first.

    Of all datasets or of one, of all analysts or of one; all events or the releases alone.
    """

    limit: int
    dataset: str | None = None
    analyst: str | None = None
    releases: bool = False
    after: int = 0
    before: int | None = None
    newest_first: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything in a ledger at one moment. `rows` and `requests` can be read once, in this order."""

    head: Head
    rows: Iterable[Row]
    standings: tuple[Standing, ...]
    requests: Iterable[Request]


class Store(Protocol):
    """A place that keeps a ledger."""

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        """Call `make` with the page, write the changes it returns, and return its other result once they are safe.

        Nobody else changes the ledger in between, and once this returns the changes survive a crash. If it raises, the
        changes were written completely or not at all.
        """

    @property
    def where(self) -> str:
        """The ledger and its place, as the subject of a sentence; no part of an address, which may hold a password."""

    @property
    def is_new(self) -> bool:
        """Whether the ledger was created when this store was opened."""

    def page(self, account: Account, request_id: str | None = None) -> Page:
        """The page of an account, and of one of its requests, for reading."""

    def rows(self, wanted: Slice) -> list[Row]:
        """Some events, found without reading the others."""

    def standings(self, dataset: str) -> list[Standing]:
        """The standings of a dataset and of its accounts."""

    def sources(self) -> list[Row]:
        """The events that record the sources of datasets, in order."""

    def hash_at(self, seq: int) -> str | None:
        """The hash of the event with this number; None if there is none."""

    def ping(self, within: float) -> None:
        """Raise a `LedgerError` unless the ledger can be read within so many seconds and was not set back."""

    def backup(self, target: Path, examine: Callable[[Contents], T]) -> T:
        """Copy the ledger as of one moment into a new file, and return what `examine` says of the copy."""

    def contents(self, examine: Callable[[Contents], T]) -> T:
        """What `examine` says of all rows, standings and requests; even of a ledger that was set back.

        The contents are read as `examine` goes through them, and are not there afterwards.
        """

    def close(self) -> None:
        """Close files and connections; the next use opens them again."""
