"""The chain: every row carries the hash of the one before, and the head says where it ends."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from eremite.errors import LedgerError
from eremite.ledger.events import Event, canonical, from_payload, kind_of, to_payload

START = "0" * 64


@dataclass(frozen=True, slots=True)
class Row:
    """One event as it is kept. Order comes from `seq` alone; `time` is what the clock said, forwards or backwards."""

    seq: int
    time: str
    kind: str
    payload: str
    previous: str
    hash: str

    @property
    def event(self) -> Event:
        """What happened."""
        try:
            return from_payload(self.kind, self.payload)
        except ValueError:
            raise self._unreadable() from None

    @property
    def happened(self) -> datetime:
        """When, by the clock of whoever wrote it."""
        try:
            return datetime.fromisoformat(self.time)
        except (ValueError, TypeError):
            raise self._unreadable() from None

    def _unreadable(self) -> LedgerError:
        return LedgerError(
            f"Event {self.seq} of the ledger cannot be read: it was changed, or a newer version of eremite wrote it. "
            "Verify the ledger, and use the newest version."
        )


@dataclass(frozen=True, slots=True)
class Head:
    """The last row, so that removing it does not go unseen."""

    seq: int = 0
    hash: str = START


def next_row(head: Head, time: datetime, event: Event) -> Row:
    """The row of an event that happens now."""
    row = Row(head.seq + 1, time.astimezone(UTC).isoformat(), kind_of(event), to_payload(event), head.hash, "")
    return Row(row.seq, row.time, row.kind, row.payload, row.previous, hash_of(row))


def hash_of(row: Row) -> str:
    """SHA-256 over all that a row says, in one unambiguous text."""
    said = [row.seq, row.time, row.kind, row.payload, row.previous]
    if not all(isinstance(part, str | int) for part in said):
        return ""  # of no row that we wrote
    return hashlib.sha256(canonical(said).encode()).hexdigest()
