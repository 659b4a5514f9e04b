"""Arrow files (.arrow, .feather), as IPC files or IPC streams; only the wanted columns are read."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from eremite.table.numeric import or_input_error, or_table_error, require_columns
from eremite.table.writing import PLAIN, Writing


def schema(path: Path, _writing: Writing = PLAIN) -> pa.Schema:
    """Names and types of the columns."""
    return or_input_error(lambda: _schema(path), _unreadable(path))


def read(path: Path, wanted: Sequence[str], _writing: Writing = PLAIN, _as_text: Collection[str] = ()) -> pa.Table:
    """The wanted columns, with the types they have in the file."""
    names = schema(path).names
    require_columns(wanted, names, str(path))
    return or_table_error(lambda: _read(path, [names.index(name) for name in wanted]), _unreadable(path))


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


def _unreadable(path: Path) -> str:
    return f"{path} cannot be read as an Arrow file; write it again, or correct its ending."
