"""Rows of a query on an SQLite file, which is opened read-only and never created."""

import math
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from eremite.errors import InputError, TableError
from eremite.table import cells
from eremite.table.numeric import require_columns

Reader: TypeAlias = Callable[[Iterator[Any]], pa.Array]

ROWS_AT_ONCE = 50_000
# Errors that SQLite raises before it reads a row: the file is not a database, or the query would change it.
WITHOUT_ROWS = {"SQLITE_NOTADB", "SQLITE_READONLY", "SQLITE_CANTOPEN", "ProgrammingError"}


class _Text(bytes):
    """A text of SQLite, apart from a blob."""


def read_sqlite(path: Path, query: str, wanted: Sequence[str], as_text: Collection[str] = ()) -> pa.Table:
    """The wanted columns of the query as float64, with null where a row holds no number; those of `as_text` as text.

    Every cell of SQLite has a type of its own. As text, a number is written so that it can be read back exactly.
    """
    if not path.is_file():
        raise InputError(f"The SQLite file {path} does not exist; correct dataset.source.")
    try:
        return _read(path, query, wanted, as_text)
    except sqlite3.Error as error:
        ours = _our_error(path, error)
    raise ours  # outside of except: SQLite's error can quote cells and must not become the context


def _read(path: Path, query: str, wanted: Sequence[str], as_text: Collection[str]) -> pa.Table:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = _Text  # not decoded: it need not be UTF-8
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description or ()]
        require_columns(wanted, names, f"the query on {path}")
        readers = [(names.index(name), _texts if name in as_text else _numbers) for name in wanted]
        schema = pa.schema([(name, pa.string() if name in as_text else pa.float64()) for name in wanted])
        return _table(cursor, readers, schema)


def _table(cursor: sqlite3.Cursor, readers: Sequence[tuple[int, Reader]], schema: pa.Schema) -> pa.Table:
    batches = [
        pa.record_batch([reader(row[place] for row in rows) for place, reader in readers], schema)
        for rows in iter(lambda: cursor.fetchmany(ROWS_AT_ONCE), [])
    ]
    return pa.Table.from_batches(batches, schema)


def _numbers(values: Iterator[Any]) -> pa.Array:
    return pa.array(cells.from_objects(values), pa.float64(), from_pandas=True)  # NaN is null


def _texts(values: Iterator[Any]) -> pa.Array:
    # Bytes that are not UTF-8 stay as they are; the rules for cells decode them on their own.
    return pa.array([_text(value) for value in values], pa.binary()).view(pa.string())


def _text(value: Any) -> bytes | None:
    if value is None or isinstance(value, _Text):
        return value
    if isinstance(value, bytes):
        return f"x'{value.hex()}'".encode()  # as SQLite writes a blob, so that it is no text of its bytes
    return (repr(value) if abs(value) < math.inf else f"{value}".replace("inf", "1e999")).encode()


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
