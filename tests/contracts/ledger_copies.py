"""Copies of a ledger that are put back in its place, as a custodian would who restores a backup."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg

TABLES = ("eremite_head", "eremite_events", "eremite_standings", "eremite_requests")


def backed_up(where: str) -> Callable[[], None]:
    """Keep what the ledger is now; the function puts it back, in the same file or the same tables."""
    if where.startswith("postgresql:"):
        with psycopg.connect(where) as database:
            kept = {table: database.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
        return lambda: put_rows_back(where, kept)
    copy = f"{where}.copy"
    with closing(sqlite3.connect(where)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)

    def put_back() -> None:
        with closing(sqlite3.connect(copy)) as source, closing(sqlite3.connect(where)) as target:
            source.backup(target)

    return put_back


def put_rows_back(where: str, kept: dict[str, list[tuple[Any, ...]]]) -> None:
    with psycopg.connect(where) as database:
        for table, rows in kept.items():
            database.execute(f"DELETE FROM {table}")
            for row in rows:
                database.execute(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(row))})", row)
