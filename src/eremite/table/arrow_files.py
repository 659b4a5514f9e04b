"""Arrow files (.arrow, .feather), as IPC files or IPC streams; only the wanted columns are read."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from eremite.table.numeric import or_input_error, or_table_error, require_columns
from eremite.table.writing import PLAIN, Writing


def schema(path: Path, _writing: Writing = PLAIN) -> pa.Schema:
    """Names and types of the columns."""
    return or_input_error(lambda: _schema(path), unreadable(path))


def read(path: Path, wanted: Sequence[str], _writing: Writing = PLAIN, _as_text: Collection[str] = ()) -> pa.Table:
    """The wanted columns, with the types they have in the file."""
    names = schema(path).names
    require_columns(wanted, names, str(path))
    return or_table_error(lambda: _read(path, [names.index(name) for name in wanted]), unreadable(path))


def groups(path: Path) -> int:
    """How many parts, called record batches, can be read each by itself; a stream is one."""
    return or_input_error(lambda: _groups(path), unreadable(path))


def rows(path: Path, some: range | None = None) -> int:
    """How many rows there are, in some record batches or in all; private.

    Cells are read only where the file is compressed.
    """
    counts = or_table_error(lambda: [int(batch.num_rows) for batch in _batches(path, some)], unreadable(path))
    return sum(counts)


def batches(path: Path, wanted: Sequence[str], some: range, most: int) -> Iterator[pa.RecordBatch]:
    """The wanted columns of some record batches, `most` rows at a time.

    The file is mapped, and not read: memory grows with a record batch only where that is compressed. Raises the errors
    of Arrow.
    """
    for batch in _batches(path, some):
        for start in range(0, batch.num_rows, most):
            yield batch.select(list(wanted)).slice(start, most)


def unreadable(path: Path) -> str:
    """The sentence about a file that is no Arrow file, or a broken one."""
    return f"{path} cannot be read as an Arrow file; write it again, or correct its ending."


def _groups(path: Path) -> int:
    with pa.OSFile(str(path)) as file:
        return int(getattr(_open(file, ipc.IpcReadOptions()), "num_record_batches", 1))


def _batches(path: Path, some: range | None = None) -> Iterator[pa.RecordBatch]:
    """Some record batches, or all of them; all of a stream. With a choice of columns, Arrow would copy them."""
    with pa.memory_map(str(path)) as file:
        reader = _open(file, ipc.IpcReadOptions())
        if hasattr(reader, "num_record_batches"):
            yield from map(reader.get_batch, range(reader.num_record_batches) if some is None else some)
        else:
            yield from reader


def _schema(path: Path) -> pa.Schema:
    with pa.OSFile(str(path)) as file:
        found = _open(file, ipc.IpcReadOptions()).schema
    return pa.schema(list(zip(found.names, found.types, strict=True)))  # decoding the names can fail


def _read(path: Path, places: list[int]) -> pa.Table:
    with pa.OSFile(str(path)) as file:
        return _open(file, ipc.IpcReadOptions(included_fields=places)).read_all()


def _open(file: Any, options: ipc.IpcReadOptions) -> Any:
    try:
        return ipc.open_file(file, options=options)
    except pa.ArrowInvalid:
        file.seek(0)
    return ipc.open_stream(file, options=options)
