"""Parquet files; only the wanted columns are read."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

from eremite.table.numeric import or_input_error, or_table_error, require_columns
from eremite.table.writing import PLAIN, Writing

_BUFFER = 1 << 20  # bytes of one column that are read at once


def schema(path: Path, _writing: Writing = PLAIN) -> pa.Schema:
    """Names and types of the columns."""
    return or_input_error(lambda: _schema(path), unreadable(path))


def read(path: Path, wanted: Sequence[str], _writing: Writing = PLAIN, _as_text: Collection[str] = ()) -> pa.Table:
    """The wanted columns, with the types they have in the file."""
    require_columns(wanted, schema(path).names, str(path))
    return or_table_error(lambda: _read(path, wanted), unreadable(path))


def groups(path: Path) -> int:
    """How many parts, called row groups, can be read each by itself."""
    return int(_metadata(path).num_row_groups)


def rows(path: Path, some: range | None = None) -> int:
    """How many rows there are, in some row groups or in all, without reading one; private."""
    found = _metadata(path)
    return sum(
        int(found.row_group(group).num_rows) for group in (range(found.num_row_groups) if some is None else some)
    )


def batches(path: Path, wanted: Sequence[str], some: range, most: int) -> Iterator[pa.RecordBatch]:
    """The wanted columns of some row groups, `most` rows at a time; memory grows with these, and not with the groups.

    Raises the errors of Arrow.
    """
    # Without a buffer, Arrow would read a whole column of a row group at once.
    with parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER) as file:
        yield from file.iter_batches(most, row_groups=list(some), columns=list(wanted), use_threads=False)


def unreadable(path: Path) -> str:
    """The sentence about a file that is no Parquet file, or a broken one."""
    return f"{path} cannot be read as Parquet; write it again, or correct its ending."


def _metadata(path: Path) -> parquet.FileMetaData:
    return or_input_error(lambda: parquet.read_metadata(path), unreadable(path))


def _schema(path: Path) -> pa.Schema:
    found = parquet.read_schema(path)
    return pa.schema(list(zip(found.names, found.types, strict=True)))  # decoding the names can fail


def _read(path: Path, wanted: Sequence[str]) -> pa.Table:
    with parquet.ParquetFile(path) as file:
        return file.read(columns=list(wanted)).select(list(wanted))
