"""Writes a first description for a data file: its numeric columns, with the bounds left to fill in.

Only names and types of the columns are used. Bounds taken from the data would reveal the most extreme rows, which are
the outliers themselves.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from eremite.errors import InputError
from eremite.table.cells import is_numeric
from eremite.table.description_errors import UNFILLED
from eremite.table.files import ending, file_schema
from eremite.table.numeric import or_input_error, require_columns
from eremite.table.toml_text import toml_key, toml_string

HEAD = """\
# Everything public about this dataset. Analysts may read this file.

[dataset]
name = {name}
source = {source}
rows_per_person = 1  # the most rows one person has; a person's rows are protected together
# stand_in = "public-sample.parquet"  # public rows of the same shape, for forecasts

# Public bounds: replace each "{unfilled}" by the smallest and largest value that can occur, from knowledge of
# the subject. eremite never takes bounds from the data: its smallest and largest value each belong to a person.
# Values outside the bounds are clipped. Remove the columns that should not be asked about.
[columns]
"""
OTHERS = "# Not numeric, judged by the type of the column (in CSV, of its first rows), and therefore left out:\n"
BUDGET = """
# The most that all releases together may spend; remove the # to set it.
# [budget]
# epsilon = 1.0
# delta = 0.0  # 0: pure differential privacy
"""


@dataclass(frozen=True, slots=True)
class Starter:
    """A description file that was written, and the columns it names."""

    path: Path
    numeric: tuple[str, ...]
    other: tuple[str, ...]


def write_starter(file: str | Path, output: str | Path | None = None) -> Starter:
    """Write a description of `file` to `output` (default: beside the file); an existing file is never overwritten."""
    file = Path(file)
    schema = file_schema(file)
    require_columns(dict.fromkeys(schema.names), schema.names, str(file))
    path = file.with_name(_stem(file) + ".toml") if output is None else Path(output)
    numeric = tuple(field.name for field in schema if _is_number(field.type))
    if not numeric:
        raise InputError(f"{file} has no numeric column; eremite needs at least one, with numbers written like 0.5.")
    starter = Starter(path, numeric, tuple(name for name in schema.names if name not in numeric))
    _write_new(path, _text(file, starter))
    return starter


def _is_number(kind: pa.DataType) -> bool:
    return is_numeric(kind) and not pa.types.is_null(kind)


def _stem(file: Path) -> str:
    return file.name[: -len(ending(file.name) or "")]


def _text(file: Path, starter: Starter) -> str:
    source = Path(os.path.relpath(file.resolve(), starter.path.resolve().parent)).as_posix()
    head = HEAD.format(name=toml_string(_stem(file)), source=toml_string(source), unfilled=UNFILLED)
    bound = toml_string(UNFILLED)
    columns = "".join(f"{toml_key(name)} = {{ min = {bound}, max = {bound} }}\n" for name in starter.numeric)
    others = OTHERS + "".join(f"#   {toml_key(name)}\n" for name in starter.other) if starter.other else ""
    return head + columns + others + BUDGET


def _write_new(path: Path, text: str) -> None:
    content = or_input_error(text.encode, f"The name of a file or column cannot be written to {path} as UTF-8.")
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise InputError(f"{path} exists already and is not overwritten; give another name with --output.") from None
    except OSError:
        raise InputError(f"{path} cannot be written; check that its folder exists and is yours.") from None
