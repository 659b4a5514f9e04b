"""Parquet files; only the wanted columns are read."""

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

from eremite.table.numeric import or_input_error, or_table_error, require_columns
from eremite.table.writing import PLAIN, Writing


def schema(path: Path, _writing: Writing = PLAIN) -> pa.Schema:
    """Names and types of the columns."""
    return or_input_error(lambda: _schema(path), _unreadable(path))


def read(path: Path, wanted: Sequence[str], _writing: Writing = PLAIN, _as_text: Collection[str] = ()) -> pa.Table:
    """The wanted columns, with the types they have in the file."""
    require_columns(wanted, schema(path).names, str(path))
    return or_table_error(lambda: _read(path, wanted), _unreadable(path))


def _schema(path: Path) -> pa.Schema:
    found = parquet.read_schema(path)
    return pa.schema(list(zip(found.names, found.types, strict=True)))  # decoding the names can fail


def _read(path: Path, wanted: Sequence[str]) -> pa.Table:
    with parquet.ParquetFile(path) as file:
        return file.read(columns=list(wanted)).select(list(wanted))


def _unreadable(path: Path) -> str:
    return f"{path} cannot be read as Parquet; write it again, or correct its ending."
