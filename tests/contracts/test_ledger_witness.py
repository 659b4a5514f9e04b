"""A witness beside the description: whoever comes new refuses a ledger that is behind it, is another, or is gone."""

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from fractions import Fraction
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import eremite
from eremite import InputError, LedgerError, OutlierDefinition, Privacy, Session
from eremite.ledger import (
    Charged,
    Ledger,
    LedgerAccepted,
    LedgerNotice,
    MemoryStore,
    SourceNoted,
    Witness,
    Witnessed,
    open_ledger,
)
from eremite.ledger.chain import Head
from eremite.ledger.witness import MOST_BEHIND, PAUSE
from eremite.ledger.witness_file import read_witnessed, write_witnessed
from eremite.session import accept_ledger, opened_ledger
from eremite.session.sources import address_of
from tests.contracts.ledger_copies import backed_up
from tests.contracts.ledger_places import ALICE, BOB, opened, place, pure

DEFINITION = OutlierDefinition(min_neighbors=2, radius=0.1)
ROWS = "x\n" + "".join(f"{i / 20}\n" for i in range(20))


def described(folder: Path, name: str = "patients", file: str = "patients") -> Path:
    (folder / "patients.csv").write_text(ROWS)
    path = folder / f"{file}.toml"
    path.write_text(
        f'[dataset]\nname = "{name}"\nsource = "patients.csv"\n[columns]\nx = {{ min = 0, max = 1 }}\n'
        "[budget]\nepsilon = 3\n"
    )
    return path


@pytest.fixture
def description(tmp_path: Path) -> Path:
    return described(tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: Any, tmp_path: Path) -> str:
    """Where the ledger of the description is kept."""
    return place(request.param, tmp_path, request.param == "postgres" and request.getfixturevalue("postgres"))


def witness_of(description: Path) -> Path:
    return description.with_suffix(".ledger-witness.json")


def said(description: Path) -> Witnessed:
    witnessed = read_witnessed(witness_of(description))
    assert witnessed is not None
    return witnessed


def ask(session: Session, name: str, epsilon: object = 1) -> None:
    session.count_outliers(DEFINITION, epsilon=epsilon, request_id=name)  # type: ignore[arg-type]


def charged(where: str) -> list[str]:
    return [entry.event.request_id for entry in open_ledger(where).history() if isinstance(entry.event, Charged)]


def test_opening_writes_a_witness_for_the_owner_alone(description, where):
    name, ledger = opened_ledger(description, where, create="quietly")
    [opening] = ledger.history()
    assert said(description) == Witnessed(name, Head(1, opening.hash), Privacy(Fraction(0)))
    assert witness_of(description).stat().st_mode & 0o777 == 0o600
    assert not list(description.parent.glob(".*"))  # no draft is left


def test_charge_that_comes_alone_is_witnessed_before_its_answer(description, where):
    session = eremite.open(description, ledger=where)
    ask(session, "first", "0.5")
    known = said(description)
    assert known.spent == Privacy(Fraction(1, 2))
    assert open_ledger(where)._store.hash_at(known.head.seq) == known.head.hash
    session.close()
    assert said(description).head.seq == known.head.seq + 1  # the release


def test_crowd_leaves_its_witness_behind_by_no_more_than_is_said(tmp_path):
    now = [0.0]
    path = tmp_path / "patients.ledger-witness.json"
    ledger = opened(str(tmp_path / "patients.db"), 1000).witnessed(Witness(path, "patients", clock=lambda: now[0]))
    behind = []
    for turn in range(3 * MOST_BEHIND):
        ledger.reserve(ALICE, f"r{turn}", "f", pure("0.1"), {"query": "count"})
        known = read_witnessed(path)
        assert known is not None
        behind.append(turn + 1 - known.spent.epsilon * 10)
    assert behind[0] == 0
    assert max(behind) == MOST_BEHIND
    now[0] += PAUSE
    ledger.reserve(ALICE, "after a pause", "f", pure("0.1"), {"query": "count"})
    ledger.reserve(ALICE, "at once", "f", pure("0.1"), {"query": "count"})
    assert read_witnessed(path).spent.epsilon * 10 == 3 * MOST_BEHIND + 1
    ledger.close()
    assert read_witnessed(path).spent.epsilon * 10 == 3 * MOST_BEHIND + 2


