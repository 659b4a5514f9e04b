"""The ledger: a privacy budget that outlives the process, kept in a store."""

import atexit
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakSet

from eremite.errors import BudgetRefused, InputError
from eremite.ledger import transitions
from eremite.ledger.budget import Budget
from eremite.ledger.chain import Head, Row
from eremite.ledger.cost import Cost
from eremite.ledger.decide import Refusal
from eremite.ledger.events import CapSet, Charged, DatasetOpened, Event, LedgerAccepted, Released, SourceNoted
from eremite.ledger.remaining import in_words, remaining
from eremite.ledger.store import EVERYONE, Account, Changes, Page, Store
from eremite.ledger.timeline import BudgetTimeline, budget_timeline
from eremite.ledger.transitions import Reserved, Stored, budget_of, standings_of
from eremite.ledger.verify import Verification, verification
from eremite.ledger.witness import Witness
from eremite.privacy import Privacy, checked_budget

_LONGEST_NAME = 200


def utc_now() -> datetime:
    """What the clock says."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Remaining:
    """What one more release may ask for at most, and the same in words.

    `privacy.epsilon` is for a release without delta; `privacy.delta` is the largest delta that some release could have.
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

    Guarantee: all releases of a dataset together keep its cap, and those of an account keep the account's, if it has
    one, whoever asks at the same time, from however many processes, and whenever one of them dies (`decide.proof.md`).
    A charge is safe in the store before `reserve` returns, and is never taken back. The same request id gives the
    stored release.

    With a `witness`, a file beside the dataset's description, a ledger that was lost or set back is noticed also by a
    process that never saw it before (`chain.proof.md`).

    The budget belongs to the dataset's *name*. The same rows under another name have another budget, and what is
    released of both adds up: a ledger cannot know what rows are. `note_source` finds names that share a source.
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
        """The same ledger, if the witness does not know better; it is told of charges from now on."""
        witness.require(self._store)
        return Ledger(self._store, self._clock, witness=witness)

    @property
    def where(self) -> str:
        """The ledger and its place, as a sentence begins."""
        return self._store.where

    def knows(self, dataset: str) -> bool:
        """Whether the dataset has a budget here."""
        return self._store.page(Account(dataset, EVERYONE)).dataset is not None

    def note_source(self, dataset: str, source: str) -> tuple[str, ...]:
        """Keep where the rows of a dataset come from, once, and give other datasets that have the same source.

        `source` is a fingerprint of the text that names the source. Rows that were copied have another one.
        """
        noted = [row.event for row in self._store.sources()]
        sharing = {event.dataset for event in noted if getattr(event, "source", None) == source}
        if dataset not in sharing:
            self._note(SourceNoted(dataset=_name(dataset, "dataset"), source=_name(source, "source")))
        return tuple(sorted(sharing - {dataset}))

    def accept(self, dataset: str, witness: Witness, *, reason: str, known: Head) -> None:
        """Go on with this ledger although its witness knew better, for the custodian; the reason is kept.

        Whatever was charged after this ledger's last event can be spent again: lower the cap by it first.
        """
        if not reason.strip():
            raise InputError("To accept a ledger needs a reason, which is kept in the history.")
        self._note(LedgerAccepted(dataset=dataset, reason=reason, events=known.seq, hash=known.hash))
        witness.replace(self._store)

    def open_dataset(self, dataset: str, cap: Privacy, rows_per_person: int = 1, source: str | None = None) -> Privacy:
        """Bring a dataset under the ledger; the cap in force, which for a known dataset is the one the ledger has.

        A budget belongs to a name: the same rows under another name get another budget here, and nobody but the
        custodian can tell. A new dataset keeps its `source`, so that `note_source` can.
        """
        known = checked_budget(cap.epsilon, cap.delta)
        if source is not None:
            _name(source, "source")
        wanted = DatasetOpened(
            dataset=_name(dataset, "dataset"), cap=known, rows_per_person=rows_per_person, source=source
        )

        def opened(page: Page) -> tuple[Changes | None, tuple[Privacy, bool]]:
            changes, in_force = transitions.open_dataset(page, self._clock(), wanted)
            return changes, (in_force, changes is not None)

        in_force, is_new = self._store.change(Account(dataset, EVERYONE), None, opened)
        if is_new:
            self._changed()
        return in_force

    def set_cap(self, dataset: str, analyst: str | None, cap: Privacy, *, reason: str) -> None:
        """Set the cap of a dataset (`analyst=None`) or of an account, for the custodian; the reason is kept.

        What holds is the guarantee of the highest cap that was set or, had the answers been others, would have been.
        """
        if analyst is not None:
            _name(analyst, "account")
        if not reason.strip():
            raise InputError("A change of a cap needs a reason, which is kept in the history.")
        known = checked_budget(cap.epsilon, cap.delta)
        wanted = CapSet(dataset=_name(dataset, "dataset"), analyst=analyst, cap=known, reason=reason)
        account = Account(dataset, EVERYONE if analyst is None else analyst)
        self._store.change(account, None, lambda page: transitions.set_cap(page, self._clock(), wanted))
        self._changed()

    def reserve(
        self, account: Account, request_id: str, fingerprint: str, cost: Cost, question: Mapping[str, Any]
    ) -> Reserved | Stored:
        """Charge a request, or give the release it was charged for before; raise `BudgetRefused` and charge nothing.

        `fingerprint` identifies the question: the same id with another fingerprint is an `InputError`. `question` holds
        its fields, for whoever reads the history.
        """
        wanted = Charged(
            dataset=_name(account.dataset, "dataset"),
            analyst=_name(account.analyst, "account"),
            request_id=_name(request_id, "request id"),
            fingerprint=_name(fingerprint, "fingerprint"),
            cost=cost,
            question=question,
        )
        outcome = self._store.change(account, request_id, lambda page: transitions.reserve(page, self._clock(), wanted))
        self._unsettled = True
        if isinstance(outcome, Reserved) and self._witness is not None:
            self._witness.charged(self._store)
        if isinstance(outcome, Refusal):
            raise BudgetRefused(outcome.sentence, needed=outcome.needed, remaining=outcome.remaining)
        return outcome

    def store(self, account: Account, request_id: str, release: str, paid: Reserved) -> None:
        """Keep the release of a request that was charged. Only what is stored may be handed over.

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
        """The budget of the dataset as a whole (under None), then those of its accounts, by name."""
        standings = [s for s in self._store.contents().standings if s.account.dataset == dataset]
        by_name = sorted(standings, key=lambda standing: standing.account.analyst)
        return [(standing.account.analyst or None, budget_of(standing)) for standing in by_name]

    def history(self, dataset: str | None = None, analyst: str | None = None) -> list[Entry]:
        """Everything that happened, in order; of one dataset, or of one account, if named."""
        entries = (_entry(row) for row in self._store.contents().rows)
        return [entry for entry in entries if _about(entry.event, dataset, analyst)]

    def timeline(self, dataset: str, analyst: str | None = None) -> BudgetTimeline:
        """How the budget of a dataset came to where it is, and those of its accounts or of the one named; plots."""
        course = budget_timeline([(entry.time, entry.event) for entry in self.history(dataset)], dataset, analyst)
        if not course.whole:
            raise InputError(f"Dataset {dataset!r} is not in this ledger.")
        return course

    def verify(self, noted: str | None = None) -> Verification:
        """Go through the whole chain and add everything up again; and look for a hash that was noted before.

        Whoever can write the ledger can cut off its end and mend head and sums. Only a hash kept elsewhere shows that.
        """
        return verification(self._store.contents(), noted)

    def ping(self, within: float = 2.0) -> None:
        """Whether the ledger can be read, and was not set back: a `LedgerError` if not, within about so many seconds.

        Cheap: one short read. It waits for nobody who uses the ledger for longer. Where a connection has to be made
        first, it may take twice as long, and four seconds at least.
        """
        self._store.ping(within)

    def backup(self, target: Path) -> Verification:
        """Copy one moment of the ledger into a file that is not there yet, and verify the copy.

        The copy has the right mode and everything that was charged; it knows nothing of what is charged later.
        """
        return verification(self._store.backup(target))

    def close(self) -> None:
        """Let go of the store's files and connections; the next use opens them again.

        An SQLite file has every charge by then, without the log beside it, and the witness has the last event.
        """
        try:
            if self._unsettled:
                self.settle()
        finally:
            self._store.close()

    def settle(self) -> None:
        """Tell the witness of the last event, if there is a witness."""
        if self._witness is not None:
            self._witness.settle(self._store)
        self._unsettled = False

    def _note(self, event: SourceNoted | LedgerAccepted) -> None:
        account = Account(event.dataset, EVERYONE)
        self._store.change(account, None, lambda page: transitions.note(page, self._clock(), event))
        self._unsettled = True

    def _changed(self) -> None:
        """A cap is as good as a charge, and rare: it is witnessed at once."""
        self._unsettled = True
        self.settle()


_LEDGERS: WeakSet[Ledger] = WeakSet()


def _at_exit() -> None:
    """Whoever forgets to close a ledger has its charges in one file, and its witness told, all the same."""
    for ledger in list(_LEDGERS):
        with suppress(Exception):  # what was committed is safe; there is nobody left to tell
            ledger.close()


atexit.register(_at_exit)


def _entry(row: Row) -> Entry:
    return Entry(row.seq, row.happened, row.event, row.hash)


def _about(event: Event, dataset: str | None, analyst: str | None) -> bool:
    whose = getattr(event, "analyst", None)
    return dataset in (None, event.dataset) and analyst in (None, whose)


def _name(text: object, what: str) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST_NAME or not text.isprintable():
        raise InputError(f"The {what} must be a text of 1 to {_LONGEST_NAME} printable characters.")
    return text
