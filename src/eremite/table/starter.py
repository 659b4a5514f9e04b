"""Writes a first description for a data file: its columns, with bounds and categories left to fill in.

Only names and types of the columns are used. Bounds taken from the data would reveal the most extreme rows, which are
the outliers themselves; categories taken from it would reveal rare ones.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.types as kinds

from eremite.errors import InputError
from eremite.table.cells import is_numeric
from eremite.table.description_errors import UNFILLED
from eremite.table.files import ending, file_schema
from eremite.table.numeric import or_input_error, require_columns
from eremite.table.parquet_folders import folder_of
from eremite.table.toml_text import toml_key, toml_string
from eremite.table.writing import PLAIN, Writing

HEAD = """\
# Everything public about this dataset. Analysts may read this file.

[dataset]
name = {name}
source = {source}
{writing}rows_per_person = 1  # the most rows one person has; a person's rows are protected together
# stand_in = "public-sample.parquet"  # public rows of the same shape, for forecasts

# Public bounds: replace each "{unfilled}" by the smallest and largest value that can occur, from knowledge of
# the subject. eremite never takes bounds from the data: its smallest and largest value each belong to a person.
# Values outside the bounds are clipped. Remove the columns that should not be asked about.
[columns]
"""
CATEGORIES = """\
# Texts: list the values that can occur, from knowledge of the subject, as in { categories = ["A", "B"] }; a column of
# yes and no may be { min = false, max = true } instead. Remove columns of names, notes and the like.
"""
OTHERS = "# Left out, by the type of the column (in files without types, of its first rows):\n"
BUDGET = """
# The most that all releases together may spend; remove the # to set it.
# [budget]
# epsilon = 1.0
# delta = 0.0  # 0: pure differential privacy
"""
BOUNDS = f'{{ min = "{UNFILLED}", max = "{UNFILLED}" }}'


@dataclass(frozen=True, slots=True)
class Starter:
    """A description file that was written, and the columns it names, by what they hold; `other` are left out."""

    path: Path
    numeric: tuple[str, ...]
    dates: tuple[str, ...]
    booleans: tuple[str, ...]
    texts: tuple[str, ...]
    other: tuple[str, ...]


def write_starter(file: str | Path, output: str | Path | None = None, writing: Writing = PLAIN) -> Starter:
    """Write a description of `file` to `output` (default: beside the file); an existing file is never overwritten."""
    file = Path(file)
    schema = file_schema(file, writing)
    require_columns(dict.fromkeys(schema.names), schema.names, str(file))
    place = folder_of(file) or file
    path = place.with_name(_stem(place) + ".toml") if output is None else Path(output)
    starter = _starter(path, schema)
    if not (starter.numeric or starter.dates or starter.booleans):
        raise InputError(f"{file} has no numeric column; eremite needs at least one, with numbers written like 0.5.")
    _write_new(path, _text(file, starter, writing))
    return starter


def _starter(path: Path, schema: pa.Schema) -> Starter:
    def named(test: Callable[[pa.DataType], bool]) -> tuple[str, ...]:
        return tuple(field.name for field in schema if test(field.type))

    numeric, dates, booleans, texts = map(named, (_is_number, _is_date, kinds.is_boolean, _is_text))
    listed = {*numeric, *dates, *booleans, *texts}
    other = tuple(name for name in schema.names if name not in listed)
    return Starter(path, numeric, dates, booleans, texts, other)


def _is_number(kind: pa.DataType) -> bool:
    return is_numeric(kind) and not kinds.is_null(kind) and not kinds.is_boolean(kind)


def _is_date(kind: pa.DataType) -> bool:
    return bool(kinds.is_date(kind) or kinds.is_timestamp(kind))


def _is_text(kind: pa.DataType) -> bool:
    tests = (kinds.is_string, kinds.is_large_string, kinds.is_string_view, kinds.is_dictionary)
    return any(test(kind) for test in tests)


def _stem(file: Path) -> str:
    return file.name[: -len(ending(file.name) or "")] if ending(file.name) else file.name


def _text(file: Path, starter: Starter, writing: Writing) -> str:
    place = folder_of(file) or file
    source = Path(os.path.relpath(file.resolve(), starter.path.resolve().parent)).as_posix() + "/" * file.is_dir()
    head = HEAD.format(
        name=toml_string(_stem(place)),
        source=toml_string(source),
        writing=_writing_text(writing),
        unfilled=UNFILLED,
    )
    lines = [
        *(f"{toml_key(name)} = {BOUNDS}\n" for name in starter.numeric),
        *(f"{toml_key(name)} = {BOUNDS}  # dates, such as 2020-01-31\n" for name in starter.dates),
        *(f"{toml_key(name)} = {{ min = false, max = true }}\n" for name in starter.booleans),
        CATEGORIES * bool(starter.texts),
        *(f"{toml_key(name)} = {{ categories = [] }}\n" for name in starter.texts),
        OTHERS * bool(starter.other),
        *(f"#   {toml_key(name)}\n" for name in starter.other),
    ]
    return head + "".join(lines) + BUDGET


def _writing_text(writing: Writing) -> str:
    """The keys that differ from the defaults, as lines of [dataset]."""
    keys = ("separator", "decimal", "encoding", "sheet")
    given = {key: getattr(writing, key) for key in keys if getattr(writing, key) != getattr(PLAIN, key)}
    return "".join(f"{key} = {toml_string(value)}\n" for key, value in given.items())


def _write_new(path: Path, text: str) -> None:
    content = or_input_error(text.encode, f"The name of a file or column cannot be written to {path} as UTF-8.")
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise InputError(f"{path} exists already and is not overwritten; give another name with --output.") from None
    except OSError:
        raise InputError(f"{path} cannot be written; check that its folder exists and is yours.") from None
