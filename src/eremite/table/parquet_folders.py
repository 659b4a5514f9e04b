"""Parquet files in a folder, or those that a pattern such as `parts/*.parquet` names, as one table.

Rows come in the order of the files' names. What a cell becomes depends on that cell and on the types that the files
declare for its column, which may differ: whole numbers in one file and floats in another are numbers in both.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from eremite.errors import InputError, TableError
from eremite.names import quote_name
from eremite.table import cells, parquet_files
from eremite.table.numeric import or_table_error
from eremite.table.writing import PLAIN, Writing

ENDING = ".parquet"


def is_folder(path: Path) -> bool:
    """Whether a path names several files: it is a folder, or a pattern for files that end in .parquet."""
    with suppress(OSError, ValueError):
        pattern = path.name.lower().endswith(ENDING) and any(sign in str(path) for sign in "*?[")
        return path.is_dir() or (pattern and not path.exists())
    return False


def folder_of(path: Path) -> Path | None:
    """The folder of several files, without its pattern; None if the path names one file."""
    if not is_folder(path):
        return None
    base = path.resolve()
    while not base.exists():  # what exists is no pattern, whatever signs it has
        base = base.parent
    return base


def schema(path: Path, _writing: Writing = PLAIN) -> pa.Schema:
    """Names and types of the columns, which must have the same names in every file."""
    schemas = {part: parquet_files.schema(part) for part in parts_of(path)}
    first, *others = schemas
    for part in others:
        if set(schemas[part].names) != set(schemas[first].names):
            raise InputError(f"{first} and {part} have different columns; give every file the same columns.")
    names = schemas[first].names
    return pa.schema([(name, _suggested(found.field(name).type for found in schemas.values())) for name in names])


def read(path: Path, wanted: Sequence[str], _writing: Writing = PLAIN, as_text: Collection[str] = ()) -> pa.Table:
    """The wanted columns, with the type they have in every file.

    If types differ, a column comes as text where `as_text` names it, and otherwise as float64.
    """
    tables = [parquet_files.read(part, wanted) for part in parts_of(path)]
    joint = joint_schema(path, [table.schema for table in tables], wanted, as_text)
    return or_table_error(lambda: pa.concat_tables([converted(table, joint) for table in tables]), unjoined(path))


def joint_schema(
    path: Path, schemas: Sequence[pa.Schema], wanted: Sequence[str], as_text: Collection[str]
) -> pa.Schema:
    """The one type of each wanted column, from the types that all files declare."""
    found = {name: _common((one.field(name).type for one in schemas), name in as_text) for name in wanted}
    for name, kind in found.items():
        if kind is None:
            raise TableError(
                f"Column {quote_name(name)} has types that do not fit together in the files of {path}; "
                "write it with the same type in all of them."
            )
    return pa.schema(found)


def converted(table: pa.Table, joint: pa.Schema) -> pa.Table:
    """Rows of one of the files, with the types of all; each cell by itself. Raises the errors of Arrow."""
    return pa.table({field.name: _converted(table.column(field.name), field.type) for field in joint}, schema=joint)


def unjoined(path: Path) -> str:
    """The sentence about files whose columns cannot be converted."""
    return f"The files of {path} cannot be joined; write the columns with the same types in all of them."


def parts_of(path: Path) -> list[Path]:
    """The files, by name. Files whose names begin with a point or an underscore are not data, as for Spark."""
    base, full = folder_of(path) or path, path.resolve()
    pattern = f"*{ENDING}" if base == full else str(full.relative_to(base))
    found = sorted(part for part in base.glob(pattern) if part.is_file() and not part.name.startswith((".", "_")))
    if found:
        return found
    if base == full:
        raise InputError(
            f"{path} is a folder without {ENDING} files; give a file, or a pattern such as {path}/**/*{ENDING}."
        )
    raise InputError(f"No file fits the pattern {path}; correct it or put the files there.")


def _suggested(kinds: Iterable[pa.DataType]) -> pa.DataType:
    return _common(kinds, as_text=False) or pa.string()


def _common(kinds: Iterable[pa.DataType], as_text: bool) -> pa.DataType | None:
    """One type for all: theirs if it is the same, otherwise text if it is wanted, or a number; None if none fits."""
    different = list(dict.fromkeys(kind for kind in kinds if not pa.types.is_null(kind)))
    if len(different) <= 1:
        return different[0] if different else pa.null()
    if all(map(_is_text, different)):
        return pa.string()
    numeric = list(map(cells.is_numeric, different))
    if as_text:  # a time that is a number elsewhere was made of numbers by whoever wrote the file
        return None if any(numeric) and any(map(pa.types.is_temporal, different)) else pa.string()
    return pa.float64() if all(numeric) else None


def _is_text(kind: pa.DataType) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(test(kind) for test in tests)


def _converted(part: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if part.type == kind:
        return part
    if pa.types.is_null(part.type):
        return pa.chunked_array([pa.nulls(len(part), kind)])
    if pa.types.is_float64(kind):  # not Arrow's cast, whose result depends on the scale of decimals
        return pa.chunked_array([pa.array(cells.from_arrow(part), kind, from_pandas=True)])
    return part.cast(kind)
