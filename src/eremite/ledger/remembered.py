"""The last head that a process has seen, and whether a ledger still contains it (`chain.proof.md`).

A restored backup can set a ledger back while it is in use. Its chain is then shorter, or continues differently; either
way it no longer has the event that was seen last under that number.
"""

from collections.abc import Callable
from threading import Lock

from eremite.errors import LedgerError, NoLedger
from eremite.ledger.chain import Head


class Remembered:
    """The furthest head that this process has seen. It only moves forward, in whatever order threads report."""

    def __init__(self) -> None:
        self._head = Head()
        self._lock = Lock()

    @property
    def head(self) -> Head:
        """The furthest head so far; number 0 at the start."""
        return self._head

    def advance(self, head: Head) -> None:
        """Remember a head that was read, or whose commit is safe."""
        with self._lock:
            if head.seq > self._head.seq:
                self._head = head

    def require(self, hash_at: Callable[[int], str | None], ledger: str) -> None:
        """Refuse a ledger in which the event with the remembered number is missing or has another hash.

        Call it in the transaction that decides, before the decision: the ledger cannot be set back in between.
        """
        if self._head.seq and hash_at(self._head.seq) != self._head.hash:
            raise set_back(ledger)

    def missing(self, ledger: str) -> LedgerError:
        """The error for a missing ledger; it differs if this process has used the ledger before."""
        if self._head.seq:
            return gone(ledger)
        return NoLedger(ledger)


def gone(ledger: str) -> LedgerError:
    """The error for a ledger that disappeared, or is not the one that was opened."""
    return LedgerError(
        f"{ledger} was moved, removed or replaced while it was in use; nothing was charged. "
        "Put it back, or open it again."
    )


def set_back(ledger: str) -> LedgerError:
    """The error for a ledger that lost events which this process has seen."""
    return LedgerError(
        f"{ledger} was set back while it was in use: events that were seen in it are gone. Nothing was charged or "
        "released. Put its newest copy back, then start again; eremite ledger accept goes on with an older one."
    )
