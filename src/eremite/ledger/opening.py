"""Where a ledger is kept: a file, or a PostgreSQL database."""

from pathlib import Path

from eremite.ledger.ledger import Ledger
from eremite.ledger.postgres_store import PostgresStore
from eremite.ledger.sqlite_store import SqliteStore


def open_ledger(place: str | Path) -> Ledger:
    """The ledger in a file, made if it is not there, or behind a URL postgresql://..."""
    if isinstance(place, str) and place.startswith(("postgresql://", "postgres://")):
        return Ledger(PostgresStore(place))
    return Ledger(SqliteStore(place))
