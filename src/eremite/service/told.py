"""The releases that may be told: those whose turn has ended."""

from dataclasses import dataclass

from eremite.ledger import Account, Released, no_release
from eremite.service.auth import Caller
from eremite.service.desk import MOST_WAITING_PER_ACCOUNT


@dataclass(frozen=True, slots=True)
class ToldPage:
    """Some releases of an account, newest first; `before` is the id under which the next page begins, if there is one.

    A release is stored before its turn ends. Pages are cut after those were left out whose turn has not ended, and are
    turned by request id, not by the number of an event: both would tell when the release was stored. No page begins at
    such a release either.
    """

    releases: tuple[Released, ...]
    before: str | None


async def told_releases(caller: Caller, before: str | None, limit: int) -> ToldPage:
    """A page of the releases of the caller's account."""
    account, ledger = Account(caller.dataset.name, caller.grant.account), caller.dataset.ledger
    untold = untold_ids(caller)
    _require_told(before, untold)
    most = limit + 2 * MOST_WAITING_PER_ACCOUNT + 1  # so many may be stored and not told, before the read and after it
    entries = await caller.state.ledger_reads.read(
        account.dataset, lambda: ledger.releases_before(account, before, most)
    )
    untold |= untold_ids(caller)
    _require_told(before, untold)
    events = [entry.event for entry in entries if isinstance(entry.event, Released)]
    told = [event for event in events if event.request_id not in untold]
    page = tuple(told[:limit])
    return ToldPage(page, page[-1].request_id if len(told) > limit else None)


def untold_ids(caller: Caller) -> set[str]:
    """The ids of the account's questions that have not ended; ask before a read of the ledger and after it.

    A turn may end during the read, or begin: what is told then would show whether the read came before the release.
    """
    return caller.state.desk.unended_ids(caller.dataset.name, caller.grant.account)


def _require_told(before: str | None, untold: set[str]) -> None:
    """Refuse a page before a release that is not told yet, in the words for one that is not there."""
    if before is not None and before in untold:
        raise no_release(before)
