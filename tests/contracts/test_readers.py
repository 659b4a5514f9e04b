"""One contract for every way into a table: files, databases, frames.

Same rows in, same table out; the column of a cell without a number is named, and neither the row nor how many there
are; a text column likewise; a column that is not there is named.
"""

import bz2
import gzip
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from eremite.table import Table, open_table, read_description
from tests.refusals import refused
from tests.workbooks import write_sheet

SECRET = "SECRETCELL"  # noqa: S105
SECRET_NUMBER = 31337.4242
BOUNDS = {"bmi": (10.0, 60.0), "blood sugar": (40.0, 400.0), "steps": (0.0, 1e4)}
ROWS: dict[str, list[Any]] = {
    "note": ["a", SECRET, "c, with comma", "d"],
    "bmi": [22.5, SECRET_NUMBER, -3.25, 0.1],
    "blood sugar": [90, 400, 41, 1000],
    "steps": [9007199254740993, 0, 12, 10000],
}

Rows = dict[str, list[Any]]
Bounds = dict[str, tuple[float, float]]
Reader = Callable[[Rows, Bounds], Table]


def described(folder: Path, source: str, bounds: Bounds, query: str | None = None, keys: str = "") -> Table:
    query_line = keys if query is None else f"query = '{query}'"
    columns = "\n".join(f'"{name}" = {{ min = {low}, max = {high} }}' for name, (low, high) in bounds.items())
    description = folder / "patients.toml"
    description.write_text(f'[dataset]\nname = "p"\nsource = "{source}"\n{query_line}\n[columns]\n{columns}\n')
    return open_table(read_description(description))


def file_reader(folder: Path, name: str, write: Callable[[pa.Table, str], object], keys: str = "") -> Reader:
    def read(rows: Rows, bounds: Bounds) -> Table:
        write(pa.table(rows), str(folder / name))
        return described(folder, name, bounds, keys=keys)

    return read


def write_packed(opened: Callable[[str, Any], Any]) -> Callable[[pa.Table, str], None]:
    def write(table: pa.Table, path: str) -> None:
        with opened(path, "wb") as file:
            pyarrow.csv.write_csv(table, file)

    return write


def write_tsv(table: pa.Table, path: str) -> None:
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(delimiter="\t"))


