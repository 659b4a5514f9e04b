"""One cell is replaced by a hostile one: every other cell must become the same float64 as before, to the bit.

That is `loading.proof.md`, tried on every source but PostgreSQL and Spark, which take a server (tests/contracts). What
a source reads is also held against the definition: the float64 nearest to the exact number. Readings are looked at
before anything is refused, so that hostile cells that hold no number are tried too. Mutants that read a column by what
all of its rows suggest are caught by the same attack.
"""

import datetime
import itertools
import math
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eremite.errors import TableError
from eremite.table import Categories, Table, cells, csv_files, dates, parquet_files, parquet_folders
from eremite.table import rules as rules_module
from eremite.table.categories import Lookup
from eremite.table.files import read_file
from eremite.table.frames import columns_by_name, columns_by_place, with_names
from eremite.table.numeric import or_table_error
from eremite.table.rules import CellRules
from eremite.table.sqlite import read_sqlite
from eremite.table.text_files import text_file
from eremite.table.writing import PLAIN, Writing

Floats = np.ndarray[Any, np.dtype[np.float64]]
Cells = Sequence[Any]

NUMBERS_ALONE = CellRules.of({"a": (0, 1)})


def by_name(frame: Any, _: CellRules) -> Any:
    return columns_by_name(with_names(frame), ["a"])["a"]


def by_place(array: Any, _: CellRules) -> Any:
    return columns_by_place(array, ["a"])["a"]


def from_file(path: Path, rules: CellRules) -> Any:
    return read_file(path, ["a"], as_text=[name for name in rules.as_text if name == "a"]).column("a")


def from_sqlite(path: Path, rules: CellRules) -> Any:
    texts = [] if rules is NUMBERS_ALONE else ["a"]
    return read_sqlite(path, "SELECT a FROM t ORDER BY rowid", ["a"], texts).column("a")


def becomes(column: Any, rules: CellRules) -> Floats:
    """What the cells become; numbers without a rule are looked at before the table is refused."""
    if "a" in rules.categories:
        return rules.codes({"a": column}, "the frame")["a"].astype(np.float64)
    return (rules.read_numbers if rules is NUMBERS_ALONE else rules.numbers)({"a": column}, "the frame")["a"]


@dataclass(frozen=True)
class Source:
    """A frame or file that somebody makes of a column, and how eremite reads it.

    A library may refuse to make it: nothing has reached eremite then. A declared type may be refused as a whole.
    """

    make: Callable[[Cells, Path], Any]
    column: Callable[[Any, CellRules], Any] = by_name

    def reading(self, values: Cells, folder: Path, rules: CellRules = NUMBERS_ALONE) -> Floats | None:
        try:
            made = self.make(values, folder)
        except (Exception, pl.exceptions.PanicException):
            return None
        try:
            return becomes(self.column(made, rules), rules)
        except TableError:
            return None


def objects(values: Cells) -> np.ndarray[Any, np.dtype[np.object_]]:
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def masked(values: Cells, _: Path) -> Any:
    return np.ma.array(objects(values)[:, None], mask=np.array([value is None for value in values])[:, None])


def structured(values: Cells, _: Path) -> Any:
    array = np.empty(len(values), dtype=[("b", "f8"), ("a", object)])
    array["a"] = objects(values)
    return array


def written(name: str, write: Callable[[pa.Table, str], object]) -> Source:
    def make(values: Cells, folder: Path) -> Path:
        write(pa.table({"a": pa.array(list(values))}), str(folder / name))
        return folder / name

    return Source(make, from_file)


def sqlite(values: Cells, folder: Path) -> Path:
    path = folder / "rows.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("DROP TABLE IF EXISTS t")
        database.execute("CREATE TABLE t (a)")
        database.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        database.commit()
    return path


def csv(values: Cells, folder: Path) -> Path:
    """Numbers as Python writes them, texts as they are."""
    lines = ["a,b", *(f"{'' if value is None else value},1" for value in values)]
    (folder / "rows.csv").write_text("\n".join(lines))
    return folder / "rows.csv"


def european_csv(values: Cells, folder: Path) -> Path:
    """The same with decimal commas; a cell with a comma of its own is no number."""
    fields = [str("" if value is None else value).replace(",", " ").replace(".", ",") for value in values]
    (folder / "rows.csv").write_text("\n".join(["a;b", *(f"{field};1" for field in fields)]), encoding="utf-16")
    return folder / "rows.csv"


