"""Opening a ledger in a file or in a PostgreSQL database."""

import re
import warnings
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal

from eremite.errors import InputError, LedgerNotice
from eremite.ledger.ledger import Ledger, utc_now
from eremite.ledger.postgres_store import PostgresStore
from eremite.ledger.sqlite_store import SqliteStore
from eremite.ledger.store import Store

#: A text meant as an address. It may hold a password, so it is neither used as a file name nor shown.
_ADDRESS = re.compile(r"(?i)\s*[a-z0-9+]+:/|.*\bpassword\s*=")

Creation = Literal["never", "aloud", "quietly"]
"""Whether a missing ledger is created: never, with a `LedgerNotice` ("aloud"), or without one ("quietly")."""


def open_ledger(place: str | Path, *, create: Creation = "aloud", clock: Callable[[], datetime] = utc_now) -> Ledger:
    """Open the ledger in a file or at a URL postgresql://...; a missing one is created, with a warning.

    A new ledger starts with a full budget. With `create="never"` a missing ledger is a `NoLedger` error, and with
    `create="quietly"` it is created without a warning.
    """
    store = _store(place, create != "never")
    if store.is_new and create == "aloud":
        words = f"{store.where} is new: none was there. If there was one before, put it back before anybody asks."
        warnings.warn(words, LedgerNotice, stacklevel=2)
    return Ledger(store, clock)


def _store(place: str | Path, create: bool) -> Store:
    text = str(place).strip()
    scheme, _, rest = text.partition("://")
    if isinstance(place, str) and rest and scheme.lower() in ("postgresql", "postgres"):
        return PostgresStore(f"postgresql://{rest}", create=create)
    if _ADDRESS.match(text):
        raise InputError("The ledger must be a file, or the address of a database that begins with postgresql://.")
    return SqliteStore(place, create=create)
