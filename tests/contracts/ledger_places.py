"""Empty places for a ledger, one for every test."""

from itertools import count
from pathlib import Path

import psycopg

from eremite.ledger import Account, Cost, Ledger, open_ledger
from eremite.privacy import Privacy, exact

ALICE, BOB = Account("patients", "alice"), Account("patients", "bob")
_NUMBERS = count()


def place(kind: str, folder: Path, postgres: str | None) -> str:
    """A file that is not there yet, or the URL of a schema without tables."""
    if kind == "sqlite":
        return str(folder / "patients.db")
    assert postgres is not None
    schema = f"ledger_{next(_NUMBERS)}"
    with psycopg.connect(postgres, autocommit=True) as database:
        database.execute(f"CREATE SCHEMA {schema}")
    return f"{postgres}&options=-csearch_path%3D{schema}"


def opened(where: str, epsilon: object, delta: object = 0) -> Ledger:
    """The ledger with one dataset under this cap."""
    ledger = open_ledger(where)
    ledger.open_dataset("patients", Privacy(exact(epsilon, "epsilon"), exact(delta, "delta")))
    return ledger


def pure(epsilon: object) -> Cost:
    return Cost.pure(exact(epsilon, "epsilon"))


def execute(where: str, statement: str) -> None:
    """Do to the tables what nobody should."""
    if where.startswith("postgresql:"):
        with psycopg.connect(where, autocommit=True) as database:
            database.execute(statement)
    else:
        import sqlite3
        from contextlib import closing

        with closing(sqlite3.connect(where, isolation_level=None)) as database:
            database.execute(statement)
