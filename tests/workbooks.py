"""Excel workbooks for tests, which are skipped where no library writes or reads them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest


def write_sheet(columns: Mapping[str, Sequence[object]], path: str | Path, sheet: str = "Data") -> None:
    """A workbook whose first sheet has these columns; a text that begins with = is a formula, #N/A an error."""
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl, which writes workbooks, is not installed")
    pytest.importorskip("python_calamine", reason="python-calamine, which reads workbooks, is not installed")
    book = openpyxl.Workbook()
    book.active.title = sheet
    for row in (list(columns), *zip(*columns.values(), strict=True)):
        book.active.append(row)
    book.create_sheet("Notes").append(["SECRETCELL"])
    book.save(path)
