"""The pages of a batch that was read at once: what earlier requests of the batch write, later ones must see."""

from dataclasses import replace

from eremite.ledger.chain import Head, Row
from eremite.ledger.events import EVERYONE
from eremite.ledger.store import Account, Changes, Page, Request, Standing


class BatchPages:
    """The changes of a batch so far, laid over pages that were read before any of them."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self._rows: dict[int, Row] = {}
        self._standings: dict[Account, Standing] = {}
        self._requests: dict[tuple[Account, str], Request] = {}

    def page(self, account: Account, request_id: str | None, read: Page) -> Page:
        """The page of an account and a request as if it were read now."""
        whole = Account(account.dataset, EVERYONE)
        request = read.request if request_id is None else self._requests.get((account, request_id), read.request)
        released = None if request is None else request.released
        return replace(
            read,
            head=self.head,
            dataset=self._standings.get(whole, read.dataset),
            account=self._standings.get(account, read.account),
            request=request,
            release=read.release if released is None else self._rows.get(released, read.release),
        )

    def add(self, changes: Changes) -> None:
        """Remember what a request of the batch changes."""
        self.head = Head(changes.row.seq, changes.row.hash)
        self._rows[changes.row.seq] = changes.row
        self._standings.update((standing.account, standing) for standing in changes.standings)
        if changes.request is not None:
            self._requests[changes.request.account, changes.request.request_id] = changes.request
