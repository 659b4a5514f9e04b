"""A ledger in memory, which ends with its process."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from threading import Lock

from eremite.errors import InputError
from eremite.ledger.chain import Head, Row
from eremite.ledger.events import EVERYONE
from eremite.ledger.process_guard import ProcessGuard
from eremite.ledger.store import Account, Changes, Contents, Page, Request, Slice, Standing, T

_Key = tuple[str | None, str | None, bool]


class MemoryStore:
    """Keeps a ledger in this process. A forked copy of the process is refused: it would spend the budget twice."""

    where = "The ledger in memory"
    is_new = True

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._filed: defaultdict[_Key, list[Row]] = defaultdict(list)  # under dataset, analyst, whether releases alone
        self._standings: dict[Account, Standing] = {}
        self._requests: dict[tuple[Account, str], Request] = {}
        self._lock = Lock()
        self._guard = ProcessGuard()

    def change(self, account: Account, request_id: str | None, make: Callable[[Page], tuple[Changes | None, T]]) -> T:
        """Call `make` with the page, and write the changes it returns."""
        self._guard.require()
        with self._lock:
            changes, outcome = make(self._page(account, request_id))
            if changes is not None:
                self._write(changes)
            return outcome

    def page(self, account: Account, request_id: str | None = None) -> Page:
        """The page of an account, and of one of its requests, for reading."""
        with self._lock:
            return self._page(account, request_id)

    def rows(self, wanted: Slice) -> list[Row]:
        """Some events."""
        with self._lock:
            filed = self._filed.get((wanted.dataset, wanted.analyst, wanted.releases), [])
            first = bisect_right(filed, wanted.after, key=lambda row: row.seq)
            end = len(filed) if wanted.before is None else bisect_left(filed, wanted.before, key=lambda row: row.seq)
            if wanted.newest_first:
                return filed[max(first, end - wanted.limit) : end][::-1]
            return filed[first : min(end, first + wanted.limit)]

    def standings(self, dataset: str) -> list[Standing]:
        """The standings of a dataset and of its accounts."""
        with self._lock:
            return [standing for account, standing in self._standings.items() if account.dataset == dataset]

    def contents(self, examine: Callable[[Contents], T]) -> T:
        """What `examine` says of all rows, standings and requests."""
        with self._lock:
            standings, requests = tuple(self._standings.values()), tuple(self._requests.values())
            contents = Contents(self._head, tuple(self._rows), standings, requests)
        return examine(contents)

    def sources(self) -> list[Row]:
        """The events that record the sources of datasets."""
        with self._lock:
            return [row for row in self._rows if row.kind in ("dataset opened", "source noted")]

    def hash_at(self, seq: int) -> str | None:
        """The hash of the event with this number; None if there is none."""
        with self._lock:
            return self._rows[seq - 1].hash if 0 < seq <= len(self._rows) else None

    def ping(self, within: float) -> None:
        """Do nothing: memory can always be read."""

    def backup(self, target: Path, examine: Callable[[Contents], T]) -> T:
        """Refuse: a ledger in memory has no copy."""
        raise InputError("A ledger in memory cannot be copied to a file; open the session with ledger=.")

    def close(self) -> None:
        """Do nothing: no file or connection is open."""

    @property
    def _head(self) -> Head:
        return Head(self._rows[-1].seq, self._rows[-1].hash) if self._rows else Head()

    def _page(self, account: Account, request_id: str | None) -> Page:
        request = None if request_id is None else self._requests.get((account, request_id))
        release = self._rows[request.released - 1] if request is not None and request.released is not None else None
        whole = self._standings.get(Account(account.dataset, EVERYONE))
        return Page(self._head, whole, self._standings.get(account), request, release)

    def _write(self, changes: Changes) -> None:
        for standing in changes.standings:  # first: an interrupt may then waste budget, but never lose a charge
            self._standings[standing.account] = standing
        if changes.request is not None:
            self._requests[changes.request.account, changes.request.request_id] = changes.request
        row = changes.row
        self._rows.append(row)
        for key in product((None, row.dataset), (None, row.analyst), {False, row.kind == "released"}):
            self._filed[key].append(row)
