"""What pages read from the ledger. Each read is off the event loop, and fails in time if the ledger does not answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fastapi.concurrency import run_in_threadpool

from eremite.ledger import Account, Budget, Entry, Released, Remaining, Stored
from eremite.privacy import Privacy
from eremite.release import Release
from eremite.service.auth import Caller
from eremite.service.told import told_releases, untold_ids
from eremite.service.web.views import parsed_release

T = TypeVar("T")

#: Answers or events on one page.
PAGE_LENGTH = 25
_MOST_IN_FILE = 10_000


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that was given, under its request id; None if this version cannot read it."""

    request_id: str
    release: Release | None
    text: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What an account may still spend, and the two budgets that decide it."""

    remaining: Remaining
    own: Budget | None
    whole: Budget

    @property
    def left(self) -> Privacy:
        """The most that one more question may spend."""
        return self.remaining.privacy


async def read(caller: Caller, work: Callable[[], T]) -> T:
    """The result of some work with the ledger of the dataset."""
    return await caller.state.ledger_reads.read(caller.dataset.name, work)


async def standing(caller: Caller) -> Standing:
    """What is left for the caller."""
    name, account, ledger = caller.dataset.name, caller.grant.account, caller.dataset.ledger

    def work() -> Standing:
        budgets = dict(ledger.budgets(name))
        return Standing(ledger.remaining(Account(name, account)), budgets.get(account), budgets[None])

    return await read(caller, work)


async def answers(caller: Caller, before: str | None = None, limit: int = PAGE_LENGTH) -> list[Given]:
    """The answers of the caller's account, the newest first, from before that under an id."""
    releases = (await told_releases(caller, before, limit)).releases
    return await run_in_threadpool(lambda: [_given(event) for event in releases])  # there can be very many


async def all_answers(caller: Caller) -> list[Given]:
    """All answers of the caller's account for a file; the newest ones if there are very many."""
    return await answers(caller, limit=_MOST_IN_FILE)


async def answer(caller: Caller, request_id: str) -> str | None:
    """The JSON of the answer that the caller's account was given under an id; None while its turn has not ended."""
    account, ledger = Account(caller.dataset.name, caller.grant.account), caller.dataset.ledger
    untold = untold_ids(caller)
    found = await read(caller, lambda: ledger.became_of(account, request_id))
    untold |= untold_ids(caller)
    return found.release if isinstance(found, Stored) and request_id not in untold else None


async def events(caller: Caller, before: int | None, limit: int = PAGE_LENGTH) -> Sequence[Entry]:
    """The events of the dataset, the newest first."""
    ledger, name = caller.dataset.ledger, caller.dataset.name
    return (await read(caller, lambda: ledger.history(name, before=before, limit=limit)))[::-1]


def _given(event: Released) -> Given:
    return Given(event.request_id, parsed_release(event.release), event.release)