def write_zip(table: pa.Table, path: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed, packed.open("rows.csv", "w") as file:
        pyarrow.csv.write_csv(table, file)


def european(encoding: str, end: str) -> Callable[[pa.Table, str], None]:
    """Semicolons, decimal commas, blanks around names, an index without a name, an accent in another column."""

    def field(value: object) -> str:
        return "" if value is None else value if isinstance(value, str) else repr(value).replace(".", ",")

    def write(table: pa.Table, path: str) -> None:
        rows = [[place, *row.values(), "Süd"] for place, row in enumerate(table.to_pylist())]
        lines = [["", *(f" {name} " for name in table.column_names), "Größe"], *rows]
        text = "".join(";".join(map(field, line)) + end for line in lines)
        Path(path).write_bytes(text.encode(encoding))

    return write


def write_parts(table: pa.Table, path: str) -> None:
    """In the order of the names; the second part has other types, where they hold the same numbers."""
    Path(path).mkdir()
    pyarrow.parquet.write_table(table.slice(0, 2), Path(path) / "10.parquet")
    types = {pa.int64(): pa.float64(), pa.string(): pa.large_string()}
    second = pa.schema([(field.name, types.get(field.type, field.type)) for field in table.schema])
    pyarrow.parquet.write_table(table.slice(2).cast(second), Path(path) / "9.parquet")


def write_ipc_stream(table: pa.Table, path: str) -> None:
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


def write_ipc_file(table: pa.Table, path: str) -> None:
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


DECIMAL_COMMAS = 'separator = ";"\ndecimal = ","\nencoding = '
FILES: dict[str, tuple[str, Callable[[pa.Table, str], object]] | tuple[str, Callable[[pa.Table, str], object], str]] = {
    "csv": ("rows.csv", pyarrow.csv.write_csv),
    "csv.gz": ("rows.csv.gz", write_packed(gzip.open)),
    "csv.bz2": ("rows.csv.bz2", write_packed(bz2.open)),
    "zip": ("rows.zip", write_zip),
    "tsv": ("rows.tsv", write_tsv),
    "european": ("rows.csv", european("cp1252", "\r\n"), f'{DECIMAL_COMMAS}"cp1252"'),
    "european UTF-16": ("rows.txt", european("utf-16", "\n"), f'{DECIMAL_COMMAS}"utf-16"'),
    "excel": ("rows.xlsx", lambda table, path: write_sheet(table.to_pydict(), path)),
    "folder of parquet": ("parts/", write_parts),
    "parquet": ("rows.parquet", pyarrow.parquet.write_table),
    "arrow file": ("rows.arrow", write_ipc_file),
    "arrow stream": ("rows.arrow", write_ipc_stream),
    "feather": ("rows.feather", pyarrow.feather.write_feather),
}


class Capsule:
    """Nothing but the Arrow PyCapsule interface."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class ArrayCapsule(Capsule):
    """The interface of a single batch."""

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._table.combine_chunks().to_batches()[0].__arrow_c_array__(requested_schema)


FRAMES: dict[str, Callable[[Rows], Any]] = {
    "pandas": pd.DataFrame,
    "polars": lambda rows: pl.DataFrame(rows, strict=True),
    "pyarrow": pa.table,
    "record batch": pa.RecordBatch.from_pydict,
    "capsule": lambda rows: Capsule(pa.table(rows)),
    "array capsule": lambda rows: ArrayCapsule(pa.table(rows)),
}


def numpy_reader(rows: Rows, bounds: Bounds) -> Table:
    kept = {name: values for name, values in rows.items() if name in bounds or name != "note"}
    numeric = all(not isinstance(value, str) for values in kept.values() for value in values)
    array = np.array([*kept.values()], dtype=float if numeric else object).T
    return Table.from_frame(array, bounds, columns=list(kept))


def structured_reader(rows: Rows, bounds: Bounds) -> Table:
    columns = [np.array(values, dtype=object if isinstance(values[0], str) else float) for values in rows.values()]
    return Table.from_frame(np.rec.fromarrays(columns, names=",".join(rows)), bounds)


def sqlite_reader(folder: Path) -> Reader:
    def read(rows: Rows, bounds: Bounds) -> Table:
        names = ", ".join(f'"{name}"' for name in rows)
        with closing(sqlite3.connect(folder / "rows.db")) as database:
            database.execute(f"CREATE TABLE patients ({names})")
            database.executemany(
                f"INSERT INTO patients VALUES ({', '.join('?' for _ in rows)})",
                zip(*rows.values(), strict=True),
            )
            database.commit()
        return described(folder, "sqlite:///rows.db", bounds, "SELECT * FROM patients;")

    return read


def postgres_reader(folder: Path, url: str) -> Reader:
    import adbc_driver_postgresql.dbapi as driver

    kinds = {str: "text", int: "bigint", float: "numeric", type(None): "numeric"}

    def read(rows: Rows, bounds: Bounds) -> Table:
        names = ", ".join(f'"{name}" {kinds[type(values[0])]}' for name, values in rows.items())
        with driver.connect(url, autocommit=True) as database, database.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS patients")
            cursor.execute(f"CREATE TABLE patients ({names})")
            for row in zip(*rows.values(), strict=True):
                cursor.execute(f"INSERT INTO patients VALUES ({', '.join(map(literal, row))})")
        return described(folder, url, bounds, "SELECT * FROM patients")

    return read


def spark_reader(spark: Any) -> Reader:
    return lambda rows, bounds: Table.from_frame(spark.createDataFrame(pa.table(rows)), bounds)


def literal(value: object) -> str:
    return "NULL" if value is None else repr(value)


KINDS = [*FILES, *FRAMES, "numpy", "structured", "sqlite", "postgres", "spark"]


@pytest.fixture(params=KINDS)
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Reader:
    kind = request.param
    if kind in FILES:
        return file_reader(tmp_path, *FILES[kind])
    if kind in FRAMES:
        return lambda rows, bounds: Table.from_frame(FRAMES[kind](rows), bounds)
    if kind == "postgres":
        return postgres_reader(tmp_path, request.getfixturevalue("postgres"))
    if kind == "spark":
        return spark_reader(request.getfixturevalue("spark"))
    return {"numpy": numpy_reader, "structured": structured_reader, "sqlite": sqlite_reader(tmp_path)}[kind]


def replaced(column: str, values: list[Any]) -> Rows:
    return {**ROWS, column: values}


def by_definition(x: float, low: float, high: float) -> float:
    return (min(max(x, low), high) - low) / (high - low)


def test_reader_gives_the_same_table_as_every_other(read: Reader) -> None:
    table = read(ROWS, BOUNDS)
    raw = np.array([ROWS[name] for name in BOUNDS], dtype=float).T
    expected = [[by_definition(x, *bounds) for x, bounds in zip(row, BOUNDS.values(), strict=True)] for row in raw]
    assert table.columns == tuple(BOUNDS)
    np.testing.assert_array_equal(table.points(), np.array(expected))


def test_reader_names_the_column_of_missing_values(read: Reader) -> None:
    sentence = refused(lambda: read(replaced("bmi", [None, SECRET_NUMBER, None, 20.0]), BOUNDS))
    assert "column 'bmi' has cells that are missing or not a number; repair the cells, set missing =" in sentence
    assert "steps" not in sentence


def test_reader_names_a_text_column(read: Reader) -> None:
    sentence = refused(lambda: read(ROWS, {"note": (0.0, 1.0), "bmi": (10.0, 60.0)}))
    assert "column 'note' " in sentence
    assert "4" not in sentence.partition(", column")[2]


def test_reader_names_a_missing_column(read: Reader) -> None:
    sentence = refused(lambda: read(ROWS, {**BOUNDS, "absent": (0.0, 1.0)}))
    assert "Column 'absent' is not in" in sentence
    assert "'blood sugar'" in sentence
