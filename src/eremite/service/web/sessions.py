"""Who is signed in. A session lives in memory only: a restart signs everybody out.

A session's id is 256 random bits; only its hash is kept, so whoever reads the memory cannot take over a session that
is not in use. A session proves who signed in, and no more: what they may do is looked up for every request.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from eremite.service.identity import Proof

#: Seconds. A session ends so long after signing in, and so long after its last request.
LIFETIME = 12 * 3600.0
IDLE = 3600.0
#: The session that was not used for the longest time makes room for a new one.
MOST_SESSIONS = 1_000
MOST_OF_ONE_PROOF = 20


@dataclass(slots=True)
class Signed:
    """One session."""

    proof: Proof
    csrf: str = field(repr=False)  # what every form of this session holds
    began: float
    used: float

    def has_csrf(self, sent: str) -> bool:
        """Whether a form is one of this session. Takes the same time whatever was sent."""
        return hmac.compare_digest(self.csrf.encode(), sent.encode())


class Sessions:
    """All sessions, by the hash of their ids. For one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._by_hash: dict[str, Signed] = {}

    def open(self, proof: Proof) -> str:
        """A new session; the id is for the cookie, and is kept nowhere else."""
        now, new_id = self._clock(), secrets.token_urlsafe(32)
        self._drop_ended(now)
        self._make_room([kept for kept, signed in self._by_hash.items() if signed.proof == proof], MOST_OF_ONE_PROOF)
        self._make_room(list(self._by_hash), MOST_SESSIONS)
        self._by_hash[_hash(new_id)] = Signed(proof, secrets.token_urlsafe(32), now, now)
        return new_id

    def find(self, session_id: str) -> Signed | None:
        """The session of a cookie, unless it has ended. It counts as used."""
        now, wanted = self._clock(), _hash(session_id)
        signed = self._by_hash.get(wanted)  # a hash of 256 random bits: how long the lookup takes tells nothing
        if signed is None or _ended(signed, now):
            self._by_hash.pop(wanted, None)
            return None
        signed.used = now
        return signed

    def close(self, session_id: str) -> None:
        """End a session."""
        self._by_hash.pop(_hash(session_id), None)

    def __len__(self) -> int:
        return len(self._by_hash)

    def _drop_ended(self, now: float) -> None:
        self._by_hash = {kept: signed for kept, signed in self._by_hash.items() if not _ended(signed, now)}

    def _make_room(self, among: list[str], most: int) -> None:
        for kept in sorted(among, key=lambda one: self._by_hash[one].used)[: max(len(among) - most + 1, 0)]:
            del self._by_hash[kept]


def _ended(signed: Signed, now: float) -> bool:
    return now - signed.began >= LIFETIME or now - signed.used >= IDLE


def _hash(session_id: str) -> str:
    return hashlib.sha256(session_id.encode()).hexdigest()
