"""Batches of a file hold what the whole file holds, cell by cell."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyarrow import feather, ipc

from eremite.errors import TableError
from eremite.table import Description, batches, opening, read_description
from eremite.table.batches import Pieces, shape_of
from eremite.table.categories import Categories
from eremite.table.files import read_file
from eremite.table.rules import CellRules
from tests.refusals import refused

START = datetime(2021, 3, 28, tzinfo=ZoneInfo("Europe/Berlin"))
TABLE = pa.table(
    {
        "float": pa.array([1.5, None, float("nan"), -0.0, 1e300, 2.0, float("-inf")]),
        "integer": pa.array([2**53 + 1, None, 3, 4, 5, 6, 7]),
        "decimal": pa.array([Decimal(f"{i}.1") if i != 4 else None for i in range(7)], pa.decimal128(9, 3)),
        "truth": pa.array([True, False, None, True, False, True, False]),
        "instant": pa.array([START + timedelta(minutes=50 * i) for i in range(7)], pa.timestamp("ms", "Europe/Berlin")),
        "day": pa.array([date(2020, 1, 1 + i) for i in range(7)]),
        "written": pa.array(["1", " 2.5", "no", None, "", "NA", "7"], pa.large_string()),
        "coded": pa.array(["9", "x", "9", None, "8", "8", "NA"]).dictionary_encode(),
        "ward": pa.array(["A", "B", "A", None, "C", " A", "B"]).dictionary_encode(),
        "grade": pa.array([1, 2, 1, 2, None, 3, 1], pa.int8()),
        "not asked for": pa.array(list("abcdefg")),
    }
)
RULES = CellRules.of(
    {
        **dict.fromkeys(("float", "integer", "decimal", "written", "coded"), (0, 10)),
        "truth": (False, True),
        "instant": (datetime(2021, 3, 1), datetime(2021, 4, 1)),
        "day": (date(2020, 1, 1), date(2020, 2, 1)),
    },
    {
        **dict.fromkeys(("float", "integer", "written", "coded"), "leave-out"),
        "decimal": 4,
        "truth": True,
        "ward": "leave-out",
        "grade": 2,
    },
    {"ward": Categories(("B", "A"), other="keep"), "grade": [1, 2, 3]},
    ["NA"],
    "America/New_York",
)
WANTED = [*RULES.bounds, *RULES.categories]


def as_parquet(folder: Path) -> Path:
    pyarrow.parquet.write_table(TABLE, folder / "t.parquet", row_group_size=3)
    return folder / "t.parquet"


def as_one_row_group(folder: Path) -> Path:
    pyarrow.parquet.write_table(TABLE, folder / "t.parquet", use_dictionary=False, compression="zstd")
    return folder / "t.parquet"


def as_empty_row_groups(folder: Path) -> Path:
    with pyarrow.parquet.ParquetWriter(folder / "t.parquet", TABLE.schema) as writer:
        for some in (TABLE[:0], TABLE[:2], TABLE[:0], TABLE[2:], TABLE[:0]):
            writer.write_table(some)
    return folder / "t.parquet"


def as_no_rows(folder: Path) -> Path:
    pyarrow.parquet.write_table(TABLE[:0], folder / "t.parquet")
    return folder / "t.parquet"


def as_arrow(folder: Path) -> Path:
    with ipc.new_file(folder / "t.arrow", TABLE.schema) as writer:
        writer.write_table(TABLE.unify_dictionaries(), max_chunksize=3)
    return folder / "t.arrow"


def as_stream(folder: Path) -> Path:
    with ipc.new_stream(folder / "t.arrow", TABLE.schema) as writer:
        for some in (TABLE[:3], TABLE[:0], TABLE[3:]):
            writer.write_table(some)
    return folder / "t.arrow"


def as_feather(folder: Path) -> Path:
    feather.write_feather(TABLE, folder / "t.feather", "lz4", chunksize=4)
    return folder / "t.feather"


def as_folder(folder: Path) -> Path:
    """Files that declare other types, an empty one, and one whose values are all missing."""
    others = {"float": pa.float32(), "ward": pa.string(), "grade": pa.string(), "truth": pa.int8()}
    plain = pa.table(
        {
            name: column.cast(others.get(name, column.type))
            for name, column in zip(TABLE.column_names, TABLE.columns, strict=True)
        }
    )
    dates = {name: TABLE[name][:2] for name in ("instant", "day")}  # they have no rule for missing cells
    missing = pa.table({name: dates.get(name, pa.nulls(2)) for name in TABLE.column_names})
    for name, part in zip("abcde", (TABLE[:3], plain[3:5], TABLE[:0], missing, TABLE[5:]), strict=True):
        pyarrow.parquet.write_table(part, folder / f"{name}.parquet", row_group_size=2)
    return folder / "*.parquet"


WAYS = [as_parquet, as_one_row_group, as_empty_row_groups, as_no_rows, as_arrow, as_stream, as_feather, as_folder]


def cells_of(table: pa.Table) -> dict[str, list[int]]:
    """What the rules make of every cell, to the last bit."""
    numbers = RULES.numbers({name: table.column(name) for name in RULES.bounds}, "here")
    codes = RULES.codes({name: table.column(name) for name in RULES.categories}, "here")
    return {n: v.view(np.int64).tolist() for n, v in numbers.items()} | {n: v.tolist() for n, v in codes.items()}


@pytest.mark.parametrize("most", [1, 2, 100])
@pytest.mark.parametrize("write", WAYS)
def test_batches_hold_the_cells_of_the_whole(write: Callable[[Path], Path], most: int, tmp_path: Path) -> None:
    path = write(tmp_path)
    whole, table = read_file(path, WANTED, as_text=RULES.as_text), Pieces.of(path, WANTED, RULES.as_text)
    found: dict[str, list[int]] = {name: [] for name in WANTED}
    for piece in table.pieces:
        for batch in table.batches(piece, most):
            assert 0 < batch.num_rows <= most
            assert batch.schema == table.schema
            for name, values in cells_of(batch).items():
                found[name] += values
    assert found == cells_of(whole)
    assert [table.schema.field(name).type for name in WANTED] == [whole.schema.field(name).type for name in WANTED]


@pytest.mark.parametrize("write", WAYS)
def test_scaled_rows_are_those_of_the_whole_file(write: Callable[[Path], Path], tmp_path: Path) -> None:
    path = write(tmp_path)
    whole = read_file(path, WANTED, as_text=RULES.as_text)
    scaled, codes = Pieces.of(path, WANTED, RULES.as_text).scaled(RULES, "here")
    wanted, listed = RULES.rows({name: whole.column(name) for name in WANTED}, "here")
    assert scaled.tobytes() == wanted.tobytes()
    assert {name: some.tolist() for name, some in codes.items()} == {n: some.tolist() for n, some in listed.items()}


@pytest.mark.parametrize("off_by", [-1, 1])
def test_file_with_other_rows_than_it_says_is_refused(
    off_by: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise rows of the result would hold what memory held before."""
    table = Pieces.of(as_parquet(tmp_path), WANTED, RULES.as_text)
    rows = batches.rows_of
    monkeypatch.setattr(batches, "rows_of", lambda piece: rows(piece) + off_by)
    with pytest.raises(TableError, match="changed while it was read"):
        table.scaled(RULES, "here")


