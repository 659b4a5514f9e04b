"""One contract for every way into a table: files, databases, frames.

Same rows in, same table out; the column of a cell without a number is named, and neither the row nor how many there
are; a text column likewise; a column that is not there is named.
"""

import bz2
import gzip
import math
import re
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime
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

from eremite.table import Categories, Table, open_table, read_description
from tests.refusals import refused
from tests.workbooks import write_sheet

SECRET = "SECRETCELL"  # noqa: S105
SECRET_NUMBER = 31337.4242
BOUNDS = {"bmi": (10.0, 60.0), "blood sugar": (40.0, 400.0), "steps": (0.0, 1e4)}
INFINITE = (float("inf"), float("-inf"))
ROWS: dict[str, list[Any]] = {
    "note": ["a", SECRET, "c, with comma", "d"],
    "bmi": [22.5, SECRET_NUMBER, -3.25, 0.1],
    "blood sugar": [90, 400, 41, 1000],
    "steps": [9007199254740993, 0, 12, 10000],
}

Rows = dict[str, list[Any]]
Bounds = dict[str, tuple[Any, Any]]
Rules = dict[str, Any]  # keywords of Table.from_frame
Reader = Callable[..., Table]  # of rows, bounds and rules
WRITTEN = ("separator", "decimal", "encoding")
NO_KEYS: Rules = {}  # of how a file is written


def described(folder: Path, source: str, bounds: Bounds, rules: Rules, query: str | None = None) -> Table:
    """The table of a description file that says what the keywords of Table.from_frame say."""
    keys = {"name": "p", "source": source, "query": query}
    keys |= {key: rules[key] for key in (*WRITTEN, "missing_values", "time_zone") if key in rules}
    columns = {name: {"min": low, "max": high} for name, (low, high) in bounds.items()}
    columns |= {
        name: {"categories": list(c.values), "other": c.other} for name, c in rules.get("categories", {}).items()
    }
    for name, rule in rules.get("missing", {}).items():
        columns[name]["missing"] = rule
    lines = ["[dataset]", *(f"{key} = {toml(value)}" for key, value in keys.items() if value is not None), "[columns]"]
    lines += [
        f'"{name}" = {{ {", ".join(f"{key} = {toml(value)}" for key, value in column.items())} }}'
        for name, column in columns.items()
    ]
    description = folder / "patients.toml"
    description.write_text("\n".join(lines))
    return open_table(read_description(description))


