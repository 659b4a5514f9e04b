"""Checks that a CSV file, plain or gzipped, has one row on each line and the same number of fields in each row."""

import csv
import gzip
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from eremite.errors import TableError
from eremite.table.numeric import counted

BLOCK_BYTES = 1 << 23  # the block that Arrow reads at once, and so the longest row that can be read
COUNTED_BYTES = 1 << 16  # counting lines is five times as fast if a block fits into the cache
LF, CR = b"\n\r"
REPAIR = "a quote is left open or a quoted field holds a line break; put every row on one line."


def line_count(path: Path) -> int:
    """The number of lines below the first, including empty ones. LF, CR and CR LF end a line, as they do for Arrow."""
    lines, before = 0, LF
    with _opened(path, "rb") as file:
        while block := file.read(COUNTED_BYTES):
            lines += _line_starts(bytes([before]) + block)
            before = block[-1]
    return max(lines - 1, 0)


def _line_starts(block: bytes) -> int:
    """The number of lines that start in a block, whose first byte is the last one of the block before."""
    codes = np.frombuffer(block, dtype=np.uint8)
    before, here = codes[:-1], codes[1:]
    return int(np.count_nonzero((before == LF) | ((before == CR) & (here != LF))))


def require_row_a_line(path: Path, lines: int, rows: int) -> None:
    """Refuse a file with fewer rows than lines: a quoted field holds line breaks."""
    if rows != lines:
        raise TableError(f"{path} has {counted(lines, 'line')} of data that read as {counted(rows, 'row')}: {REPAIR}")


def require_even_rows(path: Path, lines: int, width: int) -> None:
    """Refuse rows that do not have `width` fields.

    Counted with the slower `csv` module: Arrow's handler for such rows prints those that are not UTF-8.
    """
    widths = _widths(path)
    if widths is None:
        raise TableError(f"{path} has a field longer than {BLOCK_BYTES >> 20} MB: {REPAIR}")
    require_row_a_line(path, lines, widths.total() - 1)
    uneven = widths.total() - widths[0] - widths[width]  # an empty line is a row of missing values
    if uneven:
        raise TableError(
            f"In {path}, {counted(uneven, 'row')} {'does' if uneven == 1 else 'do'} not have the "
            f"{counted(width, 'field')} of the first line; repair such lines, "
            "or quote the fields that hold commas."
        )


def _widths(path: Path) -> Counter[int] | None:
    """How many rows, including the first, have each number of fields; None if a field is too long."""
    try:
        with opened_text(path) as file:
            return Counter(map(len, csv.reader(file)))
    except csv.Error:
        return None


@contextmanager
def opened_text(path: Path) -> Iterator[IO[str]]:
    """The file as text for `csv.reader`, which accepts fields as long as Arrow does while the file is open."""
    limit = csv.field_size_limit(BLOCK_BYTES)
    try:
        with _opened(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            yield file
    finally:
        csv.field_size_limit(limit)


def _opened(path: Path, mode: str, **how: str) -> IO[Any]:
    opener: Any = gzip.open if path.name.lower().endswith(".gz") else open
    file: IO[Any] = opener(path, mode, **how)
    return file
