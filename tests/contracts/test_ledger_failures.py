"""Full, read-only, damaged, moved, unreachable: one clear sentence, nothing released, nothing lost."""

import builtins
import os
import random
import shutil
import sqlite3
import subprocess
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from eremite import BudgetRefused, InputError
from eremite.ledger import Ledger, LedgerError, Reserved, open_ledger, postgres_store
from eremite.ledger.events import Charged
from tests.contracts.ledger_places import ALICE, opened, place, pure
from tests.contracts.ledger_server import Server, running_server

SECRET = "SECRETWORD"  # noqa: S105


def ask(ledger: Ledger, name: str) -> None:
    assert isinstance(ledger.reserve(ALICE, name, "f", pure("0.1"), {"query": "count"}), Reserved)


def told(error: BaseException) -> str:
    """The sentence; nothing else may travel with it."""
    shown = "".join(traceback.format_exception(error))
    assert SECRET not in shown
    assert error.__context__ is None
    assert "\n" not in str(error)
    return str(error)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with three charges."""
    ledger = opened(str(tmp_path / "patients.db"), 100)
    for i in range(3):
        ask(ledger, f"r{i}")
    ledger.close()
    return tmp_path / "patients.db"


def ask_until_it_fails(ledger: Ledger, done: int) -> tuple[int, str]:
    """How many charges there are then, and what was said."""
    while True:
        try:
            ask(ledger, f"r{done}")
        except LedgerError as error:
            return done, told(error)
        done += 1


def charges(ledger: Ledger) -> int:
    return sum(isinstance(entry.event, Charged) for entry in ledger.history())


def test_full_disk_refuses_and_loses_nothing(path):
    ledger = open_ledger(path)
    with ledger._store._connection.use() as file:
        (pages,) = file.execute("PRAGMA page_count").fetchone()
        file.execute(f"PRAGMA max_page_count = {pages + 2}")
    done, words = ask_until_it_fails(ledger, 3)
    assert "the disk is full. Make room and ask again (SQLITE_FULL); nothing was released." in words
    again = open_ledger(path)  # room was made
    assert charges(again) == done > 3
    assert again.verify().sound
    ask(again, f"r{done}")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 300 kB of our own, where one may be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(command, check=False).returncode:
        pytest.skip("only root may mount a disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_disk_that_is_really_full_refuses_and_loses_nothing(small_disk, tmp_path):
    ledger = opened(str(small_disk / "patients.db"), 10_000)
    done, words = ask_until_it_fails(ledger, 0)
    assert "nothing was released" in words
    with pytest.raises(LedgerError):
        ask(ledger, "again")
    ledger.close()
    shutil.copytree(small_disk, tmp_path / "larger")
    larger = open_ledger(tmp_path / "larger" / "patients.db")
    assert charges(larger) == done > 0
    assert larger.verify().sound


def test_read_only_disk_is_refused(path, small_disk, tmp_path):
    shutil.copy(path, small_disk)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(LedgerError) as caught:
        ask(open_ledger(small_disk / "patients.db"), "more")
    assert "nothing was released." in told(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write any file")
def test_read_only_file_is_refused(path):
    path.chmod(0o400)
    with pytest.raises(LedgerError) as caught:
        ask(open_ledger(path), "more")
    assert "may not be written" in told(caught.value)
    path.chmod(0o600)
    assert charges(open_ledger(path)) == 3


def test_read_only_connection_is_refused_in_a_sentence(path):
    ledger = open_ledger(path)
    with ledger._store._connection.use() as file:
        file.execute("PRAGMA query_only = ON")
    with pytest.raises(LedgerError) as caught:
        ask(ledger, "more")
    assert "may not be written" in told(caught.value)
    assert charges(open_ledger(path)) == 3


@pytest.mark.parametrize("start", [0, 30, 4096, 9000])
def test_damaged_file_is_refused(path, start):
    with path.open("r+b") as file:
        file.seek(start)
        file.write(random.Random(start).randbytes(3000))  # noqa: S311 -- a test's own
    with pytest.raises(LedgerError) as caught:
        open_ledger(path).verify()
    assert "nothing was released" in told(caught.value)


def test_file_that_is_no_ledger_is_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("no database at all, but a text that is long enough to look at " * 10)
    with pytest.raises(LedgerError) as caught:
        open_ledger(text)
    assert "is damaged, or not an SQLite file" in told(caught.value)
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE people (name TEXT)")
    connection.close()
    with pytest.raises(LedgerError, match="is an SQLite file but no ledger; give the ledger another name"):
        open_ledger(other)
    with pytest.raises(LedgerError, match=r"\(No such file or directory\); nothing was released\. Check its folder\."):
        open_ledger(tmp_path / "no folder" / "patients.db")
    with pytest.raises(LedgerError):
        open_ledger(tmp_path)


def test_file_that_is_no_ledger_is_left_as_it_was(tmp_path):
    """It may be the private table itself."""
    other = tmp_path / "patients.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE people (name TEXT)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(LedgerError, match="is an SQLite file but no ledger"):
        open_ledger(other)
    assert other.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["patients.db"]


ADDRESSES = [
    f"POSTGRES:/bob:{SECRET}@h/db",
    f"postgresql+psycopg://bob:{SECRET}@h/db",
    f"mysql://bob:{SECRET}@h/db",
    f"host=h user=bob password={SECRET}",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_address_of_another_kind_is_neither_a_file_nor_shown(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for given in (address, Path(address)):
        with pytest.raises(InputError) as caught:
            open_ledger(given)
        assert "begins with postgresql://" in told(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address", [f"PostgreSQL://bob:{SECRET}@127.0.0.1:1/db", f" postgres://bob:{SECRET}@127.0.0.1:1/db"]
)
def test_address_is_taken_in_any_letters(address):
    with pytest.raises(LedgerError) as caught:
        open_ledger(address)
    assert "The ledger in PostgreSQL cannot be reached" in told(caught.value)


def test_memory_is_a_file_like_any_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ask(opened(":memory:", "0.1"), "r0")
    with pytest.raises(BudgetRefused):
        ask(open_ledger(":memory:"), "r1")


def test_ledger_stays_where_it_is_when_the_process_moves(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger = opened("patients.db", "0.1")
    ask(ledger, "r0")
    ledger.close()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(BudgetRefused):
        ask(ledger, "r1")


def test_older_copy_is_noticed_also_after_the_connection_was_closed(path, tmp_path):
    """A fork closes it, and so does an error."""
    shutil.copy(path, tmp_path / "older.db")
    ledger = open_ledger(path)
    ask(ledger, "r3")
    ledger.close()
    shutil.copy(tmp_path / "older.db", path)
    with pytest.raises(LedgerError, match="was set back while it was in use"):
        ask(ledger, "r4")


def test_truncated_file_is_made_new_only_if_nothing_was_ever_in_it(tmp_path):
    empty = tmp_path / "empty.db"
    empty.touch()
    assert opened(str(empty), 1).remaining(ALICE).privacy.epsilon == 1


@pytest.mark.parametrize("what", ["moved", "replaced"])
def test_file_that_goes_away_takes_no_charges_along(path, what):
    ledger = open_ledger(path)
    ask(ledger, "r3")
    path.rename(path.with_name("elsewhere.db"))
    if what == "replaced":
        opened(str(path.with_name("new.db")), 100).close()
        path.with_name("new.db").rename(path)
    for _ in range(2):
        with pytest.raises(
            LedgerError, match=r"was moved, removed or replaced while it was in use; nothing was charged\."
        ):
            ask(ledger, "r4")


def test_files_are_for_the_owner_alone(path):
    ledger = open_ledger(path)
    ask(ledger, "r3")
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == [
        "patients.db",
        "patients.db-queue",
        "patients.db-shm",
        "patients.db-wal",
    ]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_other_program_that_holds_the_file_is_waited_for(path):
    ledger, other = open_ledger(path), sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    asking = Thread(target=ask, args=(ledger, "r3"))
    asking.start()
    asking.join(0.3)
    assert asking.is_alive()
    other.execute("COMMIT")
    other.close()
    asking.join()
    assert charges(ledger) == 4


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as server:
        yield server


def test_postgres_restarted_between_requests_is_not_noticed(server):
    ledger = opened(place("postgres", Path(), server.url), 100)
    ask(ledger, "r0")
    server.stop()
    server.start()
    ask(ledger, "r1")
    assert charges(ledger) == 2
    assert ledger.verify().sound


def test_postgres_that_is_down_is_an_error_and_then_works_again(server):
    ledger = opened(place("postgres", Path(), server.url), 100)
    ask(ledger, "r0")
    server.stop()
    for _ in range(2):
        with pytest.raises(LedgerError) as caught:
            ask(ledger, "r1")
        assert "cannot be reached, or was lost" in told(caught.value)
    server.start()
    ask(ledger, "r1")
    assert charges(ledger) == 2


@pytest.mark.parametrize("committed", [False, True])
def test_postgres_lost_within_a_request_releases_nothing_and_loses_nothing(server, monkeypatch, committed):
    """The server dies right before a commit, or right after it, when nobody has heard of it yet."""
    where = place("postgres", Path(), server.url)
    ledger = opened(where, 100)
    ask(ledger, "r0")
    real = postgres_store._trip

    def dying(connection: Any, *statements: Any) -> Any:
        if postgres_store._FLUSH not in statements:
            return real(connection, *statements)
        monkeypatch.undo()
        if committed:
            real(connection, *statements)
        server.stop()
        return real(connection, ("SELECT 1", ()))

    monkeypatch.setattr(postgres_store, "_trip", dying)
    with pytest.raises(LedgerError) as caught:
        ask(ledger, "r1")
    assert "nothing was released. If the request was charged, it stays so" in told(caught.value)
    server.start()
    if committed:
        with pytest.raises(BudgetRefused, match="was charged and has no release"):
            ask(ledger, "r1")
    else:
        ask(ledger, "r1")
    assert charges(ledger) == 2
    assert ledger.verify().sound


def wait_for_more(told: list[str]) -> None:
    before, deadline = len(told), time.monotonic() + 600
    while len(told) == before:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_postgres_restarted_under_a_crowd_loses_nothing(server):
    where = place("postgres", Path(), server.url)
    ledger, stop, admitted, wrong = opened(where, 10**6), Event(), list[str](), list[str]()

    def busy(number: int) -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            try:
                ask(ledger, f"{number}-{turn}")
                admitted.append(f"{number}-{turn}")
            except LedgerError as error:
                wrong.append(told(error))

    threads = [Thread(target=busy, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        wait_for_more(admitted)
        server.stop()
        wait_for_more(wrong)
        server.start()
    wait_for_more(admitted)
    stop.set()
    for thread in threads:
        thread.join()
    charged = {entry.event.request_id for entry in ledger.history() if isinstance(entry.event, Charged)}
    assert set(admitted) <= charged
    assert len(charged) <= len(admitted) + len(wrong)
    assert ledger.verify().sound


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{SECRET}@localhost:1/x",
        f"postgresql://u:{SECRET}/tail@localhost:1/x",
        f"postgresql://u:{SECRET}@[/x",
        f"postgres://u:a%zz{SECRET}@localhost:1/x",
        f"postgresql://nobody:{SECRET}@/postgres?host=/nowhere",
    ],
)
def test_postgres_password_is_never_shown(url):
    with pytest.raises(LedgerError) as caught:
        open_ledger(url)
    assert "cannot be reached" in told(caught.value)


def test_postgres_without_rights_says_which(server):
    with psycopg.connect(server.url, autocommit=True) as database:
        database.execute("CREATE USER visitor")
        database.execute("CREATE SCHEMA closed")
    url = server.url.replace("eremite@", "visitor@") + "&options=-csearch_path%3Dpublic"
    with pytest.raises(LedgerError) as caught:
        open_ledger(url)
    assert "does not let this user make or change the ledger's tables" in told(caught.value)


def test_postgres_that_is_read_only_says_so(server):
    where = place("postgres", Path(), server.url)
    opened(where, 1).close()
    with pytest.raises(LedgerError) as caught:
        ask(open_ledger(where.replace("-csearch_path", "-cdefault_transaction_read_only%3Don%20-csearch_path")), "r")
    assert "is read-only, or a standby" in told(caught.value)


def test_postgres_without_its_driver_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without_driver(name: str, *rest: Any, **more: Any) -> Any:
        if name == "psycopg":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_driver)
    with pytest.raises(LedgerError, match=r"pip install 'eremite\[postgres\]'"):
        open_ledger("postgresql://u@h/d")
