"""Rows of a query on PostgreSQL, through ADBC, in a read-only transaction.

Messages of libpq and the server can quote the password or a cell, so they are replaced by sentences chosen by
SQLSTATE. No part of the address is shown either: in a mistyped address nobody can tell where the password ends.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from eremite.errors import InputError, TableError
from eremite.names import quote_name
from eremite.table import cells
from eremite.table.numeric import or_table_error, require_columns

PLACE = "the PostgreSQL query"
MISSING_DRIVER = "Reading from PostgreSQL needs its driver; install it with: pip install 'eremite[postgres]'"
REASONS = {
    "22": "a value in the data does not fit a conversion or a function of the query",
    "25006": "the query tries to change the database",
    "42501": "the user may not read a table of the query",
    "42601": "the query has a syntax error",
    "42703": "a column of the query does not exist",
    "42P01": "a table of the query does not exist",
    "57014": "the server canceled the query",
}
# Classes of SQLSTATE caused by the address, the permissions or the query; any other may be caused by a row.
WITHOUT_ROWS = ("08", "25", "28", "3D", "3F", "42")
UNREACHED = "PostgreSQL cannot be reached; check host, port, database, user and password in dataset.source."
UNREAD = (
    "PostgreSQL answers dataset.query with rows that cannot be read; try it in psql, and cast its columns to numbers."
)


def read_postgres(url: str, query: str, wanted: Sequence[str]) -> pa.Table:
    """The wanted columns of the query."""
    table = _fetch(url, query)
    require_columns(wanted, table.column_names, PLACE)
    return pa.table({name: _plain(table.schema.field(name), table.column(name)) for name in wanted})


def _fetch(url: str, query: str) -> pa.Table:
    driver, connected = _driver(), False
    try:
        with driver.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            connected = True
            cursor.execute(query)
            return or_table_error(cursor.fetch_arrow_table, UNREAD)
    except driver.Error as error:
        ours = _our_error(error.sqlstate, connected)
    raise ours  # outside of except, so that the driver's error is not its context


def _driver() -> Any:
    try:
        import adbc_driver_postgresql.dbapi as driver
    except ImportError:
        raise InputError(MISSING_DRIVER) from None
    return driver


def _plain(field: pa.Field, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column with the values PostgreSQL has: the driver gives NUMERIC as text and money in cents, and its own
    arithmetic turns the infinite date and time around."""
    kind = (field.metadata or {}).get(b"POSTGRESQL:type")
    if kind == b"money":
        name = quote_name(field.name)
        raise InputError(f"Column {name} of {PLACE} is of type money; cast it to numeric in the query.")
    if isinstance(field.type, pa.OpaqueType) and field.type.type_name == "numeric":
        texts = column.cast(field.type.storage_type)
        # Infinite numbers in decimal notation, beyond the range of float64.
        return cells.from_text(pc.replace_substring_regex(texts, "^(-?)inf$", r"\19e999"))
    return _turned_back(column) if kinds.is_timestamp(field.type) or kinds.is_date32(field.type) else column


def _turned_back(times: pa.ChunkedArray) -> pa.ChunkedArray:
    """The largest time for 'infinity', which the driver counts from 1970 instead of 2000 without minding overflow."""
    whole, largest, shift = (
        (pa.int32(), 2**31 - 1, 10_957) if kinds.is_date32(times.type) else (pa.int64(), 2**63 - 1, 946_684_800_000_000)
    )
    ticks = times.cast(whole)
    infinite = pc.equal(ticks, pa.scalar(shift - largest - 2, whole))
    return pc.if_else(infinite, pa.scalar(largest, whole), ticks).cast(times.type)


def _our_error(sqlstate: str | None, connected: bool) -> InputError:
    if not sqlstate:
        return TableError(UNREAD) if connected else InputError(UNREACHED)
    reason = REASONS.get(sqlstate) or REASONS.get(sqlstate[:2]) or "try it in psql to see why"
    sentence = f"PostgreSQL cannot answer dataset.query (SQLSTATE {sqlstate}): {reason}."
    return InputError(sentence) if not connected or sqlstate.startswith(WITHOUT_ROWS) else TableError(sentence)