def test_ledger_behind_its_witness_is_refused(description, where):
    opened_ledger(description, where, create="quietly")[1].close()
    put_back = backed_up(where)
    with eremite.open(description, ledger=where) as session:
        ask(session, "first", 3)
    put_back()
    sentence = (
        r"is behind its witness .*patients\.ledger-witness\.json, which knows of 3 events, and epsilon 3 spent; "
        r"nothing was released\. Put the newest copy of the ledger back, or, to go on without them on purpose, run: "
        r'eremite ledger accept DESCRIPTION --reason "\.\.\."\.$'
    )
    for _ in range(2):
        with pytest.raises(LedgerError, match=sentence):
            eremite.open(description, ledger=where)
    assert charged(where) == []


def test_ledger_that_went_on_otherwise_is_refused(description, where):
    opened_ledger(description, where, create="quietly")[1].close()
    put_back = backed_up(where)
    with eremite.open(description, ledger=where) as session:
        ask(session, "first", 3)
    put_back()
    for name in ("another", "and another"):
        open_ledger(where).reserve(ALICE, name, "f", pure("0.1"), {"query": "count"})
    with pytest.raises(
        LedgerError, match=r"does not match its witness .*: it is another ledger, or was set back and went on; nothing"
    ):
        eremite.open(description, ledger=where)


def test_ledger_that_is_gone_is_missed_and_not_made(description):
    with eremite.open(description) as session:
        ask(session, "first", 3)
    for file in description.parent.glob("patients.db*"):
        file.unlink()
    sentence = (
        r"patients\.db is not there, but its witness .* knows of 3 events, and epsilon 3 spent; nothing was charged"
    )
    for create in ("aloud", "quietly", "never"):
        with pytest.raises(LedgerError, match=sentence):
            opened_ledger(description, create=create)
    with pytest.raises(LedgerError, match=r"mistyped\.db is not there, but its witness"):
        eremite.open(description, ledger=description.parent / "mistyped.db")
    assert not list(description.parent.glob("*.db"))


def test_another_ledger_that_is_there_is_refused(description, tmp_path):
    with eremite.open(description) as session:
        ask(session, "first", 3)
    opened(str(tmp_path / "other.db"), 50).close()
    with pytest.raises(LedgerError, match=r"other\.db is behind its witness"):
        eremite.open(description, ledger=tmp_path / "other.db")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"format": 1}', '{"format": 2, "dataset": "patients"}', "\udcff"],
)
def test_witness_that_cannot_be_read_is_refused(description, text):
    with eremite.open(description) as session:
        ask(session, "first")
    witness_of(description).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(
        LedgerError, match=r"cannot be read \(.*\); nothing was charged\. Put it back, or go on without"
    ):
        eremite.open(description)


@pytest.mark.parametrize(
    "change", [{"format": 2}, {"head": {"event": "3", "hash": "a"}}, {"spent": {"epsilon": "1/0"}}]
)
def test_witness_with_other_facts_is_refused(description, change):
    eremite.open(description).close()
    facts = json.loads(witness_of(description).read_text()) | change
    witness_of(description).write_text(json.dumps(facts))
    with pytest.raises(LedgerError, match="cannot be read"):
        eremite.open(description)


