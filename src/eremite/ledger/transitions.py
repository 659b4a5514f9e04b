"""The transitions of a ledger: pure functions from a page and a request to changes."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from eremite.errors import InputError, LedgerError
from eremite.ledger.budget import Budget
from eremite.ledger.chain import Row, next_row
from eremite.ledger.decide import Refusal, decide
from eremite.ledger.events import (
    EVERYONE,
    CapSet,
    Charged,
    DatasetOpened,
    LedgerAccepted,
    Refused,
    Released,
    RowsReplaced,
    SourceNoted,
)
from eremite.ledger.store import Account, Changes, Page, Request, Standing
from eremite.privacy import Privacy

#: Refusals of an account that are recorded between two of its charges or changes of its cap. Later ones are answered
#: in the same words and not recorded: whoever is refused must not be able to fill the disk.
MOST_REFUSALS = 100


@dataclass(frozen=True, slots=True)
class Reserved:
    """The request was charged: compute the release, store it, return it. Its time is the time of the charge."""

    charged_at: datetime


@dataclass(frozen=True, slots=True)
class Stored:
    """The request was answered before: its stored release, which costs nothing again."""

    release: str


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The request was charged and has no release: it is being computed, or its answer was lost in a crash."""


@dataclass(frozen=True, slots=True)
class Another:
    """The id was charged for another request."""


def open_dataset(page: Page, now: datetime, wanted: DatasetOpened) -> tuple[Changes | None, Privacy]:
    """Open a new dataset with the cap, or return the cap that a known dataset has."""
    if page.dataset is not None and page.dataset.cap is not None:
        _require_same_person(page.dataset, wanted)
        _require_same_neighbors(page.dataset, wanted)
        return None, page.dataset.cap
    standing = Standing(
        Account(wanted.dataset, EVERYONE),
        wanted.cap,
        rows_per_person=wanted.rows_per_person,
        neighbors=wanted.neighbors,
    )
    return Changes(next_row(page.head, now, wanted), (standing,)), wanted.cap


def _require_same_person(known: Standing, wanted: DatasetOpened) -> None:
    """Refuse another number of rows per person: earlier releases do not protect a person with that many rows."""
    if known.rows_per_person != wanted.rows_per_person:
        raise InputError(
            f"The ledger keeps dataset {wanted.dataset!r} for people with at most {known.rows_per_person} rows each, "
            f"not {wanted.rows_per_person}; its budget cannot be carried over. Set rows_per_person back, or give the "
            "dataset another name and a budget of its own, in view of what was released before."
        )


def _require_same_neighbors(known: Standing, wanted: DatasetOpened) -> None:
    """Refuse another relation between neighbors: epsilons of two relations do not add up to one guarantee."""
    if known.neighbors != wanted.neighbors:
        before, now = (neighbors or "replace" for neighbors in (known.neighbors, wanted.neighbors))
        raise InputError(
            f'The ledger keeps dataset {wanted.dataset!r} for neighbors = "{before}", not "{now}"; its budget cannot '
            "be carried over. Set neighbors back, or give the dataset another name and a budget of its own, in view of "
            "what was released before."
        )


def set_cap(page: Page, now: datetime, wanted: CapSet) -> tuple[Changes, None]:
    """Set the cap of the dataset or of one account."""
    account = Account(wanted.dataset, EVERYONE if wanted.analyst is None else wanted.analyst)
    whole = known(page, wanted.dataset)
    before = whole if wanted.analyst is None else page.account or Standing(account, None)
    return Changes(next_row(page.head, now, wanted), (replace(before, cap=wanted.cap, refusals=0),)), None


def reserve(
    page: Page, now: datetime, wanted: Charged, former: str | None = None
) -> tuple[Changes | None, Reserved | Stored | Refusal]:
    """Charge a request or refuse it; a request that was charged before is never charged again.

    `former` is the fingerprint that the version before gave to the same question.
    """
    known(page, wanted.dataset)
    if page.request is not None:
        return _again(page, page.request, now, wanted, former)
    standings = standings_of(page, Account(wanted.dataset, wanted.analyst))
    decision = decide(tuple(map(budget_of, standings)), wanted.cost)
    if isinstance(decision, Refusal):
        return _refused(page, now, wanted, decision)
    after = tuple(replace(s, spent=budget.spent, refusals=0) for s, budget in zip(standings, decision, strict=True))
    row = next_row(page.head, now, wanted)
    request = Request(Account(wanted.dataset, wanted.analyst), wanted.request_id, wanted.fingerprint, row.seq)
    return Changes(row, after, request), Reserved(row.happened)


def foresee(
    page: Page, now: datetime, wanted: Charged, former: str | None = None
) -> tuple[Changes | None, Stored | Refusal | None]:
    """What `reserve` would answer at this moment, without the charge; None for a request that it would charge."""
    changes, outcome = reserve(page, now, wanted, former)
    return (None, None) if isinstance(outcome, Reserved) else (changes, outcome)


