"""Clocks, request ids and threads of commands: what differs from run to run and has nothing to do with the rows."""

from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from itertools import count
from types import SimpleNamespace

import pytest

from eremite.ledger import ledger as ledger_module
from eremite.session import session as session_module
from tests.end_to_end.leaks.tables import NEW_YEAR


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """For commands, which open their own session: the clock stands still, and request ids count up from 0 when told."""

    class Clock:
        @staticmethod
        def now(zone: object) -> datetime:
            return NEW_YEAR

    def restart() -> None:
        numbers = count()
        monkeypatch.setattr(session_module, "uuid4", lambda: SimpleNamespace(hex=f"{next(numbers):032x}"))

    monkeypatch.setattr(ledger_module, "datetime", Clock)
    return restart


class InTurn:
    """Threads, one after the other: when they end decides which bits meet which candidate, though not its chances."""

    def __init__(self, threads: int) -> None: ...

    def __enter__(self) -> "InTurn":
        return self

    def __exit__(self, *error: object) -> None: ...

    def submit(self, work: Callable[..., object], *arguments: object) -> "Future[object]":
        done: Future[object] = Future()
        done.set_result(work(*arguments))
        return done


@pytest.fixture
def in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eremite.outliers.many_counts.ThreadPoolExecutor", InTurn)
