"""The releases that may be told: those whose turn has ended."""

from dataclasses import dataclass

from eremite.ledger import Account, Released
from eremite.service.auth import Caller
from eremite.service.desk import MOST_WAITING_PER_ACCOUNT


@dataclass(frozen=True, slots=True)
class ToldPage:
    """Some releases of an account, newest first; `before` is the id under which the next page begins, if there is one.

    A release is stored before its turn ends. Pages are cut after those were left out whose turn has not ended, and are
    turned by request id, not by the number of an event: both would tell when the release was stored.
    """

    releases: tuple[Released, ...]
    before: str | None


async def told_releases(caller: Caller, before: str | None, limit: int) -> ToldPage:
    """A page of the releases of the caller's account."""
    account, ledger = Account(caller.dataset.name, caller.grant.account), caller.dataset.ledger
    most = limit + MOST_WAITING_PER_ACCOUNT + 1  # so many may be stored and not told yet
    entries = await caller.state.ledger_reads.read(
        account.dataset, lambda: ledger.releases_before(account, before, most)
    )
    # After the read: a turn may have begun meanwhile.
    untold = caller.state.desk.running(account.dataset, account.analyst)
    events = [entry.event for entry in entries if isinstance(entry.event, Released)]
    told = [event for event in events if event.request_id not in untold]
    page = tuple(told[:limit])
    return ToldPage(page, page[-1].request_id if len(told) > limit else None)