def answered(page: Page, fingerprints: Collection[str]) -> Stored | None:
    """The release of the request of the page, if it has one and asked what one of the fingerprints identifies."""
    if page.request is None or page.release is None or page.request.fingerprint not in fingerprints:
        return None
    return Stored(_release_in(page.release))


def became_of(page: Page, fingerprints: Collection[str] | None = None) -> Stored | Unanswered | Another | None:
    """What became of the request of the page; None if it was never charged.

    With fingerprints, a request that asked what none of them identifies is another one.
    """
    if page.request is None:
        return None
    if fingerprints is not None and page.request.fingerprint not in fingerprints:
        return Another()
    return Unanswered() if page.release is None else Stored(_release_in(page.release))


def used_for_another(request_id: str) -> str:
    """The sentence for a request whose id was used before."""
    return f"Request id {request_id!r} was used for another request; ask under a new id, nothing was charged."


def store_release(page: Page, now: datetime, released: Released) -> tuple[Changes, None]:
    """Store the release of a charged request, which has at most one."""
    if page.request is None:
        raise InputError(f"Request {released.request_id!r} was not charged, so no release of it can be stored.")
    if page.request.released is not None:
        raise InputError(f"Request {released.request_id!r} has its release already; it is never changed.")
    row = next_row(page.head, now, released)
    return Changes(row, (), replace(page.request, released=row.seq)), None


def record_refusal(page: Page, now: datetime, refused: Refused) -> Changes:
    """Record a refusal, and count it."""
    mine = page.account or Standing(Account(refused.dataset, refused.analyst), None)
    return Changes(next_row(page.head, now, refused), (replace(mine, refusals=mine.refusals + 1),))


def note(page: Page, now: datetime, noted: SourceNoted | LedgerAccepted | RowsReplaced) -> tuple[Changes, None]:
    """Record a fact about a known dataset; no budget changes."""
    known(page, noted.dataset)
    return Changes(next_row(page.head, now, noted)), None


def standings_of(page: Page, account: Account) -> tuple[Standing, Standing]:
    """The standings whose caps must hold: the dataset's and the account's, which may have no cap."""
    return known(page, account.dataset), page.account or Standing(account, None)


def budget_of(standing: Standing) -> Budget:
    """The budget of a standing, with its name in sentences."""
    dataset, analyst = standing.account.dataset, standing.account.analyst
    name = f"Dataset {dataset!r}" if analyst == EVERYONE else f"Account {analyst!r}"
    return Budget(name, standing.cap, standing.spent)


def known(page: Page, dataset: str) -> Standing:
    """The standing of the whole dataset; an error if the ledger does not have the dataset."""
    if page.dataset is None:
        raise InputError(f"Dataset {dataset!r} is not in this ledger; open it with its cap first.")
    return page.dataset


def _again(
    page: Page, request: Request, now: datetime, wanted: Charged, former: str | None
) -> tuple[Changes | None, Reserved | Stored | Refusal]:
    """Answer a request id that was charged before: with its stored release, or with a refusal."""
    same = {wanted.fingerprint} if former is None else {wanted.fingerprint, former}
    if _version(request.fingerprint) not in map(_version, same):
        raise InputError(
            f"Request id {wanted.request_id!r} was used under another version of eremite, which identified questions "
            "in another way. If it was answered, its answer is among the account's releases. Ask under a new id; "
            "nothing was charged."
        )
    if request.fingerprint not in same:
        raise InputError(used_for_another(wanted.request_id))
    if page.release is not None:
        return None, Stored(_release_in(page.release))
    return _refused(
        page,
        now,
        wanted,
        Refusal(
            f"Request {wanted.request_id!r} was charged and has no release: it is being computed, or its answer was "
            "lost in a crash. What it spent stays spent; ask again under another id."
        ),
    )


def _version(fingerprint: str) -> str:
    """The version of a fingerprint, which comes before its colon; the first version wrote none."""
    return fingerprint.rpartition(":")[0]


def _release_in(row: Row) -> str:
    event = row.event
    if not isinstance(event, Released):
        raise LedgerError(f"Event {row.seq} of the ledger is no release, though a request says so; verify the ledger.")
    return event.release


def _refused(page: Page, now: datetime, wanted: Charged, why: Refusal) -> tuple[Changes | None, Refusal]:
    """Refuse a request, and record it unless `MOST_REFUSALS` are."""
    if page.account is not None and page.account.refusals >= MOST_REFUSALS:
        return None, why
    refused = Refused(
        dataset=wanted.dataset,
        analyst=wanted.analyst,
        request_id=wanted.request_id,
        wanted=wanted.cost,
        sentence=why.sentence,
    )
    return record_refusal(page, now, refused), why