def from_european_csv(path: Path, _: CellRules) -> Any:
    return read_file(path, ["a"], Writing(";", ",", "utf-16")).column("a")


def parts(values: Cells, folder: Path) -> Path:
    """The row that is attacked has a file of its own, with a type of its own."""
    place = len(values) // 2
    for name, some in enumerate((values[:place], values[place : place + 1], values[place + 1 :])):
        pyarrow.parquet.write_table(pa.table({"a": pa.array(list(some))}), folder / f"{name}.parquet")
    return folder


def arrow(kind: pa.DataType | None = None) -> Source:
    return Source(lambda values, _: pa.table({"a": pa.array(list(values), kind)}))


def pandas(dtype: str) -> Source:
    return Source(lambda values, _: pd.DataFrame({"a": pd.array(list(values), dtype=dtype)}))


def pandas_of_arrow(values: Cells, _: Path) -> Any:
    kind = pd.ArrowDtype(pa.array(list(values)).type)
    return pd.DataFrame({"a": pd.Series(list(values), dtype=kind)})


#: They take any object, so every hostile cell is read.
OF_OBJECTS: dict[str, Source] = {
    "pandas objects": Source(lambda values, _: pd.DataFrame({"a": objects(values)}, dtype=object)),
    "polars objects": Source(lambda values, _: pl.DataFrame({"a": pl.Series(list(values), dtype=pl.Object)})),
    "lists": Source(lambda values, _: {"a": list(values)}),
    "tuples": Source(lambda values, _: {"a": tuple(values)}),
    "numpy objects": Source(lambda values, _: objects(values)[:, None], by_place),
    "masked": Source(masked, by_place),
    "structured": Source(structured),
}
SOURCES: dict[str, Source] = OF_OBJECTS | {
    "pandas": Source(lambda values, _: pd.DataFrame({"a": list(values)})),
    "pandas Int64": pandas("Int64"),
    "pandas Float64": pandas("Float64"),
    "pandas boolean": pandas("boolean"),
    "pandas sparse": pandas("Sparse"),
    "pandas Arrow": Source(pandas_of_arrow),
    "polars": Source(lambda values, _: pl.DataFrame({"a": list(values)}, strict=True)),
    "numpy": Source(lambda values, _: np.array(list(values))[:, None], by_place),
    "pyarrow": arrow(),
    "decimal32": arrow(pa.decimal32(9, 4)),
    "decimal64": arrow(pa.decimal64(18, 9)),
    "decimal128": arrow(pa.decimal128(38, 20)),
    "decimal256": arrow(pa.decimal256(76, 40)),
    "float16": arrow(pa.float16()),
    "uint64": arrow(pa.uint64()),
    "parquet": written("rows.parquet", pyarrow.parquet.write_table),
    "feather": written("rows.feather", pyarrow.feather.write_feather),
    "sqlite": Source(sqlite, from_sqlite),
    "csv": Source(csv, from_file),
}

PARTS = Source(parts, from_file)
EUROPEAN_CSV = Source(european_csv, from_european_csv)

