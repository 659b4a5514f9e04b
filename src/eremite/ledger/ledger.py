"""The ledger: privacy budgets that outlive the process, kept in a store."""

import atexit
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakSet

from eremite.errors import BudgetRefused, InputError, LedgerError
from eremite.ledger import transitions
from eremite.ledger.budget import Budget
from eremite.ledger.chain import Head, Row
from eremite.ledger.cost import Cost
from eremite.ledger.decide import Refusal
from eremite.ledger.events import (
    EVERYONE,
    CapSet,
    Charged,
    DatasetOpened,
    Event,
    LedgerAccepted,
    Released,
    RowsReplaced,
    SourceNoted,
    filed_under,
)
from eremite.ledger.remaining import in_words, remaining
from eremite.ledger.store import Account, Changes, Page, Slice, Store
from eremite.ledger.timeline import BudgetTimeline, budget_timeline
from eremite.ledger.transitions import Another, Reserved, Stored, Unanswered, budget_of, standings_of
from eremite.ledger.verify import Verification, verification
from eremite.ledger.witness import Witness
from eremite.names import quote_name, require_name
from eremite.privacy import Neighbors, Privacy, checked_budget

_AT_ONCE = 1000  # events that are read together


def utc_now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Remaining:
    """The most that one more release may spend, and the same in words.

    `privacy.epsilon` holds for a release without delta; `privacy.delta` is the largest delta that a release could have.
    """

    privacy: Privacy
    words: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of the history."""

    seq: int
    time: datetime
    event: Event
    hash: str


class Ledger:
    """Charges requests before they are computed, and keeps their releases.

    Guarantee: all releases of a dataset together keep its cap, and those of an account keep the account's cap, if it
    has one. This holds for any number of concurrent processes, and if one of them dies at any time (`decide.proof.md`).
    A charge is safe in the store before `reserve` returns, and is never taken back. The same request id returns the
    stored release.

    With a `witness`, a file beside the dataset's description, even a process that never saw the ledger before notices
    that it was lost or set back (`chain.proof.md`).

    The budget belongs to the dataset's *name*. The same rows under another name have another budget, although
    their releases add up: a ledger cannot compare rows. `note_source` finds names that share a source.
    """

    def __init__(
        self, store: Store, clock: Callable[[], datetime] = utc_now, *, witness: Witness | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._witness = witness
        self._unsettled = False
        _LEDGERS.add(self)

    def witnessed(self, witness: Witness) -> "Ledger":
        """This ledger with a witness, which records its charges from now on; an error if the witness contradicts it."""
        witness.require(self._store)
        return Ledger(self._store, self._clock, witness=witness)

    @property
    def where(self) -> str:
        """The ledger and its place, as the subject of a sentence."""
        return self._store.where

    def knows(self, dataset: str) -> bool:
        """Whether the dataset has a budget here."""
        return self._store.page(Account(dataset, EVERYONE)).dataset is not None

    def note_source(self, dataset: str, source: str) -> tuple[str, ...]:
        """Record the source of a dataset, once, and return the other datasets with the same source.

        `source` is a fingerprint of the text that names the source. A copy of the rows elsewhere has another source.
        """
        noted = [row.event for row in self._store.sources()]
        sharing = {event.dataset for event in noted if getattr(event, "source", None) == source}
        if dataset not in sharing:
            self._note(SourceNoted(dataset=require_name(dataset, "dataset"), source=require_name(source, "source")))
        return tuple(sorted(sharing - {dataset}))

    def note_rows_replaced(self, dataset: str) -> None:
        """Record that other rows of a known dataset are asked about from now on. Its budget stays as it is."""
        self._note(RowsReplaced(dataset=require_name(dataset, "dataset")))

    def accept(self, dataset: str, witness: Witness, *, reason: str, known: Head) -> None:
        """Accept this ledger although its witness contradicts it, for the custodian; the reason is recorded.

        What was charged after the last event of this ledger could be spent again: lower the cap by that first.
        """
        if not reason.strip():
            raise InputError("Accepting a ledger needs a reason, which is kept in the history.")
        self._note(LedgerAccepted(dataset=dataset, reason=reason, events=known.seq, hash=known.hash))
        witness.replace(self._store)

    def open_dataset(
        self,
        dataset: str,
        cap: Privacy,
        rows_per_person: int = 1,
        source: str | None = None,
        neighbors: Neighbors = "replace",
    ) -> Privacy:
        """Open a dataset in the ledger and return the cap in force: for a known dataset, the one that the ledger has.

        A budget belongs to a name: the same rows under another name get another budget. The ledger records the
        `source` of a new dataset, so that `note_source` can find such names.
        """
        known = checked_budget(cap.epsilon, cap.delta)
        if source is not None:
            require_name(source, "source")
        wanted = DatasetOpened(
            dataset=require_name(dataset, "dataset"),
            cap=known,
            rows_per_person=rows_per_person,
            source=source,
            neighbors=None if neighbors == "replace" else neighbors,
        )

        def opened(page: Page) -> tuple[Changes | None, tuple[Privacy, bool]]:
            changes, in_force = transitions.open_dataset(page, self._clock(), wanted)
            return changes, (in_force, changes is not None)

        in_force, is_new = self._store.change(Account(dataset, EVERYONE), None, opened)
        if is_new:
            self._changed()
        return in_force

    def set_cap(self, dataset: str, analyst: str | None, cap: Privacy, *, reason: str) -> None:
        """Set the cap of a dataset (`analyst=None`) or of an account, for the custodian; the reason is recorded.

        The guarantee is then that of the highest cap that was set, or that would have been set after other answers.
        """
        if analyst is not None:
            require_name(analyst, "account")
        if not reason.strip():
            raise InputError("Changing a cap needs a reason, which is kept in the history.")
        known = checked_budget(cap.epsilon, cap.delta)
        wanted = CapSet(dataset=require_name(dataset, "dataset"), analyst=analyst, cap=known, reason=reason)
        account = Account(dataset, EVERYONE if analyst is None else analyst)
        self._store.change(account, None, lambda page: transitions.set_cap(page, self._clock(), wanted))
        self._changed()

    def reserve(
        self,
        account: Account,
        request_id: str,
        fingerprint: str,
        cost: Cost,
        question: Mapping[str, Any],
        former: str | None = None,
    ) -> Reserved | Stored:
        """Charge a request, or return the stored release of one that was charged before.

        Raises `BudgetRefused`, and charges nothing, if a budget does not cover it; the refusal is recorded unless
        `transitions.MOST_REFUSALS` of the account are, since its last charge or cap. `fingerprint` identifies the
        question: the same id with another fingerprint is an `InputError`, unless it is the `former` one, which the
        version before gave to the same question. `question` holds its fields, for the history.
        """
        wanted = _charge(account, request_id, fingerprint, cost, question)
        outcome = self._store.change(
            account, request_id, lambda page: transitions.reserve(page, self._clock(), wanted, former)
        )
        self._unsettled = True
        if isinstance(outcome, Reserved) and self._witness is not None:
            self._witness.charged(self._store)
        if isinstance(outcome, Refusal):
            raise BudgetRefused(outcome.sentence, needed=outcome.needed, remaining=outcome.remaining)
        return outcome

    def foresee(
        self,
        account: Account,
        request_id: str,
        fingerprint: str,
        cost: Cost,
        question: Mapping[str, Any],
        former: str | None = None,
    ) -> Stored | None:
        """What `reserve` would do at this moment, without the charge: None for a request that it would charge.

        Raises what `reserve` raises, and records a refusal as it does. Only that writes, so that nobody waits for the
        answer to any other.
        """
        wanted = _charge(account, request_id, fingerprint, cost, question)

        def foreseen(page: Page) -> tuple[Changes | None, Stored | Refusal | None]:
            return transitions.foresee(page, self._clock(), wanted, former)

        changes, outcome = foreseen(self._store.page(account, request_id))
        if changes is not None:
            outcome = self._store.change(account, request_id, foreseen)
        if isinstance(outcome, Refusal):
            raise BudgetRefused(outcome.sentence, needed=outcome.needed, remaining=outcome.remaining)
        return outcome

    def answered(self, account: Account, request_id: str, fingerprints: Collection[str]) -> Stored | None:
        """The stored release of a request that asked what one of the fingerprints identifies. Records nothing."""
        return transitions.answered(self._store.page(account, request_id), fingerprints)

    def became_of(
        self, account: Account, request_id: str, fingerprints: Collection[str] | None = None
    ) -> Stored | Unanswered | Another | None:
        """What became of a request: its release, that it has none though it was charged, or None without a charge.

        With fingerprints, an id that was charged for what none of them identifies holds another request.
        """
        return transitions.became_of(self._store.page(account, request_id), fingerprints)

    def store(self, account: Account, request_id: str, release: str, paid: Reserved) -> None:
        """Store the release of a request that was charged. Only a stored release may be returned to the analyst.

        The event has the time of the charge: how long the release took to compute depends on the rows.
        """
        released = Released(dataset=account.dataset, analyst=account.analyst, request_id=request_id, release=release)
        self._store.change(account, request_id, lambda page: transitions.store_release(page, paid.charged_at, released))
        self._unsettled = True

    def remaining(self, account: Account) -> Remaining:
        """What is left for the account, within its own cap and the dataset's."""
        budgets = [budget_of(standing) for standing in standings_of(self._store.page(account), account)]
        lefts = [have for have in map(remaining, budgets) if have is not None]
        least = Privacy(min(have.epsilon for have in lefts), min(have.delta for have in lefts))
        return Remaining(least, " ".join(map(in_words, budgets)))

    def budgets(self, dataset: str) -> list[tuple[str | None, Budget]]:
        """The budget of the whole dataset, under None, and then those of its accounts, sorted by name.

        An account has one once it has a cap or was charged.
        """
        standings = sorted(self._store.standings(dataset), key=lambda standing: standing.account.analyst)
        budgets = [(standing.account.analyst or None, budget_of(standing)) for standing in standings]
        return [(name, budget) for name, budget in budgets if name is None or budget.cap or budget.spent.charges]

    def releases(self, account: Account, *, before: int | None = None, limit: int = 100) -> list[Entry]:
        """The last `limit` releases of an account, newest first; with `before`, of those before that event.

        The next page is `before=` the number of the last entry here. It takes as long as the page is, not the ledger.
        """
        found = Slice(
            dataset=account.dataset,
            analyst=account.analyst,
            releases=True,
            before=before,
            newest_first=True,
            limit=_at_least_none(limit),
        )
        return [_entry(row) for row in self._store.rows(found)]

    def releases_before(self, account: Account, request_id: str | None, limit: int) -> list[Entry]:
        """The last releases of an account before that of one of its requests, newest first; without an id, the last.

        For pages that an analyst turns: the number of an event would tell how many came before it.
        """
        before = None
        if request_id is not None:
            request = self._store.page(account, request_id).request
            if request is None or request.released is None:
                raise no_release(request_id)
            before = request.released
        return self.releases(account, before=before, limit=limit)

    def history(
        self,
        dataset: str | None = None,
        analyst: str | None = None,
        *,
        before: int | None = None,
        limit: int | None = None,
    ) -> list[Entry]:
        """All events in order, or only those of a dataset or an account.

        With `before`, only those before that event; with `limit`, only the last of these, still in order. The page
        before is then `before=` the number of the first entry here.
        """
        if limit is None:
            return list(self.entries(dataset, analyst, before=before))
        found = Slice(dataset=dataset, analyst=analyst, before=before, newest_first=True, limit=_at_least_none(limit))
        return [_entry(row) for row in reversed(self._store.rows(found))]

    def entries(
        self, dataset: str | None = None, analyst: str | None = None, *, before: int | None = None
    ) -> Iterator[Entry]:
        """The events of `history`, one after the other: only some are in memory at a time."""
        return map(_entry, self._rows(dataset, analyst, before))

    def timeline(self, dataset: str, analyst: str | None = None) -> BudgetTimeline:
        """The budget of a dataset over time, with those of all its accounts or of the named one; it can be plotted.

        Of a long history it has some moments, evenly spread, and the last one (`timeline.MOST_MOMENTS`).
        """
        rows = (row for row in self._rows(dataset) if row.kind != "released")  # a release changes no budget
        course = budget_timeline(((entry.time, entry.event) for entry in map(_entry, rows)), dataset, analyst)
        if not course.whole:
            raise InputError(f"Dataset {dataset!r} is not in this ledger.")
        return course

    def verify(self, noted: str | None = None) -> Verification:
        """Check the whole chain, recompute all sums, and look for a hash that was noted before.

        Whoever can write the ledger can cut off its end and fix head and sums. Only a hash kept elsewhere reveals it.
        """
        return self._store.contents(lambda contents: verification(contents, noted))

    def ping(self, within: float = 2.0) -> None:
        """Raise a `LedgerError` unless the ledger can be read and was not set back.

        Cheap: one short read. It gives up after about `within` seconds, also if others use the ledger for longer. If a
        connection has to be made first, the limit is twice as long, and at least four seconds.
        """
        self._store.ping(within)

    def backup(self, target: Path) -> Verification:
        """Copy the ledger as of one moment into a new file, for its owner alone, and verify the copy.

        The copy has every charge up to that moment, and none of the later ones.
        """
        return self._store.backup(target, verification)

    def close(self) -> None:
        """Close the files and connections of the store; the next use opens them again.

        After that an SQLite file holds every charge, without the log beside it, and the witness has the last event.
        """
        try:
            if self._unsettled:
                self.settle()
        finally:
            self._store.close()

    def settle(self) -> None:
        """Record the last event in the witness, if there is one."""
        if self._witness is not None:
            self._witness.settle(self._store)
        self._unsettled = False

    def _rows(self, dataset: str | None, analyst: str | None = None, before: int | None = None) -> Iterator[Row]:
        """The rows in order, read some at a time; the chain grows at its end alone, so none is missed."""
        last = 0
        while True:
            found = self._store.rows(Slice(dataset=dataset, analyst=analyst, after=last, before=before, limit=_AT_ONCE))
            yield from found
            if len(found) < _AT_ONCE:
                return
            last = found[-1].seq

    def _note(self, event: SourceNoted | LedgerAccepted | RowsReplaced) -> None:
        account = Account(event.dataset, EVERYONE)
        self._store.change(account, None, lambda page: transitions.note(page, self._clock(), event))
        self._unsettled = True

    def _changed(self) -> None:
        """Record a change of a cap in the witness at once: it matters as much as a charge, and is rare."""
        self._unsettled = True
        self.settle()


