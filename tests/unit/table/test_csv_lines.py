import re
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from eremite.table import csv_lines
from eremite.table.text_files import text_file
from eremite.table.writing import PLAIN, Writing


def lines_by_definition(text: str) -> int:
    """Lines below the first."""
    lines = re.split(r"\r\n|\r|\n", text)
    if lines[-1] == "":
        lines.pop()  # a line break ends a line and starts none
    return max(len(lines) - 1, 0)


@given(st.text('a,"\r\n'), st.integers(1, 5))
def test_line_count_is_as_defined_however_the_file_is_cut(text: str, at_once: int) -> None:
    with TemporaryDirectory() as folder, patch.object(csv_lines, "COUNTED_BYTES", at_once):
        path = Path(folder) / "people.csv"
        path.write_bytes(text.encode())
        assert csv_lines.line_count(text_file(path, PLAIN)) == lines_by_definition(text)
        path.write_bytes(text.encode("utf-16"))
        assert csv_lines.line_count(text_file(path, Writing(encoding="utf-16"))) == lines_by_definition(text)