def test_witness_never_goes_back_while_many_write(description, tmp_path):
    """A reader sees whole files alone, each at least as far as the one before."""
    ledgers = [opened_ledger(description, create="quietly")[1] for _ in range(4)]
    seen, done = [], Event()

    def look() -> None:
        while not done.is_set():
            seen.append(said(description).head.seq)

    def spend(ledger: Ledger, name: int) -> None:
        for turn in range(10):
            ledger.reserve(ALICE, f"{name}-{turn}", "f", pure("0.001"), {"query": "count"})
            ledger.settle()

    reader, writers = Thread(target=look), [Thread(target=spend, args=(ledger, i)) for i, ledger in enumerate(ledgers)]
    for thread in (reader, *writers):
        thread.start()
    for writer in writers:
        writer.join()
    done.set()
    reader.join()
    assert seen == sorted(seen)
    assert said(description).head.seq == 41


def test_slower_writer_does_not_set_the_witness_back(description, monkeypatch):
    """It has looked at the ledger before others went on, and comes to write after them."""
    slow, fast = (opened_ledger(description, create="quietly")[1] for _ in range(2))
    old = slow._store.page(ALICE)
    fast.reserve(ALICE, "first", "f", pure(1), {"query": "count"})
    further = said(description)
    monkeypatch.setattr(slow._store, "page", lambda account: old)
    slow._unsettled = True
    slow.settle()
    assert said(description) == further


def test_folder_that_cannot_be_written_is_told_once_and_the_ledger_works(description, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.warns(LedgerNotice) as caught:  # noqa: PT031 -- one notice for all of it
        session = eremite.open(description)
        ask(session, "first")
        ask(session, "second")
    told = [str(warning.message) for warning in caught if "witness" in str(warning.message)]
    assert len(told) == 1
    assert "cannot be written (Read-only file system): should the ledger be lost or set back, nobody will" in told[0]
    assert session.remaining == Privacy(Fraction(1))
    assert not witness_of(description).exists()
    assert not list(description.parent.glob(".*"))


def test_forked_process_tells_the_same_witness(description):
    session = eremite.open(description)
    ask(session, "first")
    child = os.fork()
    if child == 0:
        try:
            ask(session, "second")
            session.close()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert said(description).spent == Privacy(Fraction(2))
    ask(session, "third")


def test_custodian_accepts_an_older_ledger_and_that_is_kept(description, where):
    opened_ledger(description, where, create="quietly")[1].close()
    put_back = backed_up(where)
    with eremite.open(description, ledger=where) as session:
        ask(session, "first", 3)
    known = said(description)
    put_back()
    accepted = accept_ledger(description, where, reason="the disk broke")
    assert accepted.known == known
    [event] = [entry.event for entry in open_ledger(where).history() if isinstance(entry.event, LedgerAccepted)]
    assert event == LedgerAccepted(dataset="patients", reason="the disk broke", events=3, hash=known.head.hash)
    assert open_ledger(where).verify().sound
    with pytest.raises(LedgerError, match="was set back while it was in use"):
        ask(session, "second")  # a process that has seen more is not overruled
    ask(eremite.open(description, ledger=where), "second", 3)


def test_custodian_accepts_a_new_ledger_and_the_old_one_is_refused_from_then_on(description, tmp_path):
    session = eremite.open(description)
    ask(session, "first")
    accept_ledger(description, tmp_path / "new.db", reason="a new year")
    assert [type(entry.event).__name__ for entry in open_ledger(tmp_path / "new.db").history()] == [
        "DatasetOpened",
        "LedgerAccepted",
    ]
    for use in (session.close, lambda: eremite.open(description)):
        with pytest.raises(LedgerError, match=r"patients\.db .* its witness"):
            use()
    assert eremite.open(description, ledger=tmp_path / "new.db").remaining == Privacy(Fraction(3))


def test_witness_that_cannot_be_read_can_be_accepted_away(description):
    eremite.open(description).close()
    witness_of(description).write_text("{")
    assert accept_ledger(description, reason="it was torn").known is None
    eremite.open(description).close()


def test_nothing_is_accepted_without_a_reason_or_a_cause(description):
    with pytest.raises(InputError, match=r"There is no witness .*, so there is nothing to accept\."):
        accept_ledger(description, reason="x")
    assert not description.with_suffix(".db").exists()
    eremite.open(description).close()
    with pytest.raises(InputError, match="and its witness agree; there is nothing to accept"):
        accept_ledger(description, reason="x")
    with pytest.raises(InputError, match="--reason must say why"):
        accept_ledger(description, reason=" ")


def test_new_ledger_is_told(description, tmp_path):
    with pytest.warns(
        LedgerNotice, match=r"patients\.db has a new budget for dataset 'patients': epsilon 3\. If it was"
    ):
        eremite.open(description)
    with pytest.warns(LedgerNotice, match=r"other\.db is new: it was not there\."):
        open_ledger(tmp_path / "other.db")


def test_new_dataset_in_a_ledger_of_others_is_told(description, tmp_path):
    opened(str(tmp_path / "shared.db"), 1).close()
    other = described(tmp_path, "visits", "visits")
    with pytest.warns(LedgerNotice, match=r"shared\.db has a new budget for dataset 'visits'"):
        eremite.open(other, ledger=tmp_path / "shared.db")


def test_same_rows_under_another_name_are_told(tmp_path):
    for name in ("patients", "visits"):
        described(tmp_path, name, name)
    opened_ledger(tmp_path / "patients.toml", tmp_path / "shared.db", create="quietly")
    words = "The rows of dataset 'visits' are in this ledger under another name as well, with a budget .*: 'patients'"
    for _ in range(2):
        with pytest.warns(LedgerNotice, match=words):
            opened_ledger(tmp_path / "visits.toml", tmp_path / "shared.db", create="quietly")
    (tmp_path / "other.csv").write_text(ROWS)
    third = described(tmp_path, "third", "third")
    third.write_text(third.read_text().replace("patients.csv", "other.csv"))
    opened_ledger(third, tmp_path / "shared.db", create="quietly")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("postgresql://u:SECRET@h/d", "postgresql://u@h/d", True),
        ("postgresql://u:a/b@SECRET@h/d", "postgresql://u@h/d", True),
        ("postgresql://u@h/d?password=SECRET&sslmode=require", "postgres://u@h/d?sslmode=require", True),
        ("postgresql://u@h/d", "postgresql://u@h/e", False),
        ("postgresql://u@h/d", "postgresql://v@h/d", False),
    ],
)
def test_address_without_its_password_tells_sources_apart(one, other, same):
    assert (address_of(one) == address_of(other)) is same
    assert "SECRET" not in str(address_of(one))


