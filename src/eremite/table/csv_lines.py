"""The lines of a CSV file, plain or gzipped, and the rows on them: one row a line, as many fields in each."""

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

BLOCK_BYTES = 1 << 23  # what Arrow reads at once; also the longest row that can be read
COUNTED_BYTES = 1 << 16  # lines are counted five times as fast where a block stays in the cache
LF, CR = b"\n\r"
REPAIR = "a quote is left open or a quoted field holds a line break; put every row on one line."


def line_count(path: Path) -> int:
    """Lines below the first, the empty ones included.

    LF, CR and CR LF end a line, as they do for the reader of the rows.
    """
    lines, before = 0, LF
    with _opened(path, "rb") as file:
        while block := file.read(COUNTED_BYTES):
            lines += _line_starts(bytes([before]) + block)
            before = block[-1]
    return max(lines - 1, 0)


def _line_starts(block: bytes) -> int:
    """Lines that start in a block; its first byte is the last one of the block before."""
    codes = np.frombuffer(block, dtype=np.uint8)
    before, here = codes[:-1], codes[1:]
    return int(np.count_nonzero((before == LF) | ((before == CR) & (here != LF))))


def require_row_a_line(path: Path, lines: int, rows: int) -> None:
    """Refuse a file whose rows are not its lines: a quote has swallowed the others."""
    if rows != lines:
        raise TableError(f"{path} has {counted(lines, 'line')} of data that read as {counted(rows, 'row')}: {REPAIR}")


def require_even_rows(path: Path, lines: int, width: int) -> None:
    """Refuse rows of other than `width` fields; counted slowly, as Arrow's own handler prints rows not in UTF-8."""
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
    """How many rows, the first included, have how many fields; None where a field is too long."""
    try:
        with opened_text(path) as file:
            return Counter(map(len, csv.reader(file)))
    except csv.Error:
        return None


@contextmanager
def opened_text(path: Path) -> Iterator[IO[str]]:
    """The text for `csv.reader`, which takes fields as long as Arrow does meanwhile."""
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
