"""Checks that a CSV file has one row on each line and the same number of fields in each row.

The errors show no number of rows: with neighbors that come and go it is private.
"""

import csv
from collections import Counter

import numpy as np

from eremite.errors import TableError
from eremite.table.numeric import counted
from eremite.table.text_files import BLOCK_BYTES, TextFile

COUNTED_BYTES = 1 << 16  # counting lines is five times as fast if a block fits into the cache
LF, CR = b"\n\r"
REPAIR = "a quote is left open or a quoted field holds a line break; put every row on one line."


def line_count(file: TextFile) -> int:
    """The number of lines below the first, including empty ones. LF, CR and CR LF end a line, as they do for Arrow."""
    lines, before = 0, LF
    with file.opened() as stream:
        while block := stream.read(COUNTED_BYTES):
            lines += _line_starts(bytes([before]) + block)
            before = block[-1]
    return max(lines - 1, 0)


def _line_starts(block: bytes) -> int:
    """The number of lines that start in a block, whose first byte is the last one of the block before."""
    codes = np.frombuffer(block, dtype=np.uint8)
    before, here = codes[:-1], codes[1:]
    return int(np.count_nonzero((before == LF) | ((before == CR) & (here != LF))))


def require_row_a_line(file: TextFile, lines: int, rows: int) -> None:
    """Refuse a file with fewer rows than lines: a quoted field holds line breaks."""
    if rows != lines:
        raise TableError(f"In {file.path}, some row has more than one line: {REPAIR}")


def require_even_rows(file: TextFile, lines: int, width: int) -> None:
    """Refuse rows that do not have `width` fields.

    Counted with the slower `csv` module: Arrow's handler for such rows prints those that are not UTF-8.
    """
    widths = _widths(file)
    if widths is None:
        raise TableError(f"{file.path} has a field longer than {BLOCK_BYTES >> 20} MB: {REPAIR}")
    require_row_a_line(file, lines, widths.total() - 1)
    if not set(widths) <= {0, width}:  # an empty line is a row of missing values
        raise TableError(
            f"In {file.path}, some row does not have the {counted(width, 'field')} of the first line; repair such "
            f"lines, or quote the fields that hold the separator {file.separator!r}."
        )


def _widths(file: TextFile) -> Counter[int] | None:
    """How many rows, including the first, have each number of fields; None if a field is too long."""
    try:
        with file.opened_text() as text:
            return Counter(map(len, csv.reader(text, delimiter=file.separator)))
    except csv.Error:
        return None
