"""Where a ledger is kept: a file, or a PostgreSQL database."""

import re
from pathlib import Path

from eremite.errors import InputError
from eremite.ledger.ledger import Ledger
from eremite.ledger.postgres_store import PostgresStore
from eremite.ledger.sqlite_store import SqliteStore

#: What is meant as an address; it may hold a password, and is neither made a file of nor repeated.
_ADDRESS = re.compile(r"(?i)\s*[a-z0-9+]+:/|.*\bpassword\s*=")


def open_ledger(place: str | Path) -> Ledger:
    """The ledger in a file, made if it is not there, or behind a URL postgresql://..."""
    text = str(place).strip()
    scheme, _, rest = text.partition("://")
    if isinstance(place, str) and rest and scheme.lower() in ("postgresql", "postgres"):
        return Ledger(PostgresStore(f"postgresql://{rest}"))
    if _ADDRESS.match(text):
        raise InputError("The ledger must be a file, or the address of a database that begins with postgresql://.")
    return Ledger(SqliteStore(place))