def toml(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else f"{value!r}"


def file_reader(folder: Path, name: str, write: Callable[[pa.Table, str], object], keys: Rules = NO_KEYS) -> Reader:
    def read(rows: Rows, bounds: Bounds, **rules: Any) -> Table:
        write(pa.table(rows), str(folder / name))
        return described(folder, name, bounds, keys | rules)

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
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        return text.replace(".", ",") if re.fullmatch(r"[-+0-9.e]+", text) else text

    def write(table: pa.Table, path: str) -> None:
        rows = [[place, *row.values(), "Süd"] for place, row in enumerate(table.to_pylist())]
        lines = [["", *(f" {name} " for name in table.column_names), "Größe"], *rows]
        text = "".join(";".join(map(field, line)) + end for line in lines)
        Path(path).write_bytes(text.encode(encoding))

    return write


def write_excel(table: pa.Table, path: str) -> None:
    """Microseconds and infinite numbers as texts, because sheets have none."""

    def cell(value: object) -> object:
        finer = isinstance(value, datetime) and value.microsecond
        return str(value) if finer or (isinstance(value, float) and math.isinf(value)) else value

    write_sheet({name: list(map(cell, column)) for name, column in table.to_pydict().items()}, path)


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


COMMAS: Rules = {"separator": ";", "decimal": ","}
FILES: dict[str, tuple[Any, ...]] = {
    "csv": ("rows.csv", pyarrow.csv.write_csv),
    "csv.gz": ("rows.csv.gz", write_packed(gzip.open)),
    "csv.bz2": ("rows.csv.bz2", write_packed(bz2.open)),
    "zip": ("rows.zip", write_zip),
    "tsv": ("rows.tsv", write_tsv),
    "european": ("rows.csv", european("cp1252", "\r\n"), COMMAS | {"encoding": "cp1252"}),
    "european UTF-16": ("rows.txt", european("utf-16", "\n"), COMMAS | {"encoding": "utf-16"}),
    "excel": ("rows.xlsx", write_excel),
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


def numpy_reader(rows: Rows, bounds: Bounds, **rules: Any) -> Table:
    kept = {name: values for name, values in rows.items() if name in bounds or name != "note"}
    numeric = all(are_numbers(values) for values in kept.values())
    array = np.array([*kept.values()], dtype=float if numeric else object).T
    return Table.from_frame(array, bounds, columns=list(kept), **rules)


def structured_reader(rows: Rows, bounds: Bounds, **rules: Any) -> Table:
    columns = [np.array(values, dtype=float if are_numbers(values) else object) for values in rows.values()]
    return Table.from_frame(np.rec.fromarrays(columns, names=",".join(rows)), bounds, **rules)


def are_numbers(values: list[Any]) -> bool:
    return all(value is None or isinstance(value, int | float) for value in values)


def sqlite_reader(folder: Path) -> Reader:
    def read(rows: Rows, bounds: Bounds, **rules: Any) -> Table:
        names = ", ".join(f'"{name}"' for name in rows)
        cells = [
            [cell.isoformat() if isinstance(cell, date) else cell for cell in row]
            for row in zip(*rows.values(), strict=True)
        ]
        with closing(sqlite3.connect(folder / "rows.db")) as database:
            database.execute(f"CREATE TABLE patients ({names})")
            database.executemany(
                f"INSERT INTO patients VALUES ({', '.join('?' for _ in rows)})",
                cells,
            )
            database.commit()
        return described(folder, "sqlite:///rows.db", bounds, rules, "SELECT * FROM patients;")

    return read


def postgres_reader(folder: Path, url: str) -> Reader:
    import adbc_driver_postgresql.dbapi as driver

    kinds = {str: "text", bool: "boolean", int: "bigint", float: "numeric", type(None): "numeric"}
    kinds |= {date: "date", datetime: "timestamp"}

    def read(rows: Rows, bounds: Bounds, **rules: Any) -> Table:
        names = ", ".join(f'"{name}" {kinds[type(values[0])]}' for name, values in rows.items())
        with driver.connect(url, autocommit=True) as database, database.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS patients")
            cursor.execute(f"CREATE TABLE patients ({names})")
            for row in zip(*rows.values(), strict=True):
                cursor.execute(f"INSERT INTO patients VALUES ({', '.join(map(literal, row))})")
        return described(folder, url, bounds, rules, "SELECT * FROM patients")

    return read


def spark_reader(spark: Any) -> Reader:
    return lambda rows, bounds, **rules: Table.from_frame(spark.createDataFrame(pa.table(rows)), bounds, **rules)


def literal(value: object) -> str:
    if value is None:
        return "NULL"
    return f"'{value.isoformat()}'" if isinstance(value, date) else f"'{value}'" if value in INFINITE else repr(value)


KINDS = [*FILES, *FRAMES, "numpy", "structured", "sqlite", "postgres", "spark", "spark_connect"]


@pytest.fixture(params=KINDS)
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Reader:
    kind = request.param
    if kind in FILES:
        return file_reader(tmp_path, *FILES[kind])
    if kind in FRAMES:
        return lambda rows, bounds, **rules: Table.from_frame(FRAMES[kind](rows), bounds, **rules)
    if kind == "postgres":
        return postgres_reader(tmp_path, request.getfixturevalue("postgres"))
    if kind.startswith("spark"):
        return spark_reader(request.getfixturevalue(kind))
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


ORDINARY: Rows = {
    "glucose": [90.0, None, SECRET_NUMBER, -999.0, 400.0],
    "smoker": [True, False, None, True, False],
    "admitted": [date(2020, 1, 1), date(2020, 1, 5), None, date(1999, 1, 1), date(2020, 1, 11)],
    "seen": [datetime(2020, 1, 1, 12), datetime(2020, 1, 2, 0, 0, 0, 1), datetime(2020, 1, 9, 18), None, datetime.max],
    "ward": ["B", " A ", "zz", None, "NA"],
    "bed": [1, 3, None, 2, 1],
}
DAYS = (date(2020, 1, 1), date(2020, 1, 11))
ORDINARY_BOUNDS: Bounds = {"glucose": (0, 400), "smoker": (False, True), "admitted": DAYS, "seen": DAYS}
ORDINARY_RULES: Rules = {
    "categories": {"ward": Categories(("A", "B"), other="keep"), "bed": Categories((3, 2, 1))},
    "missing": {
        "glucose": "leave-out",
        "smoker": "leave-out",
        "admitted": date(2020, 1, 3),
        "seen": "leave-out",
        "ward": "leave-out",
        "bed": 2,
    },
    "missing_values": ["NA", "-999"],
}


def test_reader_applies_the_rules_as_every_other(read: Reader) -> None:
    table = read(ORDINARY, ORDINARY_BOUNDS, **ORDINARY_RULES)
    assert table.n_rows == 5
    parts = {name: table.part([name]) for name in ORDINARY_BOUNDS}
    places = {name: None if part.places is None else part.places.tolist() for name, part in parts.items()}
    assert {name: (places[name], part.points.ravel().tolist()) for name, part in parts.items()} == {
        "glucose": ([0, 2, 4], [0.225, 1.0, 1.0]),
        "smoker": ([0, 1, 3, 4], [1.0, 0.0, 1.0, 0.0]),
        "admitted": (None, [0.0, 0.4, 0.2, 0.0, 1.0]),
        "seen": ([0, 1, 2, 4], [0.05, ((18_263 + 1 / 86_400_000_000) - 18_262) / 10, 0.875, 1.0]),
    }
    assert [part.places.tolist() for part in table.groups(["admitted"], ["ward"])] == [[1], [0], [2]]
    assert [part.places.tolist() for part in table.groups(["admitted"], ["bed"])] == [[1], [2, 3], [0, 4]]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("glucose", "has cells that are missing or not a number; repair the cells, set missing ="),
        ("smoker", "has cells that are missing or not true or false; repair the cells, set missing ="),
        ("admitted", "has cells that are missing or not a date; repair the cells, set missing ="),
        ("ward", "has missing cells; repair the cells, set missing ="),
    ],
)
def test_reader_refuses_missing_cells_without_a_rule(read: Reader, name: str, words: str) -> None:
    rules = {**ORDINARY_RULES, "missing": {n: rule for n, rule in ORDINARY_RULES["missing"].items() if n != name}}
    sentence = refused(lambda: read(ORDINARY, ORDINARY_BOUNDS, **rules))
    assert f"column {name!r} {words}" in sentence


