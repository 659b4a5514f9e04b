"""The head of the chain that a process has seen, and whether a ledger still leads there (`chain.proof.md`).

A file or a database can be set back in place, by a restored backup, while somebody uses it. Its chain is then shorter,
or goes on in another way; either way the event at the number that was seen last is not the one that was seen.
"""

from collections.abc import Callable
from threading import Lock

from eremite.errors import LedgerError, NoLedger
from eremite.ledger.chain import Head


class Remembered:
    """The furthest head that was seen. It only moves forward, whatever the order in which threads report."""

    def __init__(self) -> None:
        self._head = Head()
        self._lock = Lock()

    @property
    def head(self) -> Head:
        """The furthest head so far; number 0 before the first."""
        return self._head

    def advance(self, head: Head) -> None:
        """Remember a head that was read, or whose commit is safe."""
        with self._lock:
            if head.seq > self._head.seq:
                self._head = head

    def require(self, hash_at: Callable[[int], str | None], ledger: str) -> None:
        """Refuse a ledger whose event at the remembered number has another hash, or is not there.

        Call it in the transaction that decides, before the decision: nobody can set the ledger back in between.
        """
        if self._head.seq and hash_at(self._head.seq) != self._head.hash:
            raise set_back(ledger)

    def missing(self, ledger: str) -> LedgerError:
        """Of a ledger that is not there; one that was used before is gone."""
        if self._head.seq:
            return gone(ledger)
        return NoLedger(ledger)


def gone(ledger: str) -> LedgerError:
    """What is there is not the ledger that was there before."""
    return LedgerError(
        f"{ledger} was moved, removed or replaced while it was in use; nothing was charged. "
        "Put it back, or open it again."
    )


def set_back(ledger: str) -> LedgerError:
    """Of a ledger that has lost what was seen in it."""
    return LedgerError(
        f"{ledger} was set back while it was in use: events that were seen in it are gone. Nothing was charged or "
        "released. Put its newest copy back, then start again; eremite ledger accept goes on with an older one."
    )
