"""Processes that are killed in the middle of a release, and what must hold of their ledger afterwards.

python -m tests.contracts.ledger_victim PLACE ROUNDS SEED: every round forks a process that makes releases until it
kills itself with SIGKILL at one of the steps, then looks at what it left behind. The last line printed counts what was
seen.
"""

import os
import random
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from eremite.ledger import Ledger, Reserved, Stored, open_ledger, postgres_store, sqlite_file, transitions
from eremite.ledger.events import Charged, Released
from tests.contracts.ledger_places import ALICE, opened, pure

CAP, COST = 10_000, Fraction(1, 10)
STEPS = (
    "before the charge",
    "charge written, not committed",
    "charge committed",
    "before the store",
    "release written, not committed",
    "release committed",
    "after the store",
)


class Death:
    """Kills this process at the n-th time that it comes to a step."""

    def __init__(self, step: str, n: int) -> None:
        self._step, self._n = step, n

    def at(self, step: str) -> None:
        self._n -= step == self._step
        if self._n == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def haunt(death: Death) -> None:
    """Let the process come by its death at every commit, of SQLite and of PostgreSQL, and at every decision."""
    phase = "charge"

    def watched(execute: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **named: Any) -> Any:
            commits = "COMMIT" in arguments or postgres_store._FLUSH in arguments
            if commits:
                death.at(f"{phase} written, not committed")
            result = execute(*arguments, **named)
            if commits:
                death.at(f"{phase} committed")
            return result

        return step

    class Watched(sqlite3.Connection):
        execute = watched(sqlite3.Connection.execute)

    real = sqlite3.connect
    sqlite_file.sqlite3.connect = lambda *a, **k: real(*a, **k, factory=Watched)  # type: ignore[assignment]
    postgres_store._trip = watched(postgres_store._trip)

    reserve, store_release = transitions.reserve, transitions.store_release

    def charging(*arguments: Any) -> Any:
        nonlocal phase
        phase = "charge"
        death.at("before the charge")
        return reserve(*arguments)

    def storing(*arguments: Any) -> Any:
        nonlocal phase
        phase = "release"
        return store_release(*arguments)

    transitions.reserve, transitions.store_release = charging, storing


def releases(place: str, prefix: str, death: Death, handed_over: int) -> None:
    """What a session does: charge, compute, store, hand over."""
    haunt(death)
    ledger = open_ledger(place)
    for i in range(100):
        name = f"{prefix}-{i}"
        paid = ledger.reserve(ALICE, name, "f", pure(COST), {"query": "count"})
        assert isinstance(paid, Reserved)
        death.at("before the store")
        ledger.store(ALICE, name, f"answer {name}", paid)
        death.at("after the store")
        os.write(handed_over, f"{name}\n".encode())


def killed(place: str, prefix: str, death: Death) -> list[str]:
    """The names of the releases that a process handed over before it was killed."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            releases(place, prefix, death, writes)
        finally:
            os._exit(1)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        told = pipe.read().split()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    return told


def require_all_is_well(ledger: Ledger, handed_over: list[str]) -> tuple[int, int]:
    """The file opens, the chain is whole, whatever was handed over was paid for and comes again for nothing."""
    assert ledger.verify().findings == ()
    events = [entry.event for entry in ledger.history()]
    charged = {event.request_id for event in events if isinstance(event, Charged)}
    released = {event.request_id for event in events if isinstance(event, Released)}
    assert set(handed_over) <= released <= charged
    assert ledger.remaining(ALICE).privacy.epsilon == CAP - COST * len(charged) <= CAP - COST * len(handed_over)
    for name in handed_over[-3:]:
        assert ledger.reserve(ALICE, name, "f", pure(COST), {"query": "count"}) == Stored(f"answer {name}")
    assert len(ledger.history()) == len(events)
    return len(charged), len(released)


def main(place: str, rounds: int, seed: int) -> None:
    chance, handed_over, seen = random.Random(seed), list[str](), Counter[str]()  # noqa: S311
    ledger = opened(place, CAP)
    charged, released = 0, 0
    for turn in range(rounds):
        step = STEPS[turn % len(STEPS)]
        handed_over += killed(place, f"round{turn}", Death(step, chance.randint(1, 4)))
        before, (charged, released) = charged - released, require_all_is_well(ledger, handed_over)
        seen["lost to a crash" if charged - released > before else "nothing lost"] += 1
    sys.stdout.write(f"{len(handed_over)} handed over, {released} released, {charged} charged, {dict(seen)}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