OLD = Path(__file__).parent / "ledgers" / "version-1.sql"  # written by eremite before there were witnesses


def test_ledger_of_an_older_version_holds_together_and_gets_a_witness(tmp_path):
    with closing(sqlite3.connect(tmp_path / "patients.db")) as database:
        database.executescript(OLD.read_text())
    description = described(tmp_path)
    description.write_text(description.read_text().replace('csv"\n', 'csv"\nrows_per_person = 3\n'))
    session = eremite.open(description)
    assert session.remaining == Privacy(Fraction(9, 5))
    ledger = open_ledger(tmp_path / "patients.db")
    noted = "18111d6f9109e92294daef90f79a3c39d58356d8cf9752d69d98f5c83c3288dc"
    assert ledger.verify(noted).findings == ()
    assert [entry.hash for entry in ledger.history()][6] == noted
    assert [type(entry.event) for entry in ledger.history()][7:] == [SourceNoted]
    assert said(description).head.seq == 8
    ask(session, "may", "0.5")
    assert ledger.verify(noted).findings == ()


def test_file_alone_has_every_charge_after_a_session_is_closed(description, tmp_path):
    """Also while another process has the ledger open: then SQLite itself would leave the log beside it."""
    with eremite.open(description) as session, closing(sqlite3.connect(tmp_path / "patients.db")) as other:
        assert other.execute("SELECT count(*) FROM eremite_events").fetchall() == [(1,)]
        for name in ("first", "second"):
            ask(session, name)
        session.close()
        (tmp_path / "copy").mkdir()
        shutil.copy(tmp_path / "patients.db", tmp_path / "copy" / "patients.db")
    assert charged(str(tmp_path / "copy" / "patients.db")) == ["first", "second"]


