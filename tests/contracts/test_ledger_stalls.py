"""A server that stands still: it accepts, and no answer comes. One sentence, and nothing hangs.

Nothing here depends on how long things take: a stopped process never answers.
"""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eremite.errors import LedgerError
from eremite.ledger import Ledger, MemoryStore, open_ledger, postgres_connection
from eremite.ledger.events import Charged
from tests.contracts.ledger_places import ALICE, opened, place, pure

STALLED = r"does not answer, though it can be reached; nothing was released\. If the request was charged, it stays so\."


@pytest.fixture
def impatient(monkeypatch) -> None:
    monkeypatch.setattr(postgres_connection, "PATIENCE", 0.3)


@pytest.fixture
def ledger(postgres, tmp_path) -> Ledger:
    ledger = opened(place("postgres", tmp_path, postgres), 100)
    ask(ledger, "first")
    return ledger


def ask(ledger: Ledger, name: str) -> None:
    ledger.reserve(ALICE, name, "f", pure("0.1"), {"query": "count"})


@contextmanager
def stopped_server(ledger: Ledger) -> Iterator[None]:
    """The server's process behind the ledger's connection stands still."""
    with ledger._store._connection.use() as connection:
        ((process,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_server_that_stands_still_is_given_up_and_later_works_again(ledger, impatient, monkeypatch):
    with stopped_server(ledger), pytest.raises(LedgerError, match=STALLED) as caught:
        ask(ledger, "second")
    assert caught.value.__context__ is None
    monkeypatch.undo()
    ask(ledger, "third")
    assert "third" in [entry.event.request_id for entry in ledger.history() if isinstance(entry.event, Charged)]
    assert ledger.verify().sound


@pytest.mark.parametrize("look", [lambda ledger: ledger.remaining(ALICE), lambda ledger: ledger.history()])
def test_whoever_looks_is_not_kept_waiting_either(ledger, impatient, look):
    with stopped_server(ledger), pytest.raises(LedgerError, match=STALLED):
        look(ledger)


def test_server_that_accepts_and_says_nothing_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(LedgerError, match="cannot be reached"):
            open_ledger(f"postgresql://keeper@127.0.0.1:{port}/budgets?connect_timeout=2")


def test_connection_has_bounds_on_the_server_and_on_the_network(ledger):
    with ledger._store._connection.use() as connection:
        settings = {
            name: connection.execute(f"SHOW {name}").fetchall()[0][0]
            for name in ("statement_timeout", "lock_timeout", "synchronous_commit")
        }
        network = connection.info.get_parameters()
    assert settings == {"statement_timeout": "75s", "lock_timeout": "1min", "synchronous_commit": "on"}
    assert (network["tcp_user_timeout"], network["keepalives_idle"]) == ("30000", "10")
    assert network["connect_timeout"] == "10"


def test_what_the_address_says_about_timeouts_holds(postgres, tmp_path):
    where = f"{place('postgres', tmp_path, postgres)}&tcp_user_timeout=1234"
    with opened(where, 1)._store._connection.use() as connection:
        assert connection.info.get_parameters()["tcp_user_timeout"] == "1234"


def test_ping_has_a_bound_of_its_own(ledger):
    ledger.ping()
    with stopped_server(ledger), pytest.raises(LedgerError, match=STALLED):
        ledger.ping(within=0.2)
    ledger.ping()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_ping_does_not_wait_for_those_who_use_the_ledger(kind, request, tmp_path: Path):
    ledger = opened(place(kind, tmp_path, kind == "postgres" and request.getfixturevalue("postgres")), 1)
    with (
        ledger._store._connection.use(),
        pytest.raises(LedgerError, match=r"is busy: it did not answer within 0\.05 seconds\."),
    ):
        ledger.ping(within=0.05)
    ledger.ping()


def test_ping_of_a_ledger_in_memory_is_answered():
    Ledger(MemoryStore()).ping()