def test_reader_refuses_cells_that_are_not_listed(read: Reader) -> None:
    rules = {**ORDINARY_RULES, "categories": {**ORDINARY_RULES["categories"], "ward": Categories(("A", "B"))}}
    sentence = refused(lambda: read(ORDINARY, ORDINARY_BOUNDS, **rules))
    assert "column 'ward' has cells that are not among its categories; repair the cells, set other =" in sentence


def test_reader_clips_infinite_numbers(read: Reader, request: pytest.FixtureRequest) -> None:
    """Text files and sheets alone have no notation for them."""
    rows = replaced("bmi", [22.5, *INFINITE, 0.1])
    kind = request.node.callspec.params["read"]
    if kind in FILES and not FILES[kind][0].endswith((".parquet", ".arrow", ".feather", "/")):
        assert "column 'bmi' has cells" in refused(lambda: read(rows, BOUNDS))
    else:
        assert read(rows, BOUNDS).points(["bmi"]).ravel().tolist() == [0.25, 1.0, 0.0, 0.0]


def test_reader_takes_texts_for_numbers_where_missing_cells_have_a_rule(read: Reader) -> None:
    rows = {"a": ["0.5", " 1e400 ", "n/a?", "-999.0", None, "inf", "0x1"]}
    rules = {"missing": {"a": "leave-out"}, "missing_values": ["-999"]}
    table = read(rows, {"a": (0.0, 1.0)}, **rules)
    assert (table.part().places.tolist(), table.points().ravel().tolist()) == ([0, 1], [0.5, 1.0])