CENTS = [Decimal(cents) / 100 for cents in (1, 7, 11, 29, 57, 58, 99, 115, 1234, 4567, 9999)]
COLUMNS: list[Cells] = [
    CENTS,
    [Decimal("0.5"), Decimal("0.1"), Decimal(3), Decimal("-0.3")],
    [Decimal("0.10000000000000000000"), Decimal("0.3"), Decimal("123456789012.345")],
    [1, 0, 2**53 + 1, 2**62 + 1],
    [2**63, 2**63 + 1025, 1, 0],
    [2**64, -(2**64) - 1, 2**70 + 2**17 + 1, 3],
    [0.1, 1 / 3, 5e-324, 1.7e308, -2.5],
    [0.5, 1.5, 2.0, 0.25],
    [True, False, True],
    [1, 0.5, Decimal("0.1"), True, Fraction(1, 3), None],
    [None, 2**53 + 1, None],
    ["0.1", "9007199254740993", "1e22", ".5", "-3.", "123456789012345678901234567890", "4.35"],
    ["0.1000000000000000055511151231257827021181583404541015625", "2.2250738585072011e-308", "+7", " 8 "],
]
HOSTILE: Cells = [
    Decimal("0.50000000000000000001"), Decimal("12.3456"), Decimal("1e-15"), Decimal("1E+15"), Decimal("NaN"),
    Decimal("sNaN"), Decimal("Infinity"), Decimal("1E+400"), Decimal(0),
    0, -1, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64 - 1, 2**64, 2**70, 10**400, -(10**400),
    0.1, 0.5, -0.0, 5e-324, 1e308, math.nan, math.inf, -math.inf,
    True, None, pd.NA, pd.NaT, 1j, Fraction(1, 3), Fraction(10**400), object(), [1], {}, b"1", b"\xff",
    datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), datetime.timedelta(1),
    np.float16(0.1), np.float32(0.1), np.longdouble("0.1"), np.longdouble("1e400"), np.uint64(2**64 - 1), np.int8(5),
    np.bool_(True), np.datetime64("2020-01-01"), np.timedelta64(1), np.complex128(1),
    "", "x", "1", "nan", "inf", "-inf", "1e400", "-1e400", "1e-400", "0x10", "1_0", "1e", "+", ".", "\u0663", "1;2",
    "true", "NULL", "NA", "1" * 400, "0." + "1" * 400, "+1", " 1", "1\t", "1\u00a0", '"1"', '""',
]  # fmt: skip


def nearest(cell: Any) -> float:
    """The float64 nearest to the number of a cell, through a fraction; infinite beyond the range, NaN for no number."""
    if isinstance(cell, np.generic):
        cell = _ratio(cell) if cell.dtype.kind in "biuf" else None
    if not isinstance(cell, int | float | Decimal | Fraction):
        return math.nan
    if isinstance(cell, float | Decimal) and not math.isfinite(0 if _signals(cell) else cell):
        return float(cell)
    try:
        return float(Fraction(cell))
    except OverflowError:
        return math.inf if cell > 0 else -math.inf
    except ValueError:
        return math.nan


def _signals(cell: Any) -> bool:
    return isinstance(cell, Decimal) and cell.is_snan()


def _ratio(cell: Any) -> Fraction | float:
    if cell.dtype.kind != "f":
        return Fraction(int(cell))
    return Fraction(*cell.as_integer_ratio()) if np.isfinite(cell) else float(cell)


def of_text(cell: Any) -> float:
    """The same for the text of a cell: decimal notation, and nothing else."""
    text = str(cell).strip(" \t").removeprefix('"').removesuffix('"')
    plain = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text)
    return nearest(Fraction(text)) if plain else math.nan


def bits(values: Floats) -> list[int]:
    """All that can be told of numbers: zero has no sign, and one NaN is as good as another."""
    return [int(number) for number in np.where(np.isnan(values), np.nan, values + 0.0).view(np.int64)]


def changed(
    source: Source, values: Cells, place: int, hostile: Any, folder: Path, rules: CellRules = NUMBERS_ALONE
) -> str | None:
    """What a hostile cell does to the others, if it does anything."""
    read = source.reading(values, folder, rules)
    after = source.reading([*values[:place], hostile, *values[place + 1 :]], folder, rules)
    if read is None or after is None:
        return None
    assert len(read) == len(after) == len(values)
    others = np.arange(len(values)) != place
    same = bits(read[others]) == bits(after[others])
    return None if same else f"{hostile!r} in row {place} of {values!r}: {read} became {after}"


