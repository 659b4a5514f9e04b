"""The witness: a small file beside a description that records the head of its ledger (`chain.proof.md`, C3).

A ledger that was removed or set back, or whose disk is not mounted, looks like one with budget left. The witness lies
elsewhere, beside the description, and a ledger must not be behind it. It is written after a charge is safe and before
anything is computed, so it is never ahead of an honest ledger. To keep many concurrent charges fast, it is written at
most once in `PAUSE` seconds, and is at most `MOST_BEHIND` charges behind; a single charge is recorded at once.
"""

import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from eremite.errors import LedgerError, LedgerNotice
from eremite.ledger.budget import NOTHING
from eremite.ledger.chain import Head
from eremite.ledger.events import EVERYONE
from eremite.ledger.store import Account, Store
from eremite.ledger.witness_file import Witnessed, folder_locked, read_witnessed, write_witnessed
from eremite.privacy import Privacy

PAUSE = 0.1
MOST_BEHIND = 63

_ACCEPT = 'or, to go on without them on purpose, run: eremite ledger accept DESCRIPTION --reason "..."'


class Witness:
    """The witness of one dataset's ledger. Threads, processes and forked copies may use it concurrently."""

    def __init__(self, path: Path, dataset: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._dataset = dataset
        self._clock = clock
        self._behind = 0  # charges since the file was last written
        self._due = clock()  # time from which the next charge is recorded at once
        self._noticed = False
        self._lock, self._process = Lock(), os.getpid()

    def known(self) -> Witnessed | None:
        """The recorded head and spending; None before the first charge."""
        return read_witnessed(self._path)

    def require(self, store: Store) -> None:
        """Refuse a ledger that does not contain the recorded head: it is behind, or another one.

        The witness is read before the ledger, so a ledger that grows in between is not taken to be behind.
        """
        known = self.known()
        if known is not None:
            self._require_in(store, known)

    def require_none(self, ledger: str) -> None:
        """Refuse to create a ledger, which is missing, if the witness has a record of one."""
        known = self.known()
        if known is not None:
            raise LedgerError(
                f"{ledger} is not there, but its witness {self._path} knows of {known.in_words}; nothing was charged. "
                f"Put it back, mount its disk or correct its address; {_ACCEPT}."
            )

    def charged(self, store: Store) -> None:
        """Record that a charge is safe in the store: at once, unless many charges arrive together."""
        with self._locked():
            self._behind += 1
            if self._behind > MOST_BEHIND or self._clock() >= self._due:
                self._keep(store)
                self._due = self._clock() + PAUSE

    def settle(self, store: Store) -> None:
        """Write the file now, if the ledger is further."""
        with self._locked():
            self._keep(store)

    def replace(self, store: Store) -> None:
        """Record the head of this ledger in place of any other, for the custodian."""
        with self._locked(), folder_locked(self._path.parent):
            write_witnessed(self._path, self._observed(store))

    def _keep(self, store: Store) -> None:
        try:
            with folder_locked(self._path.parent):
                self._write_if_further(store)
        except OSError as error:
            self._notice(error)
        self._behind = 0

    def _write_if_further(self, store: Store) -> None:
        known = self.known()
        if known is not None:
            self._require_in(store, known)  # do not undo that another ledger was accepted in the meantime
        seen = self._observed(store)
        if known is None or seen.head.seq > known.head.seq:
            write_witnessed(self._path, seen)

    def _observed(self, store: Store) -> Witnessed:
        page = store.page(Account(self._dataset, EVERYONE))
        spent = NOTHING if page.dataset is None else page.dataset.spent
        return Witnessed(self._dataset, page.head, Privacy(spent.epsilon, spent.delta))

    def _require_in(self, store: Store, known: Witnessed) -> None:
        found = store.hash_at(known.head.seq) if known.head.seq else Head().hash
        if found == known.head.hash:
            return
        what, why = "is behind", ""
        if found is not None:
            what, why = "does not match", ": it is another ledger, or was set back and went on"
        raise LedgerError(
            f"{store.where} {what} its witness {self._path}, which knows of {known.in_words}{why}; nothing was "
            f"released. Put the newest copy of the ledger back, {_ACCEPT}."
        )

    def _notice(self, error: OSError) -> None:
        if not self._noticed:
            self._noticed = True
            warnings.warn(
                f"The witness {self._path} cannot be written ({error.strerror}): should the ledger be lost or set "
                "back, nobody will notice. The ledger itself works; let eremite write the folder of the description.",
                LedgerNotice,
                stacklevel=2,
            )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let in one thread at a time. A forked process gets a new lock: nobody in it could release the old one."""
        if self._process != os.getpid():
            self._lock, self._process = Lock(), os.getpid()
        with self._lock:
            yield