def test_file_alone_has_every_charge_after_its_process_ended(description, tmp_path):
    """Nobody closes the session, and the interpreter does not take it apart."""
    program = (
        "import sys, eremite, builtins\n"
        f"session = builtins.kept = eremite.open({str(description)!r})\n"
        "definition = eremite.OutlierDefinition(min_neighbors=2, radius=0.1)\n"
        "session.count_outliers(definition, epsilon=1, request_id='first')\n"
    )
    opened_ledger(description, create="quietly")[1].close()
    with closing(sqlite3.connect(tmp_path / "patients.db")) as other:
        assert other.execute("SELECT count(*) FROM eremite_events").fetchall() == [(1,)]
        subprocess.run([sys.executable, "-c", program], check=True, env=os.environ | {"NUMBA_DISABLE_JIT": "1"})
        (tmp_path / "copy").mkdir()
        shutil.copy(tmp_path / "patients.db", tmp_path / "copy" / "patients.db")
    assert charged(str(tmp_path / "copy" / "patients.db")) == ["first"]
    assert said(description).head.seq == 3


def test_torn_draft_of_a_killed_process_is_no_obstacle(description):
    path = witness_of(description)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text("{")
    draft.chmod(0o400)
    write_witnessed(path, Witnessed("patients", Head(1, "a"), Privacy(Fraction(1))))
    assert said(description).head == Head(1, "a")
    assert not draft.exists()


def released_between_processes(description: Path) -> int:
    """How much of a cap of 3 an attack gets who puts a copy back whenever a process has ended."""
    where = str(description.with_suffix(".db"))
    opened_ledger(description, create="quietly")[1].close()
    put_back, got = backed_up(where), 0
    for turn in range(5):
        with suppress(LedgerError), eremite.open(description) as session:
            ask(session, f"r{turn}")
            got += 1
        put_back()
        if turn % 2:
            for filler in range(2):
                open_ledger(where).reserve(BOB, f"filler {turn} {filler}", "f", pure("0.001"), {"query": "count"})
    return got


def only_the_number(self: Witness, store: Any, known: Witnessed) -> None:
    if store.hash_at(known.head.seq) is None:
        raise LedgerError("behind")


MUTANTS = {
    "no comparison": {"_require_in": lambda *_: None},
    "only whether the event is there": {"_require_in": only_the_number},
    "written at opening alone": {"charged": lambda *_: None, "settle": lambda *_: None},
}


def test_attack_between_processes_gets_one_charge_and_no_more(description):
    assert released_between_processes(description) == 1


@pytest.mark.parametrize("mutant", MUTANTS)
def test_attack_beats_a_witness_that_is_less(description, mutant, monkeypatch):
    for name, function in MUTANTS[mutant].items():
        monkeypatch.setattr(Witness, name, function)
    assert released_between_processes(description) > 1


def test_session_of_a_service_does_not_tell_the_witness_again(description, monkeypatch):
    """A service opens one for every question; only what changes the ledger is worth a look at the file."""
    _, ledger = opened_ledger(description, create="quietly")
    monkeypatch.setattr(Witness, "settle", None)
    ledger.open_dataset("patients", Privacy(Fraction(3)))


def test_ledger_in_postgres_or_memory_says_how_it_is_copied(postgres, tmp_path):
    with pytest.raises(InputError, match=r"run pg_dump -t 'eremite_\*' on its database, .*; nothing was written"):
        opened(place("postgres", tmp_path, postgres), 1).backup(tmp_path / "copy.db")
    with pytest.raises(InputError, match="A ledger in memory cannot be copied"):
        Ledger(MemoryStore()).backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
