"""Data files: the ending of a name decides which module reads it."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from types import ModuleType

import pyarrow as pa

from eremite.errors import InputError
from eremite.table import arrow_files, csv_files, excel_files, parquet_files, parquet_folders
from eremite.table.text_files import KINDS, PACKED
from eremite.table.writing import PLAIN, Writing

TEXTS = (*(f"{kind}{packed}" for kind in KINDS for packed in ("", *PACKED)), ".zip")
FORMATS: dict[str, ModuleType] = {
    **dict.fromkeys(TEXTS, csv_files),
    ".parquet": parquet_files,
    ".arrow": arrow_files,
    ".feather": arrow_files,
    ".xlsx": excel_files,
    "/": parquet_folders,
}
KEYS = {"separator": csv_files, "decimal": csv_files, "encoding": csv_files, "sheet": excel_files}
ENDINGS = (
    ".csv, .tsv, .txt (also packed: .gz, .bz2, .zip), .parquet, .arrow, .feather, .xlsx, and folders of .parquet "
    "files, whose names end in /"
)


def read_file(path: Path, wanted: Sequence[str], writing: Writing = PLAIN, as_text: Collection[str] = ()) -> pa.Table:
    """The wanted columns of a file as Arrow columns, not yet checked for missing values.

    Files that declare types, such as Parquet, keep them. In a text file, the columns that `as_text` names come as
    text, with blanks kept and an empty text for an empty cell; the others come as float64, with null where a cell is
    missing or is no number.
    """
    table: pa.Table = format_of(path).read(path, wanted, writing, as_text)
    return table


def file_schema(path: Path, writing: Writing = PLAIN) -> pa.Schema:
    """Names and types of the columns of a file; in text files, the types that their first rows suggest."""
    schema: pa.Schema = format_of(path).schema(path, writing)
    return schema


def format_of(path: Path) -> ModuleType:
    """The module that reads a file, which must be there."""
    if parquet_folders.is_folder(path):
        return parquet_folders
    end = ending(path.name)
    if end is None:
        raise InputError(f"{path} has an unknown ending; eremite reads {ENDINGS}.")
    _require_openable(path)
    return FORMATS[end]


def unused_key(keys: Iterable[str], sources: Iterable[str]) -> str | None:
    """A key that says how text files or workbooks are written, although no source is one; None if there is none."""
    used = {FORMATS.get(ending(source) or "") for source in sources if "://" not in source}
    return next((key for key in sorted(keys) if key in KEYS and KEYS[key] not in used), None)


def ending(name: str) -> str | None:
    """The ending of a file name, if eremite reads such files; None otherwise."""
    return next((end for end in FORMATS if name.lower().endswith(end)), None)


def _require_openable(path: Path) -> None:
    try:
        path.open("rb").close()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise InputError(f"{path} does not exist; correct the path or put the file there.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be opened ({error.strerror}); check its permissions.") from None