_LEDGERS: WeakSet[Ledger] = WeakSet()


def _at_exit() -> None:
    """Close ledgers that were left open, so that their charges are in one file and their witnesses up to date."""
    for ledger in list(_LEDGERS):
        with suppress(Exception):  # committed changes are safe, and nobody is left to handle an error
            ledger.close()


atexit.register(_at_exit)


def _charge(account: Account, request_id: str, fingerprint: str, cost: Cost, question: Mapping[str, Any]) -> Charged:
    return Charged(
        dataset=require_name(account.dataset, "dataset"),
        analyst=require_name(account.analyst, "account"),
        request_id=require_name(request_id, "request id"),
        fingerprint=require_name(fingerprint, "fingerprint"),
        cost=cost,
        question=question,
    )


def _entry(row: Row) -> Entry:
    event = row.event
    if (row.dataset, row.analyst) != filed_under(event):
        raise LedgerError(
            f"Event {row.seq} of the ledger is filed under another dataset or account than its own: somebody changed "
            "it. Verify the ledger, and restore it from a backup."
        )
    return Entry(row.seq, row.happened, event, row.hash)


def _at_least_none(limit: int) -> int:
    if limit < 0:
        raise InputError("limit must be 0 or more.")
    return limit


def no_release(request_id: str) -> InputError:
    """The error of a page that begins before a release which is not there, or is not told yet."""
    return InputError(f"There is no release under the request id {quote_name(request_id, 40)}.")