def changes(source: Source, folder: Path) -> Iterator[str]:
    for values in COLUMNS:
        if source.reading(values, folder) is not None:
            found = (changed(source, values, len(values) // 2, hostile, folder) for hostile in HOSTILE)
            yield from filter(None, found)


@pytest.mark.parametrize("name", SOURCES)
def test_hostile_cell_changes_no_other(name: str, tmp_path: Path) -> None:
    assert list(changes(SOURCES[name], tmp_path)) == []


@pytest.mark.parametrize("name", [*OF_OBJECTS, "csv"])
def test_cell_becomes_the_nearest_float(name: str, tmp_path: Path) -> None:
    """Every hostile cell is read as well, but for texts that are no single field of a line."""
    definition = of_text if name == "csv" else nearest
    for values in [*COLUMNS, HOSTILE] if name in OF_OBJECTS else COLUMNS[-2:]:
        read = SOURCES[name].reading(values, tmp_path)
        assert read is not None
        assert bits(read) == bits(np.array([definition(value) for value in values]))


#: Types that hold these columns exactly, so that whatever is lost was lost by eremite.
EXACT = ["pandas", "pandas Arrow", "polars", "numpy", "pyarrow", "decimal128", "decimal256", "parquet", "feather"]


@pytest.mark.parametrize("name", EXACT)
def test_typed_column_becomes_the_nearest_floats(name: str, tmp_path: Path) -> None:
    readings = [(values, SOURCES[name].reading(values, tmp_path)) for values in COLUMNS]
    for values, read in readings:
        assert read is None or bits(read) == bits(np.array([nearest(value) for value in values]))
    assert readings[0][1] is not None  # the cents


NUMBERS = st.one_of(
    st.integers(-(2**80), 2**80),
    st.integers(-3, 3).map(lambda power: 10 ** (400 * power) if power > 0 else power),
    st.floats(),
    st.decimals(-(10**12), 10**12, places=2),
    st.decimals(-1, 1, places=20),
    st.decimals(),
    st.fractions(),
    st.booleans(),
)
ANY = st.one_of(NUMBERS, st.none(), st.text(max_size=3), st.binary(max_size=3), st.dates(), st.complex_numbers())


def attack(name: str, values: list[Any], place: int, hostile: Any) -> None:
    with TemporaryDirectory() as folder:
        assert changed(SOURCES[name], values, place % len(values), hostile, Path(folder)) is None


@given(st.sampled_from(list(OF_OBJECTS)), st.lists(ANY, min_size=2, max_size=6), st.integers(0, 5), ANY)
def test_any_cell_changes_no_other_among_objects(name: str, values: list[Any], place: int, hostile: Any) -> None:
    attack(name, values, place, hostile)


@given(
    st.sampled_from(["pandas", "polars", "numpy", "pyarrow", "pandas Arrow", "decimal256", "parquet", "sqlite"]),
    st.sampled_from([st.decimals(-(10**9), 10**9, places=3), st.integers(-(2**63), 2**64 - 1), st.floats()]).flatmap(
        lambda alike: st.lists(alike, min_size=2, max_size=6)
    ),
    st.integers(0, 5),
    st.one_of(NUMBERS, st.none()),
)
def test_any_number_changes_no_other_in_a_typed_column(name: str, values: list[Any], place: int, hostile: Any) -> None:
    attack(name, values, place, hostile)


FIELD = st.one_of(st.text("0123456789.eE+-", max_size=25), st.text("01.eEinfax_ \t+-", max_size=6), NUMBERS.map(str))


@given(st.lists(FIELD, min_size=2, max_size=6), st.integers(0, 5), FIELD)
def test_any_field_of_csv_changes_no_other(values: list[str], place: int, hostile: str) -> None:
    """Some fields let the quick way through and others do not; both read the same."""
    attack("csv", values, place, hostile)


@given(st.lists(FIELD, min_size=1, max_size=6), st.booleans())
def test_any_field_of_csv_is_read_as_defined(values: list[str], odd: bool) -> None:
    with TemporaryDirectory() as folder:
        read = SOURCES["csv"].reading([*values, *["0x1"] * odd], Path(folder))
    assert read is not None
    assert bits(read[: len(values)]) == bits(np.array([of_text(value) for value in values]))


LINE = st.text("1,\"'\\ \t;e.\x00\x0b\x1c\x85\u2028\ufeff\u00e9", max_size=8)


@given(st.lists(st.one_of(LINE, st.just("1,2"), st.just("3,-4.5")), min_size=1, max_size=5), st.integers(0, 4), LINE)
def test_any_line_of_csv_changes_no_other_row(lines: list[str], place: int, hostile: str) -> None:
    """A quote may swallow lines, and an empty line may be left out: then the file is refused as a whole."""
    place %= len(lines)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        readings = []
        for some in (lines, [*lines[:place], hostile, *lines[place + 1 :]]):
            path.write_text("\n".join(["a,b", *some, ""]), encoding="utf-8")
            readings.append(Source(lambda *_: path, from_file).reading([], path))
    if all(read is not None for read in readings):
        before, after = readings
        assert len(before) == len(after) == len(lines)
        assert bits(np.delete(before, place)) == bits(np.delete(after, place))


@pytest.mark.parametrize("values", COLUMNS[-2:])
def test_european_csv_is_read_as_defined_whatever_the_others_are(values: Cells, tmp_path: Path) -> None:
    read = EUROPEAN_CSV.reading(values, tmp_path)
    assert read is not None
    assert bits(read) == bits(np.array([of_text(value) for value in values]))
    found = (changed(EUROPEAN_CSV, values, len(values) // 2, hostile, tmp_path) for hostile in HOSTILE)
    assert not list(filter(None, found))


@pytest.mark.parametrize("letters", ["01.eE+- \t", "1naif.x_-"])
def test_both_ways_through_a_csv_file_read_every_short_field_alike(letters: str, tmp_path: Path) -> None:
    """L4: what the quick way takes, it reads as the text is read."""
    fields = ["".join(field) for width in range(4) for field in itertools.product(letters, repeat=width)]
    slowly = SOURCES["csv"].reading([*fields, "0x1"], tmp_path)  # the last field rules the quick way out
    assert slowly is not None
    assert bits(slowly[:-1]) == bits(np.array([of_text(field) for field in fields]))
    for field, slow in zip(fields, slowly, strict=False):
        quick = csv_files._read_quickly(text_file(csv([field], tmp_path), PLAIN), ["a", "b"], {"a": pa.float64()})
        assert quick is None or bits(cells.from_arrow(quick.column("a"))) == bits(np.array([slow])), field


def cast_by_arrow(column: pa.ChunkedArray) -> Floats:
    return np.asarray(pc.cast(column, pa.float64(), safe=False), dtype=np.float64)


def inferred_by_arrow(values: Any) -> Floats:
    return cast_by_arrow(pa.chunked_array([pa.array(list(values), from_pandas=True)]))


def all_or_nothing(values: Any) -> Floats:
    column = list(values)
    try:
        return np.array(column, dtype=np.float64)
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        return np.full(len(column), np.nan)


def text_of_few_digits(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.cast(pc.cast(cells_from_text(texts), pa.float32()), pa.float64())


cells_from_text = cells.from_text
MUTANTS: dict[str, tuple[str, Callable[[Any], Any], list[str]]] = {
    "Arrow's own cast of decimals": ("from_arrow", cast_by_arrow, ["pyarrow", "pandas Arrow", "polars", "parquet"]),
    "a type that Arrow infers": ("from_objects", inferred_by_arrow, ["lists", "pandas objects", "numpy objects"]),
    "one odd cell, all missing": ("from_objects", all_or_nothing, ["lists", "pandas objects", "masked", "structured"]),
    "another parser for odd files": ("from_text", text_of_few_digits, ["csv"]),
}


@pytest.mark.parametrize(
    ("mutant", "name"), [(mutant, name) for mutant, (_, _, names) in MUTANTS.items() for name in names]
)
def test_attack_catches(mutant: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, mutated, _ = MUTANTS[mutant]
    monkeypatch.setattr(cells, place, mutated)
    assert next(changes(SOURCES[name], tmp_path), None) is not None


def joined_by_arrow(path: Path, wanted: Sequence[str], *_: object) -> pa.Table:
    tables = [parquet_files.read(part, wanted) for part in parquet_folders.parts_of(path)]
    return or_table_error(lambda: pa.concat_tables(tables, promote_options="permissive"), "not joined")


def decimal_sign_of_the_column(writing: Writing, texts: pa.ChunkedArray) -> pa.ChunkedArray:
    points = pc.any(pc.match_substring(texts, ".")).as_py()
    return cells.from_text(texts if points else pc.replace_substring(texts, ",", "."))


def test_hostile_cell_in_a_file_of_its_own_changes_no_other(tmp_path: Path) -> None:
    for values in (CENTS, COLUMNS[3], COLUMNS[6]):
        found = (changed(PARTS, values, len(values) // 2, hostile, tmp_path) for hostile in HOSTILE)
        assert not list(filter(None, found))


def test_attack_catches_files_joined_by_arrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_folders, "read", joined_by_arrow)
    assert next(changes(PARTS, tmp_path), None) is not None


def test_attack_catches_a_decimal_sign_that_is_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Writing, "numbers", decimal_sign_of_the_column)
    path = tmp_path / "rows.csv"
    readings = []
    for hostile in ("2,5", "2.5"):
        path.write_text(f"a;b\n1,5;1\n{hostile};1\nx;1\n", encoding="utf-16")
        readings.append(read_file(path, ["a"], Writing(";", ",", "utf-16")).column("a")[0].as_py())
    assert readings[0] != readings[1]


# Rules for ordinary cells. Every hostile cell follows a rule, so that no table is refused for one.
DAY = datetime.date
TIME = datetime.datetime
WITH_DAYS = {"a": (DAY(2020, 1, 1), DAY(2021, 1, 1))}
RULES: dict[str, CellRules] = {
    "fill": CellRules.of({"a": (0, 100)}, missing={"a": 12.5}, missing_values=["NA", "-999"]),
    "leave-out": CellRules.of({"a": (0, 100)}, missing={"a": "leave-out"}, missing_values=["-999"]),
    "booleans": CellRules.of({"a": (False, True)}, missing={"a": "leave-out"}),
    "dates": CellRules.of(WITH_DAYS, missing={"a": "leave-out"}, missing_values=["2020-02-02"]),
    "dates in a zone": CellRules.of(WITH_DAYS, missing={"a": DAY(2020, 5, 5)}, time_zone="Europe/Berlin"),
    "categories": CellRules.of(
        {"b": (0, 1)},
        categories={"a": Categories(("B", "A", 1, 30), "keep", "leave-out")},
        missing_values=["NA", "-999"],
    ),
}
WORDS = ["A", "B", "1", " 1.0 ", "", "zz", "yes", "0"]
WHOLE = [1, 30, -999, 0, None, 1]
DATES = [DAY(2020, 3, 1), DAY(2020, 2, 2), None, DAY(2022, 1, 1)]
TIMES = [TIME(2020, 3, 1, 12, 0, 0, 1), TIME(2020, 2, 2), TIME(2020, 6, 1, 0, 30), TIME(2100, 12, 31)]
ISO = ["2020-03-01", "2020-03-01T12:00", "2020-02-02", "03.01.2020", "2020-03-01T12:00+09:00"]
ORDINARY: dict[str, list[Cells]] = {
    "fill": [WORDS, WHOLE, [1.5, 0.1, -999.0, None], [Decimal("0.1"), Decimal("57.58"), Decimal(-999)]],
    "leave-out": [WORDS, [1.5, 0.1, -999.0, None]],
    "booleans": [WORDS, WHOLE, [True, False, None, True]],
    "dates": [DATES, TIMES, ISO],
    "dates in a zone": [TIMES, ISO],
    "categories": [WORDS, WHOLE, [True, False, True]],
}
HOSTILE_TO_RULES: Cells = [
    None, math.nan, 0, 7, -999, 10**400, 0.5, True, Decimal("12.3456"), "", "NA", "B", "01", "-999.0", "inf", b"\xff",
    object(), TIME(2020, 6, 1, 1, 2, 3, 4), TIME(9000, 1, 1), np.datetime64("2020-06-01T00:00:00.000000001"),
    "2020-06-01T00:00:00.123456789Z", "01.06.2020", "20200601",
]  # fmt: skip
# Arrow cuts off times if one of them is a date, and takes all to be in UTC if one of them is.
HOSTILE_AMONG_OBJECTS: Cells = [*HOSTILE_TO_RULES, DAY(2020, 1, 1), TIME(2020, 6, 1, tzinfo=datetime.UTC), pd.NaT, [1]]
ORDINARY_SOURCES = SOURCES | {
    "folder of parquet": PARTS,
    "pandas category": Source(lambda values, _: pd.DataFrame({"a": pd.Series(list(values), dtype="category")})),
    "polars Categorical": Source(lambda values, _: pl.DataFrame({"a": pl.Series(list(values), dtype=pl.Categorical)})),
    "Arrow dictionary": Source(lambda values, _: pa.table({"a": pa.array(list(values)).dictionary_encode()})),
    "timestamp[ns]": arrow(pa.timestamp("ns")),
    "timestamp[s, UTC]": arrow(pa.timestamp("s", "UTC")),
    "datetime64": Source(lambda values, _: np.array(list(values), dtype="datetime64")[:, None], by_place),
}


def ordinary_changes(name: str, source: Source, folder: Path) -> Iterator[str]:
    odd = HOSTILE_AMONG_OBJECTS if source in OF_OBJECTS.values() else HOSTILE_TO_RULES
    for values in ORDINARY[name]:
        read = source.reading(values, folder, RULES[name])
        for hostile in odd if read is not None else ():
            after = source.reading([hostile, *values[1:]], folder, RULES[name])
            if read is not None and after is not None and bits(read[1:]) != bits(after[1:]):
                yield f"{hostile!r} in row 0 of {values!r}: {read} became {after}"


@pytest.mark.parametrize("source", ORDINARY_SOURCES)
def test_hostile_cell_changes_no_other_under_any_rule(source: str, tmp_path: Path) -> None:
    assert [found for name in RULES for found in ordinary_changes(name, ORDINARY_SOURCES[source], tmp_path)] == []


GRID = [(number, ward) for number in (0.25, 1.0, None, "x") for ward in ("A", "B", None, "z")]


def rows_of(rows: Cells, **facts: Any) -> dict[int, tuple[float, int]]:
    """The point and the stratum of each row that takes part, by its number."""
    data = {"a": [number for number, _ in rows], "w": [ward for _, ward in rows]}
    wards = Categories(("B", "A"), other="keep", missing="leave-out")
    table = Table.from_frame(data, {"a": (0, 1)}, categories={"w": wards}, missing={"a": "leave-out"}, **facts)
    part = table.part(["a"], ["w"])
    codes = np.repeat(part.strata, np.diff(part.starts))
    return dict(zip(part.places.tolist(), zip(part.points.ravel().tolist(), codes.tolist(), strict=True), strict=True))


def test_one_row_changes_its_own_part_alone() -> None:
    """All tables of two rows: a row is in the part as it is alone, whatever the other row is."""
    alone = [rows_of([row]).get(0) for row in GRID]
    for first, second in itertools.product(range(len(GRID)), repeat=2):
        expected = {0: alone[first], 1: alone[second]}
        assert rows_of([GRID[first], GRID[second]]) == {i: row for i, row in expected.items() if row is not None}
    assert sum(row is None for row in alone) == 10


def codes_as_they_come(lookup: Any, column: Any) -> Any:
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(str(cell), len(seen)) for cell in column], dtype=np.int32)


def filled_with_the_mean(rules: CellRules, name: str, values: Floats) -> Floats:
    return np.where(np.isnan(values), np.mean([0.0, *values[np.isfinite(values)]]), values)


def days_since_the_first(column: Any, zone: Any, spellings: Any) -> Any:
    found = days_of(column, zone, spellings)
    return None if found is None else found - np.nanmin(found)


def unit_by_the_largest(ticks: Any, unit: str, step: int = 1) -> Any:
    return microseconds_of(ticks, "s" if np.abs(ticks).max(initial=0) < 10**11 else "us")


days_of, microseconds_of = dates.days_of, dates._microseconds
ORDINARY_MUTANTS: dict[str, tuple[Any, str, Callable[..., Any], str, list[str]]] = {
    "codes in the order of rows": (
        Lookup,
        "codes",
        codes_as_they_come,
        "categories",
        ["lists", "csv", "polars", "sqlite"],
    ),
    "filled with the mean": (CellRules, "_filled", filled_with_the_mean, "fill", ["lists", "csv", "pandas", "parquet"]),
    "dates since the first": (
        rules_module,
        "days_of",
        days_since_the_first,
        "dates",
        ["lists", "csv", "polars", "parquet"],
    ),
    "unit of times inferred": (dates, "_microseconds", unit_by_the_largest, "dates", ["timestamp[s, UTC]"]),
}


@pytest.mark.parametrize(
    ("mutant", "source"), [(mutant, source) for mutant, (*_, sources) in ORDINARY_MUTANTS.items() for source in sources]
)
def test_attack_on_rules_catches(mutant: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, place, mutated, name, _ = ORDINARY_MUTANTS[mutant]
    monkeypatch.setattr(owner, place, mutated)
    assert next(ordinary_changes(name, ORDINARY_SOURCES[source], tmp_path), None) is not None


def test_attack_catches_files_of_times_and_numbers_joined_as_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes a file may have made times of its numbers; one file alone is then refused by its type."""
    common = parquet_folders._common
    texts = lambda kinds, as_text: pa.string() if as_text and len(set(kinds)) > 1 else common(kinds, as_text)  # noqa: E731
    monkeypatch.setattr(parquet_folders, "_common", lambda kinds, as_text: texts(list(kinds), as_text))
    assert next((found for name in RULES for found in ordinary_changes(name, PARTS, tmp_path)), None) is not None
