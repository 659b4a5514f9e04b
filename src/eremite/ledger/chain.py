"""The hash chain: every row carries the hash of the row before it, and the head is the number and hash of the last."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from eremite.errors import LedgerError
from eremite.ledger.events import Event, canonical, filed_under, from_payload, kind_of, to_payload

START = "0" * 64


@dataclass(frozen=True, slots=True)
class Row:
    """One event as stored. Only `seq` gives the order: `time` is what the clock said, and clocks may run back.

    `dataset` and `analyst` repeat what the payload says, so that a store can find the event (`filed_under`).
    """

    seq: int
    time: str
    kind: str
    payload: str
    previous: str
    hash: str
    dataset: str
    analyst: str

    @property
    def event(self) -> Event:
        """The event in this row."""
        try:
            return from_payload(self.kind, self.payload)
        except ValueError:
            raise self._unreadable() from None

    @property
    def happened(self) -> datetime:
        """The time of the event, by the clock of the process that wrote it."""
        try:
            return datetime.fromisoformat(self.time).astimezone(UTC)
        except (ValueError, TypeError, OverflowError):
            raise self._unreadable() from None

    def _unreadable(self) -> LedgerError:
        return LedgerError(
            f"Event {self.seq} of the ledger cannot be read: it was changed, or a newer version of eremite wrote it. "
            "Verify the ledger, and use the newest version."
        )


@dataclass(frozen=True, slots=True)
class Head:
    """Number and hash of the last row, stored apart from it, so that its removal is noticed."""

    seq: int = 0
    hash: str = START


def next_row(head: Head, time: datetime, event: Event) -> Row:
    """The row that appends an event to the chain."""
    said = head.seq + 1, time.astimezone(UTC).isoformat(), kind_of(event), to_payload(event), head.hash
    return Row(*said, _hash(*said), *filed_under(event))


def hash_of(row: Row) -> str:
    """SHA-256 of number, time, kind, payload and previous hash, in one unambiguous text.

    Dataset and analyst are in the payload.
    """
    return _hash(row.seq, row.time, row.kind, row.payload, row.previous)


def _hash(*said: str | int) -> str:
    if not all(isinstance(part, str | int) for part in said):
        return ""  # eremite never wrote such a row
    return hashlib.sha256(canonical(said).encode()).hexdigest()
