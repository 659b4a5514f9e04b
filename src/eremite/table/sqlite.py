"""Rows of a query on an SQLite file, which is opened read-only and never created."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from eremite.errors import InputError, TableError
from eremite.table import cells
from eremite.table.numeric import require_columns

ROWS_AT_ONCE = 50_000
# Errors that SQLite raises before it reads a row: the file is not a database, or the query would change it.
WITHOUT_ROWS = {"SQLITE_NOTADB", "SQLITE_READONLY", "SQLITE_CANTOPEN", "ProgrammingError"}


def read_sqlite(path: Path, query: str, wanted: Sequence[str]) -> pa.Table:
    """The wanted columns of the query as float64, with null where a row holds no number."""
    if not path.is_file():
        raise InputError(f"The SQLite file {path} does not exist; correct dataset.source.")
    try:
        return _read(path, query, wanted)
    except sqlite3.Error as error:
        ours = _our_error(path, error)
    raise ours  # outside of except: SQLite's error can quote cells and must not become the context


def _read(path: Path, query: str, wanted: Sequence[str]) -> pa.Table:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes  # text is never a number, so it need not be decoded
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description or ()]
        require_columns(wanted, names, f"the query on {path}")
        return _table(cursor, [names.index(name) for name in wanted], wanted)


def _table(cursor: sqlite3.Cursor, places: Sequence[int], wanted: Sequence[str]) -> pa.Table:
    schema = pa.schema([(name, pa.float64()) for name in wanted])
    batches = [
        pa.record_batch([_numbers(row[place] for row in rows) for place in places], schema)
        for rows in iter(lambda: cursor.fetchmany(ROWS_AT_ONCE), [])
    ]
    return pa.Table.from_batches(batches, schema)


def _numbers(values: Iterator[Any]) -> pa.Array:
    return pa.array(cells.from_objects(values), pa.float64(), from_pandas=True)  # NaN is null


def _our_error(path: Path, error: sqlite3.Error) -> InputError:
    """Our error for one of SQLite; it repeats SQLite's words only if they quote the query, which no cell can be in."""
    words = str(error)
    if words.startswith(("no such table", "no such column")):
        return InputError(f"The query on {path} cannot run: {words}; correct dataset.query.")
    if words.endswith("syntax error"):
        return InputError(f"The query on {path} cannot run: SQLite finds a syntax error; correct dataset.query.")
    code = getattr(error, "sqlite_errorname", type(error).__name__)
    sentence = f"SQLite cannot answer the query on {path} ({code}); try the query in the sqlite3 shell."
    return InputError(sentence) if code in WITHOUT_ROWS else TableError(sentence)
