from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest

from eremite.table.files import file_schema, read_file
from eremite.table.writing import Writing
from tests.refusals import refused
from tests.workbooks import write_sheet

CELLS: dict[str, list[Any]] = {
    " any ": [1.5, "12", True, None, "#N/A", date(2020, 1, 31), 2**53 + 1, "SECRETCELL"],
    "text": [3, 0.1, False, None, "#DIV/0!", datetime(2020, 1, 31, 12, 30), " B ", time(3, 4)],
}


def test_excel_cells_are_read_one_by_one(tmp_path: Path) -> None:
    write_sheet(CELLS, tmp_path / "t.xlsx")
    table = read_file(tmp_path / "t.xlsx", ["any", "text"], as_text=["text"])
    assert table.column("any").to_pylist() == [1.5, 12.0, 1.0, None, None, None, 2.0**53, None]
    texts = ["3", "0.1", "false", None, None, "2020-01-31T12:30:00", " B ", "03:04:00"]
    assert table.column("text").to_pylist() == texts


def test_excel_cell_changes_no_other(tmp_path: Path) -> None:
    """Whatever the other cells are, each becomes what it becomes alone."""
    together = [*CELLS[" any "], *CELLS["text"]]
    write_sheet({"a": together, "b": [1] * len(together)}, tmp_path / "t.xlsx")
    for as_text in ([], ["a"]):
        whole = read_file(tmp_path / "t.xlsx", ["a"], as_text=as_text).column("a").to_pylist()
        for cell, found in zip(together, whole, strict=True):
            write_sheet({"a": [cell], "b": [1]}, tmp_path / "one.xlsx")
            assert read_file(tmp_path / "one.xlsx", ["a"], as_text=as_text).column("a").to_pylist() == [found]


def test_excel_empty_row_is_a_row_of_missing_values(tmp_path: Path) -> None:
    write_sheet({"a": [1, None, 3], "b": ["x", None, "z"]}, tmp_path / "t.xlsx")
    assert read_file(tmp_path / "t.xlsx", ["a"]).column("a").to_pylist() == [1.0, None, 3.0]


def test_excel_sheet_is_the_first_or_the_declared_one(tmp_path: Path) -> None:
    write_sheet({"a": [1]}, tmp_path / "t.xlsx", sheet="Daten")
    for writing in (Writing(), Writing(sheet="Daten")):
        assert read_file(tmp_path / "t.xlsx", ["a"], writing).column("a").to_pylist() == [1.0]
    sentence = refused(lambda: read_file(tmp_path / "t.xlsx", ["a"], Writing(sheet="Data")))
    assert "has no sheet 'Data', but 'Daten' and 'Notes'; correct dataset.sheet." in sentence


def test_excel_without_names_shows_no_row(tmp_path: Path) -> None:
    write_sheet({"SECRETCELL": [1], "31337.4242": [2]}, tmp_path / "t.xlsx")
    for action in (lambda: file_schema(tmp_path / "t.xlsx"), lambda: read_file(tmp_path / "t.xlsx", ["a"])):
        assert "does not look like column names" in refused(action)


def test_excel_file_that_is_none_is_named(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    (tmp_path / "t.xlsx").write_bytes(b"SECRETCELL,31337.4242\n")
    assert "t.xlsx cannot be read as an Excel workbook" in refused(lambda: read_file(tmp_path / "t.xlsx", ["a"]))


def test_excel_without_its_reader_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"")
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    assert "pip install 'eremite[excel]'" in refused(lambda: read_file(tmp_path / "t.xlsx", ["a"]))
