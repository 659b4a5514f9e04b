"""Ledgers of every version that was ever released: they are brought forward with everything, and kept as they were."""

import sqlite3
import warnings
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest

from eremite import Privacy
from eremite.ledger import Account, LedgerError, LedgerNotice, Reserved, migrations, open_ledger
from tests.contracts.ledger_places import execute, place, pure

FOLDER = Path(__file__).parent / "ledgers"
NEWEST = len(migrations.MIGRATIONS)
VERSIONS = range(1, NEWEST + 1)
BOOLEAN = {"eremite_standings": 9}  # PostgreSQL does not take 0 and 1


def written(version: int, file: Path) -> Path:
    """A file as eremite of that version left it."""
    with closing(sqlite3.connect(file)) as database:
        database.executescript((FOLDER / f"version-{version}.sql").read_text())
    return file


def of_version(version: int, kind: str, folder: Path, postgres: str | None) -> str:
    file, where = written(version, folder / "patients.db"), place(kind, folder, postgres)
    if kind == "postgres":
        copy_to_postgres(version, file, where)
    return where


def copy_to_postgres(version: int, file: Path, where: str) -> None:
    with closing(sqlite3.connect(file)) as source, psycopg.connect(where) as database:
        for script in migrations.MIGRATIONS[:version]:
            for step in script:
                if isinstance(step, str):
                    database.execute(step)
        for table in ("eremite_head", "eremite_events", "eremite_standings", "eremite_requests"):
            database.execute(f"DELETE FROM {table}")
            for row in source.execute(f"SELECT * FROM {table}"):
                values = [bool(value) if i == BOOLEAN.get(table) else value for i, value in enumerate(row)]
                database.execute(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(row))})", values)


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(kind: str, request: pytest.FixtureRequest) -> str | None:
    return request.getfixturevalue("postgres") if kind == "postgres" else None


def test_every_version_has_a_fixture():
    assert sorted(FOLDER.glob("version-*.sql")) == [FOLDER / f"version-{version}.sql" for version in VERSIONS]


@pytest.mark.parametrize("version", VERSIONS)
def test_ledger_of_every_version_is_brought_forward_and_holds_together(version, kind, server, tmp_path):
    where = of_version(version, kind, tmp_path, server)
    ledger, alice = open_ledger(where, create="never"), Account("patients", "alice")
    assert ledger.verify().findings == ()
    assert [entry.event.release for entry in ledger.releases(alice)] == ['{"value": 12}']
    assert ledger.history() == sorted(
        ledger.history("patients") + ledger.history("visits"), key=lambda entry: entry.seq
    )
    assert ledger.remaining(alice).privacy == Privacy(Fraction(4, 5))
    assert isinstance(ledger.reserve(alice, "may", "1:f", pure("0.5"), {"query": "count"}), Reserved)
    assert ledger.verify().findings == ()
    ledger.close()


@pytest.mark.parametrize("version", [2, 3])
def test_refusals_of_older_versions_are_counted(version, kind, server, tmp_path):
    ledger = open_ledger(of_version(version, kind, tmp_path, server))
    counted = {standing.account.analyst: standing.refusals for standing in ledger._store.standings("visits")}
    assert counted == {"": 0, "bob": 0, "carla 'ü'": 2}
    assert {standing.refusals for standing in ledger._store.standings("patients")} == {0, 3}
    assert [name for name, _ in ledger.budgets("visits")] == [None, "bob"]


def test_file_is_kept_as_it_was_for_its_owner_alone(tmp_path):
    file = written(3, tmp_path / "patients.db")
    with closing(sqlite3.connect(file)) as database:
        before = list(database.iterdump())
    with pytest.warns(LedgerNotice, match=rf"was brought to version {NEWEST} of its tables; as it was, it is kept in"):
        open_ledger(file).close()
    kept = tmp_path / f"patients.db.before-{NEWEST}"
    assert kept.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(kept)) as database:
        assert list(database.iterdump()) == before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        open_ledger(file).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name, f"{file.name}-queue", kept.name]


def test_copy_takes_no_other_files_place(tmp_path):
    file, taken = written(3, tmp_path / "patients.db"), tmp_path / f"patients.db.before-{NEWEST}"
    taken.write_text("somebody's")
    open_ledger(file).close()
    assert taken.read_text() == "somebody's"
    assert taken.with_name(f"{taken.name}.2").exists()


def test_new_ledger_has_no_former_self(tmp_path):
    open_ledger(tmp_path / "patients.db").close()
    assert not list(tmp_path.glob("*before*"))


def test_failed_migration_leaves_file_and_folder_as_they_were(tmp_path, monkeypatch):
    file = written(3, tmp_path / "patients.db")
    broken = [*migrations.MIGRATIONS, ("UPDATE nowhere SET x = 1",)]
    monkeypatch.setattr(migrations, "MIGRATIONS", broken)
    with pytest.raises(LedgerError, match="nothing was released"):
        open_ledger(file)
    assert not list(tmp_path.glob("*before*"))
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT version FROM eremite_head").fetchall() == [(3,)]


def test_ledger_that_cannot_be_copied_is_not_changed(tmp_path, monkeypatch):
    file = written(3, tmp_path / "patients.db")
    real = Path.rename
    monkeypatch.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(LedgerError, match=r"must be copied before .* \(No space left on device\); nothing was changed"):
        open_ledger(file)
    monkeypatch.setattr(Path, "rename", real)
    assert not list(tmp_path.glob("*before*"))
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT version FROM eremite_head").fetchall() == [(3,)]
    assert open_ledger(file).verify().sound


def test_event_that_somebody_garbled_does_not_stop_the_migration(kind, server, tmp_path):
    where = of_version(3, kind, tmp_path, server)
    execute(where, "UPDATE eremite_events SET payload = '[1' WHERE seq = 6")
    assert any("Event 6 was changed" in found for found in open_ledger(where).verify().findings)


def test_process_of_an_older_version_cannot_write_events_that_are_filed_nowhere(kind, server, tmp_path):
    where = of_version(3, kind, tmp_path, server)
    open_ledger(where).close()
    with pytest.raises((sqlite3.Error, psycopg.Error)):
        execute(where, "INSERT INTO eremite_events VALUES (99, 'time', 'charged', '{}', '', '')")
