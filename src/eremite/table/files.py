"""Data files: the ending of a name decides which module reads it."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pyarrow as pa

from eremite.errors import InputError
from eremite.table import arrow_files, csv_files, parquet_files

FORMATS: dict[str, ModuleType] = {
    ".csv": csv_files,
    ".csv.gz": csv_files,
    ".parquet": parquet_files,
    ".arrow": arrow_files,
    ".feather": arrow_files,
}
ENDINGS = ", ".join(FORMATS)


def read_file(path: Path, wanted: Sequence[str]) -> pa.Table:
    """The wanted columns of a file as Arrow columns, not yet checked for missing values."""
    table: pa.Table = _format(path).read(path, wanted)
    return table


def file_schema(path: Path) -> pa.Schema:
    """Names and types of the columns of a file."""
    schema: pa.Schema = _format(path).schema(path)
    return schema


def ending(name: str) -> str | None:
    """The ending of a file name, if eremite reads such files; None otherwise."""
    return next((end for end in FORMATS if name.lower().endswith(end)), None)


def _format(path: Path) -> ModuleType:
    end = ending(path.name)
    if end is None:
        raise InputError(f"{path} has an unknown ending; eremite reads {ENDINGS}.")
    _require_openable(path)
    return FORMATS[end]


def _require_openable(path: Path) -> None:
    try:
        path.open("rb").close()
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give the file inside it.") from None
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise InputError(f"{path} does not exist; correct the path or put the file there.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be opened ({error.strerror}); check its permissions.") from None
