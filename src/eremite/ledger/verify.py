"""Verification of a ledger: the chain is unbroken, the sums match the events, every release was charged."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from eremite.errors import InputError, LedgerError
from eremite.ledger import transitions
from eremite.ledger.chain import Head, Row, hash_of
from eremite.ledger.decide import Refusal
from eremite.ledger.events import (
    EVERYONE,
    CapSet,
    Charged,
    DatasetOpened,
    Event,
    LedgerAccepted,
    Refused,
    Released,
    RowsReplaced,
    SourceNoted,
    filed_under,
)
from eremite.ledger.store import Account, Changes, Contents, Page, Request, Standing
from eremite.ledger.transitions import Stored


@dataclass(frozen=True, slots=True)
class Verification:
    """The problems found, in sentences, and the head of the chain: note its hash elsewhere for a later verification."""

    head: Head
    findings: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether no problem was found."""
        return not self.findings


def verification(contents: Contents, noted: str | None = None) -> Verification:
    """All problems of a ledger. Those of the chain come first, and may cause the others."""
    replayed, before, lost = _Replay(), Head(), noted is not None
    of_chain: list[str] = []
    of_events: list[str] = []
    for row in contents.rows:
        lost &= row.hash != noted
        of_chain += _links(before, row)
        of_events += replayed.take(row)
        before = Head(row.seq, row.hash)
    if lost:
        of_chain.insert(0, "No event has the hash that was noted: events were cut off or rewritten.")
    if before != contents.head:
        of_chain.append(
            f"The ledger ends at event {before.seq}, its head says event {contents.head.seq}: the end was changed."
        )
    return Verification(contents.head, (*of_chain, *of_events, *_differences(contents, replayed)))


def _links(before: Head, row: Row) -> Iterator[str]:
    """A sentence if the row was changed, removed or reordered."""
    if row.seq != before.seq + 1:
        yield f"Event {before.seq + 1} is missing or out of place: event {row.seq} is there instead."
    elif row.previous != before.hash:
        yield f"Event {row.seq} does not follow the event before it: one of the two was changed or replaced."
    if hash_of(row) != row.hash:
        yield f"Event {row.seq} was changed: its hash does not match."


@dataclass(slots=True)
class _Replay:
    """The standings and requests, recomputed from the events so far."""

    head: Head = field(default_factory=Head)
    standings: dict[Account, Standing] = field(default_factory=dict)
    requests: dict[tuple[Account, str], Request] = field(default_factory=dict)

    def take(self, row: Row) -> Iterator[str]:
        """Apply an event with the functions that wrote it, or yield why they could not have written it."""
        try:
            event = row.event
            changes = self._changes(row, event)
        except (InputError, LedgerError) as error:
            yield f"Event {row.seq} ({row.kind}) cannot have happened: {error}"
            return
        if (row.dataset, row.analyst) != filed_under(event):
            yield f"Event {row.seq} is filed under another dataset or account than its own."
        if isinstance(changes, Refusal):
            yield f"Event {row.seq} was charged beyond the cap: {changes.sentence}"
        elif changes is not None:  # as for a dataset that was opened twice
            self._apply(changes)
        self.head = Head(row.seq, row.hash)

    def _changes(self, row: Row, event: Event) -> Changes | Refusal | None:
        now = row.happened
        match event:
            case DatasetOpened():
                return transitions.open_dataset(self._page(event.dataset, EVERYONE), now, event)[0]
            case CapSet():
                return transitions.set_cap(self._page(event.dataset, event.analyst or EVERYONE), now, event)[0]
            case Charged():
                changes, outcome = transitions.reserve(
                    self._page(event.dataset, event.analyst, event.request_id), now, event
                )
                if isinstance(outcome, Stored):
                    return Refusal("it was charged before.")
                return outcome if isinstance(outcome, Refusal) else changes
            case Released():
                return transitions.store_release(
                    self._page(event.dataset, event.analyst, event.request_id), now, event
                )[0]
            case SourceNoted() | LedgerAccepted() | RowsReplaced():
                return transitions.note(self._page(event.dataset, EVERYONE), now, event)[0]
            case Refused():
                return transitions.record_refusal(self._page(event.dataset, event.analyst), now, event)

    def _page(self, dataset: str, analyst: str, request_id: str = "") -> Page:
        account = Account(dataset, analyst)
        return Page(
            Head(self.head.seq, self.head.hash),
            self.standings.get(Account(dataset, EVERYONE)),
            self.standings.get(account),
            self.requests.get((account, request_id)),
        )

    def _apply(self, changes: Changes) -> None:
        for standing in changes.standings:
            self.standings[standing.account] = standing
        if changes.request is not None:
            self.requests[changes.request.account, changes.request.request_id] = changes.request


def _differences(contents: Contents, replayed: _Replay) -> Iterator[str]:
    """A sentence for each sum or request that does not match the events."""
    kept = {standing.account: standing for standing in contents.standings}
    for account in sorted(kept.keys() | replayed.standings.keys(), key=str):
        if kept.get(account) != replayed.standings.get(account):
            whose = f"dataset {account.dataset!r}" if account.analyst == EVERYONE else f"account {account.analyst!r}"
            yield f"The sums kept for {whose} do not match its events."
    asked = replayed.requests
    keys = ((request, (request.account, request.request_id)) for request in contents.requests)
    wrong = [key for request, key in keys if asked.pop(key, None) != request]
    for _, request_id in sorted({*wrong, *asked}, key=str):
        yield f"The record of request {request_id!r} does not match its events."
