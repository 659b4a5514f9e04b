"""PostgreSQL frees the head before the disk has it: nobody may act on a charge that a crash can still take back.

The server writes its log to disk only when it is told to, and is then killed (`flush.proof.md`).
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from eremite.errors import LedgerError
from eremite.ledger import Ledger, Reserved, open_ledger, postgres_store
from eremite.ledger.events import Charged
from eremite.ledger.store import Slice
from tests.contracts.ledger_places import ALICE, opened, place, pure
from tests.contracts.ledger_server import Server, running_server

NO_FLUSH = ("SELECT 1", ())
LOOKS: dict[str, Callable[[Ledger], object]] = {
    "what remains": lambda ledger: ledger.remaining(ALICE),
    "the history": lambda ledger: ledger.history(),
    "a hash": lambda ledger: ledger._store.hash_at(2),
    "a verification": lambda ledger: ledger.verify(),
    "a ping": lambda ledger: ledger.ping(),
    "a request that was charged": lambda ledger: ledger._store.change(ALICE, "r", lambda page: (None, page.request)),
    "a question that is foreseen": lambda ledger: ledger.foresee(ALICE, "new", "f", pure("0.1"), {"query": "count"}),
    "a slice": lambda ledger: ledger._store.rows(Slice(limit=1)),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as server:
        with psycopg.connect(server.url, autocommit=True) as database:
            database.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
            database.execute("SELECT pg_reload_conf()")
        yield server


@pytest.fixture
def where(server: Server) -> str:
    where = place("postgres", Path(), server.url)
    opened(where, 1).close()
    return where


def crash(server: Server) -> None:
    server.stop()
    server.start()


def ask(ledger: Ledger, name: str) -> None:
    ledger.reserve(ALICE, name, "f", pure("0.1"), {"query": "count"})


def charges(where: str) -> list[str]:
    return [entry.event.request_id for entry in open_ledger(where).history() if isinstance(entry.event, Charged)]


def test_charge_is_on_disk_before_anybody_hears_of_it(server, where):
    ask(open_ledger(where), "r")
    crash(server)
    assert charges(where) == ["r"]


def test_crash_takes_back_the_charge_of_a_mutant_that_does_not_flush(server, where, monkeypatch):
    monkeypatch.setattr(postgres_store, "_FLUSH", NO_FLUSH)
    ask(open_ledger(where), "r")
    crash(server)
    assert charges(where) == []


def test_charge_on_top_of_one_that_is_not_on_disk_takes_it_along(server, where, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(postgres_store, "_FLUSH", NO_FLUSH)
        ask(open_ledger(where), "first")  # its process dies here, and nobody was told
    ask(open_ledger(where), "second")
    crash(server)
    assert charges(where) == ["first", "second"]


@pytest.mark.parametrize("look", LOOKS)
def test_what_was_seen_survives(server, where, monkeypatch, look):
    """A process would refuse a ledger that lost what it has seen, and so would a witness."""
    other = open_ledger(where)
    with monkeypatch.context() as patch:
        patch.setattr(postgres_store, "_FLUSH", NO_FLUSH)
        ask(open_ledger(where), "r")
    LOOKS[look](other)
    crash(server)
    assert charges(where) == ["r"]
    ask(other, "another")


def test_reader_that_does_not_flush_sees_what_is_lost(server, where, monkeypatch):
    other = open_ledger(where)
    with monkeypatch.context() as patch:
        patch.setattr(postgres_store, "_FLUSH", NO_FLUSH)
        patch.setattr(postgres_store, "_FLUSH_IF_NEEDED", NO_FLUSH)
        ask(open_ledger(where), "r")
        other.remaining(ALICE)
    crash(server)
    with pytest.raises(LedgerError, match="was set back while it was in use"):
        ask(other, "another")


def test_reader_that_may_only_read_makes_safe_what_it_saw(server, where, monkeypatch):
    only_reads = open_ledger(where.replace("-csearch_path", "-cdefault_transaction_read_only%3Don%20-csearch_path"))
    with monkeypatch.context() as patch:
        patch.setattr(postgres_store, "_FLUSH", NO_FLUSH)
        ask(open_ledger(where), "r")
    assert len(only_reads.history()) == 2
    crash(server)
    assert charges(where) == ["r"]


def test_user_without_special_rights_may_flush(server):
    with psycopg.connect(server.url, autocommit=True) as database:
        database.execute("CREATE USER keeper")
        database.execute("CREATE SCHEMA AUTHORIZATION keeper")
    ask(opened(server.url.replace("eremite@", "keeper@"), 1), "r")


def test_charge_and_its_release_take_two_trips_each_and_what_only_looks_takes_one(where, monkeypatch):
    trips, real = [], postgres_store._trip
    ledger = open_ledger(where)

    def counted(connection: Any, *statements: Any) -> Any:
        trips.append(statements)
        return real(connection, *statements)

    def trips_of(work: Callable[[], object]) -> int:
        trips.clear()
        work()
        return len(trips)

    monkeypatch.setattr(postgres_store, "_trip", counted)
    assert trips_of(lambda: ledger.foresee(ALICE, "r", "f", pure("0.1"), {"query": "count"})) == 1
    assert trips_of(lambda: ask(ledger, "r")) == 2
    assert trips_of(lambda: ledger.store(ALICE, "r", "{}", Reserved(datetime(2026, 1, 1, tzinfo=UTC)))) == 2
    assert trips_of(lambda: ledger.foresee(ALICE, "r", "f", pure("0.1"), {"query": "count"})) == 1
    assert trips_of(lambda: ledger.remaining(ALICE)) == 1
