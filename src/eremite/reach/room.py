"""How much memory a count of bounded reach may take here, from public facts alone.

The slots, lists and buffers of the search for heavy covers have limits, whatever the rows are. The solver comes on top,
with what crowds; that depends on the rows, and is little unless most of them crowd.
"""

from eremite.errors import InputError
from eremite.reach.covers import (
    CELLS_FOR_A_ROW,
    MOST_EMITTED,
    MOST_KEPT,
    MOST_ORDERED,
    MOST_REMEMBERED,
    MOST_SLOTS,
    Side,
    pairs_of,
    ratio_for,
)
from eremite.reach.grid import MOST_CELLS
from eremite.reach.grid import MOST_COLUMNS as BLOCKS_UP_TO
from eremite.reach.lattice import covers_of_a_row
from eremite.reach.windows import MOST_TOGETHER
from eremite.table.engine import machine_memory

# For each pair of a row and a cover, up to so many of them: bytes.
_PAIRS = ((16, MOST_SLOTS // 4), (4, MOST_REMEMBERED), (12, MOST_EMITTED), (48, MOST_ORDERED), (4, MOST_KEPT))
_IN_WINDOW = 32  # bytes of an interval and a row
_CELLS = 40  # bytes of a cell, while blocks are added up
_COPIES = 4  # of the rows: the table, and what is looked at
_NUMBERS = 5  # of a row, beside its coordinates
_BYTES = 8


def bytes_for(rows: int, columns: int, min_neighbors: int, *, both_sides: bool) -> int:
    """How many bytes a count of so many rows may take at once, these rows among them; sides are counted in turn."""
    covers = _covers(rows, columns, "below")
    if columns == 1:  # intervals, each of which holds outliers of three balls at most
        covers = max(covers, _IN_WINDOW * min(3 * min_neighbors * rows, MOST_TOGETHER))
    if both_sides:
        cells = _CELLS * min(CELLS_FOR_A_ROW * rows, MOST_CELLS) if columns <= BLOCKS_UP_TO else 0
        covers = max(covers, _covers(rows, columns, "above") + cells)
    return covers + _BYTES * _COPIES * rows * (columns + _NUMBERS)


def _covers(rows: int, columns: int, side: Side) -> int:
    pairs = pairs_of(rows, covers_of_a_row(columns, ratio_for(columns, rows, side)))
    return sum(each * min(pairs, most) for each, most in _PAIRS)


def require_room(rows: int, columns: int, min_neighbors: int, *, both_sides: bool) -> None:
    """Refuse a count of so many rows that may take more memory than this machine has."""
    needed, there = bytes_for(rows, columns, min_neighbors, both_sides=both_sides), machine_memory()
    if needed > there:
        where = f"{columns} column{'s' * (columns != 1)}"
        raise InputError(
            f"A count of bounded reach of {rows:,} rows in {where} may take {needed / 1e9:,.1f} GB, and this machine "
            f"has {there / 1e9:,.1f} GB: choose fewer columns, or a machine with more memory."
        )