@pytest.mark.parametrize("write", WAYS)
def test_shape_is_known_without_reading(write: Callable[[Path], Path], tmp_path: Path) -> None:
    path = write(tmp_path)
    rows = read_file(path, WANTED, as_text=RULES.as_text).num_rows
    assert shape_of(path) == (rows, len(TABLE.column_names))


def test_large_files_have_few_pieces_that_hold_all_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"a": range(100)}), path, row_group_size=1)
    table = Pieces.of(path, ["a"])
    assert len(table.pieces) == 16
    batches = [batch for piece in table.pieces for batch in table.batches(piece)]
    assert pa.concat_tables(batches).column("a").to_pylist() == list(range(100))


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.xlsx"])
def test_texts_and_workbooks_are_not_read_in_pieces(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("a\n1\n")
    sentence = refused(lambda: Pieces.of(tmp_path / name, ["a"]))
    assert "cannot be read piece by piece; write it as a Parquet file" in sentence
    assert shape_of(tmp_path / name) is None


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_what_is_no_such_file_is_refused_as_it_is_as_a_whole(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{ending}"
    assert refused(lambda: Pieces.of(path, ["a"])) == refused(lambda: read_file(path, ["a"]))
    path.write_text("SECRETCELL")
    assert refused(lambda: Pieces.of(path, ["a"])) == refused(lambda: read_file(path, ["a"]))
    assert refused(lambda: shape_of(path)) == refused(lambda: read_file(path, ["a"]))


@pytest.mark.parametrize("write", WAYS)
def test_absent_columns_are_named_before_a_row_is_read(write: Callable[[Path], Path], tmp_path: Path) -> None:
    path = write(tmp_path)
    assert refused(lambda: Pieces.of(path, ["b"])) == refused(lambda: read_file(path, ["b"]))


def test_types_that_do_not_fit_together_are_refused_before_a_row_is_read(tmp_path: Path) -> None:
    for name, values in {"x": [1.0], "y": ["SECRETCELL"]}.items():
        pyarrow.parquet.write_table(pa.table({"a": values}), tmp_path / f"{name}.parquet")
    assert refused(lambda: Pieces.of(tmp_path, ["a"])) == refused(lambda: read_file(tmp_path, ["a"]))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_a_file_that_is_broken_in_the_middle_raises_the_sentence_of_the_whole(ending: str, tmp_path: Path) -> None:
    path, rows = tmp_path / f"t.{ending}", pa.table({"a": np.arange(40000) % 977 / 7})
    if ending == "parquet":
        pyarrow.parquet.write_table(rows, path, row_group_size=10000, compression="zstd", use_dictionary=False)
    else:
        feather.write_feather(rows, path, "zstd", chunksize=10000)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 2000] = bytes(2000)
    path.write_bytes(content)
    table = Pieces.of(path, ["a"])

    def read() -> None:
        for piece in table.pieces:
            for batch in table.batches(piece, 1000):
                assert batch.num_rows == 1000

    assert refused(read) == refused(lambda: read_file(path, ["a"]))
    with pytest.raises(TableError):
        read()


def test_a_file_that_is_written_anew_is_not_read_on(tmp_path: Path) -> None:
    path = as_parquet(tmp_path)
    table = Pieces.of(path, WANTED, RULES.as_text)
    read = table.batches(table.pieces[0], 1)
    next(read)
    pyarrow.parquet.write_table(TABLE[:2], path)
    assert f"{path} changed while it was read" in refused(lambda: next(read))
    path.unlink()
    assert "does not exist" in refused(lambda: next(table.batches(table.pieces[0])))


def test_table_in_pieces_is_opened_without_a_copy_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow.parquet.write_table(pa.table({"a": [0.0, 5.0, 10.0], "b": [1.0, 2.0, 3.0]}), tmp_path / "t.parquet")
    description = described(tmp_path)
    monkeypatch.setattr(opening, "read_file", None)
    assert opening.open_table(description).points().tolist() == [[0, 0.1], [0.5, 0.2], [1, 0.3]]


def test_refused_table_in_pieces_is_read_as_a_whole_so_that_all_columns_are_named(tmp_path: Path) -> None:
    cells = {"a": [None, 1.0, 2.0], "b": [1.0, 2.0, None]}
    pyarrow.parquet.write_table(pa.table(cells), tmp_path / "t.parquet", row_group_size=1)
    description = described(tmp_path)
    assert refused(lambda: opening.open_table(description)).count("missing or not a number") == 2


def described(folder: Path, ending: str = "parquet") -> Description:
    path = folder / "t.toml"
    columns = "\n".join(f"{name} = {{ min = 0, max = 10 }}" for name in "ab")
    path.write_text(f'[dataset]\nname = "t"\nsource = "t.{ending}"\n\n[columns]\n{columns}\n')
    return read_description(path)


@pytest.mark.parametrize("write", [pyarrow.parquet.write_table, feather.write_feather])
def test_type_is_refused_in_a_file_without_rows_as_in_one_with_rows(write: Any, tmp_path: Path) -> None:
    """Otherwise it would depend on the number of rows, which may be private, whether a table is opened."""
    ending = "parquet" if write is pyarrow.parquet.write_table else "arrow"
    said = set()
    for rows in (0, 1):
        columns = {"a": pa.array([START] * rows, pa.timestamp("ms")), "b": pa.array([1.0] * rows)}
        write(pa.table(columns), tmp_path / f"t.{ending}")
        said.add(refused(partial(opening.open_table, described(tmp_path, ending))))
    assert len(said) == 1
