from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from eremite.table.files import file_schema, read_file
from tests.refusals import refused


def write(path: Path, **columns: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.table(columns), path)


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """Numbers and texts of a type of its own in each file; the rows are 1 to 5, by the names of the files."""
    folder = tmp_path / "[all] parts"
    write(folder / "2.parquet", a=[3, None], ward=["A", None], note=[1, 2])
    write(folder / "10.parquet", a=[1.0, 2.5], ward=pa.array(["A", "B"]).dictionary_encode(), note=["x", "y"])
    write(folder / "3.parquet", a=[Decimal("0.1")], ward=pa.nulls(1), note=["SECRETCELL"])
    write(folder / "deeper" / "4.parquet", a=[True], ward=["B"], note=["z"])
    (folder / "_SUCCESS").write_text("")
    write(folder / "_old.parquet", a=[7.0])
    return folder


ROWS = {"a": [1.0, 2.5, 3.0, None, 0.1], "ward": ["A", "B", "A", None, None]}


def test_folder_of_parquet_is_one_table_by_name(parts: Path) -> None:
    for path in (parts, parts / "*.parquet", parts / "[0-9]*.parquet"):
        assert read_file(path, ["a", "ward"], as_text=["ward"]).to_pydict() == ROWS
    deep = read_file(parts / "**" / "*.parquet", ["a"]).column("a").to_pylist()
    assert sorted(deep, key=str) == sorted([*ROWS["a"], 1.0], key=str)


def test_folder_of_parquet_keeps_a_type_that_all_files_have(tmp_path: Path) -> None:
    for name in "xy":
        write(tmp_path / "p" / f"{name}.parquet", a=pa.array([1], pa.int8()))
    assert read_file(tmp_path / "p", ["a"]).schema.field("a").type == pa.int8()
    assert file_schema(tmp_path / "p").field("a").type == pa.int8()


def test_folder_of_parquet_refuses_numbers_mixed_with_texts(parts: Path) -> None:
    sentence = refused(lambda: read_file(parts, ["note"]))
    assert "Column 'note' has types that do not fit together in the files of" in sentence
    assert [str(kind) for kind in file_schema(parts).types] == ["double", "string", "string"]


def test_folder_of_parquet_demands_the_columns_of_every_file(parts: Path) -> None:
    write(parts / "5.parquet", a=[1.0])
    assert "Column 'ward' is not in" in refused(lambda: read_file(parts, ["ward"]))
    assert "have different columns" in refused(lambda: file_schema(parts))


def test_folder_without_parquet_is_named(tmp_path: Path) -> None:
    assert "is a folder without .parquet files" in refused(lambda: read_file(tmp_path, ["a"]))
    assert "No file fits the pattern" in refused(lambda: read_file(tmp_path / "*.parquet", ["a"]))
