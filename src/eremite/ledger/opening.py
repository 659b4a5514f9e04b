"""Where a ledger is kept: a file, or a PostgreSQL database."""

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

#: What is meant as an address; it may hold a password, and is neither made a file of nor repeated.
_ADDRESS = re.compile(r"(?i)\s*[a-z0-9+]+:/|.*\bpassword\s*=")

Creation = Literal["never", "aloud", "quietly"]
"""Whether a ledger that is not there is made: never, with a `LedgerNotice`, or without one, as it is asked for."""


def open_ledger(place: str | Path, *, create: Creation = "aloud", clock: Callable[[], datetime] = utc_now) -> Ledger:
    """The ledger in a file, or behind a URL postgresql://...; made if it is not there, with a warning that says so.

    A ledger that is made starts with a full budget. With `create="never"` there is a `NoLedger` error instead, and
    `create="quietly"` makes one without a word.
    """
    store = _store(place, create != "never")
    if store.is_new and create == "aloud":
        words = f"{store.where} is new: it was not there. If there was one before, put it back before anybody asks."
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
