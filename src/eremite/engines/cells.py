"""Neighbors in two to five columns: a grid of cells as wide as the radius, held as one sorted array of keys.

Geometry. R = sqrt(squared). A cell is R(1 + SLACK) wide and is cut into 2 or 4 pieces per axis. Neighbors of a row lie
in its own cell or one that touches it, because two cells further on there is at least R(1 + SLACK) in between (E11 of
`engines.proof.md`). Rows in the same piece are neighbors without looking, because a piece's diagonal is at most 0.87 R
(its square is 2/4, 3/4, 4/16 or 5/16 of R^2 for d = 2, 3, 4, 5; E12a). A piece with more rows than the cap therefore
settles all its rows at once.

Storage. A key packs (cell, piece, row number) into 64 bits, the cells of the first axis next to each other. Sorting the
keys puts every piece, every cell and every run of three cells along the first axis into one stretch of rows; the
3^(d-1) runs around a cell are found by pointers that only move forward. Only occupied cells are stored, so a far row
costs bits of the key and not memory (E10, E13).

Margins. Piece numbers stay near or below 2**24, so rounding moves a border by less than 2**-27 of a piece (E9); SLACK
is 1e-6.
"""

import itertools
import operator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.engines import workers as threads
from eremite.engines.pair import SLACK, Columns, U, inlined, kernel, scan_few, sums_of_squares

FEWEST_COLUMNS = 2
MOST_COLUMNS = 5
_MOST_PIECES_PER_AXIS = 2**24
_DIGIT_BITS = 10
_PART_BITS = {2: 1, 3: 1, 4: 2, 5: 2}  # a cell is cut into 2 or 4 pieces per axis
# After this many distances a row the grid gives up: rows crowd into cells without being neighbors, or the cap is far.
_MOST_DISTANCES_PER_ROW = 4096
# A cell's runs cost about as much to follow as this many rows to look at; sparser cells are left to the tree.
_RUNS_PER_ROW = 20
_CROWDED = 64  # rows in a cell
_AT_A_TIME = 128  # rows between two looks at the cap


@dataclass(frozen=True, slots=True)
class Layout:
    """How a row becomes a key."""

    low: NDArray[np.float64]
    width: float  # of a cell
    strides: NDArray[np.int64]
    row_bits: int
    part_bits: int
    key_bits: int

    @property
    def shift(self) -> int:
        """The bits of a key below its cell: piece and row number."""
        return self.row_bits + self.part_bits * self.strides.size


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows in the order of their cells, and where each occupied cell starts."""

    layout: Layout
    columns: Columns  # [column, place]
    packed: NDArray[np.uint64]  # cell, piece and row number of each place, ascending
    cells: NDArray[np.int64]  # the occupied cells, ascending
    starts: NDArray[np.int64]  # where each begins; one more entry for the end
    steps: NDArray[np.int64]  # from a cell to the runs around it, [run, axis]; the first is the cell's own


def count(grid: Grid, squared: float, cap: int, workers: int) -> NDArray[np.int64] | None:
    """min(degree, cap) of every row, or None where the grid is a bad choice (E16)."""
    out = np.empty(grid.packed.size, dtype=np.int64)
    given_up: list[int] = []

    def work(start: int, stop: int) -> None:
        if not given_up and not _count_range(grid, squared, cap, start, stop, out):
            given_up.append(start)

    threads.over_ranges(work, grid.cells.size, workers, at_least=64)
    return None if given_up else out


def list_neighbors(
    grid: Grid, points: NDArray[np.float64], rows: NDArray[np.int64], starts: NDArray[np.int64], squared: float,
    workers: int,
) -> NDArray[np.uint32]:  # fmt: skip
    """The neighbors of these rows, those of the i-th from starts[i] on; `starts` leaves room for all of them."""
    layout, out = grid.layout, np.empty(starts[-1], np.uint32)
    runs, scale = grid.steps @ layout.strides, (1 << layout.part_bits) / layout.width

    def work(start: int, stop: int) -> None:
        _list(
            grid.columns, grid.packed, layout.row_bits, grid.cells, grid.starts, layout.strides, layout.low, scale,
            layout.part_bits, runs, squared, points, rows, starts, start, stop, out,
        )  # fmt: skip

    threads.over_ranges(work, rows.size, workers, at_least=64)
    return out


def _count_range(grid: Grid, squared: float, cap: int, start: int, stop: int, out: NDArray[np.int64]) -> bool:
    """Count for the cells [start, stop); False when that took too many distances."""
    layout = grid.layout
    axes = tuple(range(len(grid.columns)))
    runs = grid.steps @ layout.strides
    done: bool = _count(
        grid.columns, axes, grid.packed, layout.row_bits, grid.cells, grid.starts, layout.strides, layout.low,
        layout.width, grid.steps, runs, squared, cap, start, stop, out,
    )  # fmt: skip
    return done


def build(points: NDArray[np.float64], squared: float, workers: int) -> Grid | None:
    """Sort the rows into cells; None when the keys would not fit into 64 bits, or the cells are nearly empty."""
    layout = _layout(points, squared)
    if layout is None:
        return None
    n, d = points.shape
    packed = _sorted_keys(points, layout, workers)
    occupied = _occupied(packed, layout.shift)
    if occupied * 3 ** (d - 1) > _RUNS_PER_ROW * n:
        return None
    cells, starts = np.empty(occupied, np.int64), np.empty(occupied + 1, np.int64)
    _list_cells(packed, layout.shift, cells, starts)
    steps = sorted(itertools.product((0,), *[(-1, 0, 1)] * (d - 1)), key=lambda step: sum(map(abs, step)))
    columns = _gathered(points, packed, layout.row_bits, workers)
    return Grid(layout, columns, packed, cells, starts, np.array(steps, np.int64))


def _layout(points: NDArray[np.float64], squared: float) -> Layout | None:
    n, d = points.shape
    width = float(np.sqrt(squared)) * (1 + SLACK)
    low, high = _extent(points, tuple(range(d)))
    if not width > 0 or np.any(high - low >= _MOST_PIECES_PER_AXIS / 4 * width):
        return None
    # One empty cell before and behind on every axis: a step to a neighboring cell never wraps around. And one more,
    # because this quotient and the place of the farthest row are rounded differently (E10).
    sizes = [int(span / width) + 4 for span in (high - low).tolist()]
    *strides, cells = itertools.accumulate([1, *sizes], operator.mul)
    row_bits, part_bits = (n - 1).bit_length(), _PART_BITS[d]
    key_bits = cells.bit_length() + d * part_bits + row_bits
    if key_bits > 63:
        return None
    return Layout(low, width, np.array(strides, np.int64), row_bits, part_bits, key_bits)


def _sorted_keys(points: NDArray[np.float64], layout: Layout, workers: int) -> NDArray[np.uint64]:
    axes = tuple(range(points.shape[1]))
    scale = (1 << layout.part_bits) / layout.width
    packed = np.empty(len(points), dtype=np.uint64)

    def pack(start: int, stop: int) -> None:
        _pack(points, axes, layout.low, scale, layout.part_bits, layout.strides, layout.row_bits, start, stop, packed)

    threads.over_ranges(pack, len(points), workers, at_least=1 << 14)
    return _sorted(packed, layout)


def _sorted(packed: NDArray[np.uint64], layout: Layout) -> NDArray[np.uint64]:
    """Radix sort; the rows of a piece keep their order, so their numbers need no pass."""
    spare = np.empty_like(packed)
    places = np.empty(1 << _DIGIT_BITS, dtype=np.int64)
    for shift in range(layout.row_bits, layout.key_bits, _DIGIT_BITS):
        _sort_by_digit(packed, shift, places, spare)
        packed, spare = spare, packed
    return packed


def _gathered(points: NDArray[np.float64], packed: NDArray[np.uint64], row_bits: int, workers: int) -> Columns:
    n, d = points.shape
    columns, axes = np.empty((d, n)), tuple(range(d))

    def gather(start: int, stop: int) -> None:
        _gather(points, axes, packed, row_bits, start, stop, columns)

    threads.over_ranges(gather, n, workers, at_least=1 << 14)
    return columns


@kernel
def _extent(points, axes):
    low = points[0].copy()
    high = points[0].copy()
    for i in range(U(points.shape[0])):
        for c in range(len(axes)):
            value = points[i, U(c)]
            low[c] = value if value < low[c] else low[c]
            high[c] = value if value > high[c] else high[c]
    return low, high


@kernel
def _pack(points, axes, low, scale, part_bits, strides, row_bits, start, stop, out):
    d = len(axes)
    for i in range(start, stop):
        cell = 0
        piece = 0
        for c in range(d):
            fine = np.int64((points[U(i), U(c)] - low[c]) * scale)
            coarse = fine >> part_bits
            cell += (coarse + 1) * strides[c]
            piece = (piece << part_bits) | (fine - (coarse << part_bits))
        out[i] = np.uint64((((cell << (d * part_bits)) | piece) << row_bits) | i)


@kernel
def _sort_by_digit(packed, shift, places, out):
    """One pass of a radix sort: stable, by the digit that starts at bit `shift`."""
    mask = np.uint64(places.size - 1)
    places[:] = 0
    for i in range(U(packed.size)):
        places[(packed[i] >> np.uint64(shift)) & mask] += 1
    behind = 0
    for digit in range(places.size):
        behind += places[digit]
        places[digit] = behind - places[digit]
    for i in range(U(packed.size)):
        digit = (packed[i] >> np.uint64(shift)) & mask
        out[U(places[digit])] = packed[i]
        places[digit] += 1


@kernel
def _gather(points, axes, packed, row_bits, start, stop, columns):
    mask = np.uint64((1 << row_bits) - 1)
    for place in range(U(start), U(stop)):
        row = packed[place] & mask
        for c in range(len(axes)):
            columns[U(c), place] = points[row, U(c)]


@kernel
def _occupied(packed, shift):
    occupied = 1
    for place in range(1, packed.size):
        occupied += (packed[place] ^ packed[place - 1]) >> np.uint64(shift) != np.uint64(0)
    return occupied


@kernel
def _list_cells(packed, shift, cells, starts):
    at = -1
    for place in range(packed.size):
        cell = np.int64(packed[place] >> np.uint64(shift))
        if at < 0 or cell != cells[at]:
            at += 1
            cells[at] = cell
            starts[at] = place
    starts[at + 1] = packed.size


@inlined
def _first_at_least(cells, value):
    """Binary search: where the first cell >= value stands."""
    low = 0
    high = cells.size
    while low < high:
        middle = (low + high) // 2
        if cells[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _enter(cells, cell, runs, first, behind):
    """Set the pointers of every run for the first cell of a range."""
    for run in range(runs.size):
        first[run] = _first_at_least(cells, cell + runs[run] - 1)
        behind[run] = first[run]


@inlined
def _advance(cells, cell, runs, first, behind):
    """Move the pointers of every run on to `cell`: the run's cells are [first, behind) (E11, E13)."""
    for run in range(runs.size):
        middle = cell + runs[run]
        at = first[run]
        while at < cells.size and cells[at] < middle - 1:
            at += 1
        first[run] = at
        at = max(at, behind[run])
        while at < cells.size and cells[at] <= middle + 1:
            at += 1
        behind[run] = at


@inlined
def _end_of_piece(packed, row_bits, place, stop):
    piece = packed[place] >> np.uint64(row_bits)
    end = place + 1
    while end < stop and packed[end] >> np.uint64(row_bits) == piece:
        end += 1
    return end


@inlined
def _corner(cell, strides, width, corner):
    """Where a cell begins on each axis, measured from the lowest value there."""
    left = cell
    for c in range(strides.size - 1, -1, -1):
        coarse = left // strides[c]
        left -= coarse * strides[c]
        corner[c] = (coarse - 1) * width


@inlined
def _gap(axes, row, low, corner, width, step):
    """A lower bound on the squared distance from a row to the run of cells one `step` away from its own cell.

    It may be too large by rounding; who relies on it lets it clear the squared radius by SLACK (E12b).
    """
    total = 0.0
    for c in range(1, len(axes)):
        if step[c] != 0:
            inside = row[c] - low[c] - corner[c]
            side = inside if step[c] < 0 else width - inside
            total += side * side
    return total


@inlined
def _stretches(starts, first, behind, at, begins, ends, around):
    """List the stretches of rows to look at for the cell `at`, its own first; `around` tells which run each is.

    A crowded cell comes before the rest of its run, because its rows are the likeliest neighbors and the cap may end
    the search there; otherwise the run is one stretch.
    """
    begins[0] = starts[first[0]]
    ends[0] = starts[behind[0]]
    size = 1
    if starts[at + 1] - starts[at] > _CROWDED:
        begins[1] = begins[0]
        ends[1] = begins[0] = starts[at]
        ends[2] = ends[0]
        begins[2] = ends[0] = starts[at + 1]
        size = 3
    for place in range(size):
        around[place] = 0
    for run in range(1, first.size):
        if first[run] < behind[run]:
            begins[size] = starts[first[run]]
            ends[size] = starts[behind[run]]
            around[size] = run
            size += 1
    return size


@kernel
def _count(
    columns, axes, packed, row_bits, cells, starts, strides, low, width, steps, runs, squared, cap,
    first_cell, last_cell, out,
):  # fmt: skip
    first = np.empty(runs.size, np.int64)
    behind = np.empty(runs.size, np.int64)
    begins = np.empty(runs.size + 2, np.int64)
    ends = np.empty(runs.size + 2, np.int64)
    around = np.empty(runs.size + 2, np.int64)
    row = np.empty(columns.shape[0])
    corner = np.empty(columns.shape[0])
    mask = np.uint64((1 << row_bits) - 1)
    beyond = squared * (1 + SLACK)
    budget = _MOST_DISTANCES_PER_ROW * (starts[last_cell] - starts[first_cell])
    _enter(cells, cells[first_cell], runs, first, behind)
    for at in range(first_cell, last_cell):
        _advance(cells, cells[at], runs, first, behind)
        _corner(cells[at], strides, width, corner)
        size = _stretches(starts, first, behind, at, begins, ends, around)
        end = starts[at]
        found = 0
        for place in range(starts[at], starts[at + 1]):
            if place == end:
                end = _end_of_piece(packed, row_bits, place, starts[at + 1])
                settled = end - place > cap  # each has the others of its piece for neighbors (E12a)
            if settled:
                out[np.int64(packed[place] & mask)] = cap
                continue
            for c in range(len(axes)):
                row[c] = columns[c, place]
            found = 0
            stretch = 0
            while stretch < size and found <= cap:
                start = begins[stretch]
                stop = ends[stretch]
                if around[stretch] > 0 and _gap(axes, row, low, corner, width, steps[around[stretch]]) > beyond:
                    stop = start
                while start < stop and found <= cap:
                    upto = min(start + _AT_A_TIME, stop)
                    found += scan_few(columns, axes, row, start, upto, squared)
                    budget -= upto - start
                    start = upto
                stretch += 1
            out[np.int64(packed[place] & mask)] = min(found - 1, cap)  # without the row itself (E6, E7)
            if budget < 0:
                return False
    return True


@kernel
def _list(
    columns, packed, row_bits, cells, cell_starts, strides, low, scale, part_bits, runs, squared, points, rows, starts,
    first, last, out,
):  # fmt: skip
    mask = np.uint64((1 << row_bits) - 1)
    totals = np.empty(_AT_A_TIME)
    for i in range(first, last):
        row = points[rows[i]]
        cell = 0
        for c in range(row.size):
            cell += ((np.int64((row[c] - low[c]) * scale) >> part_bits) + 1) * strides[c]  # as `_pack` does
        at = starts[i]
        for run in range(runs.size):
            begin = _first_at_least(cells, cell + runs[run] - 1)
            behind = begin
            while behind < cells.size and cells[behind] <= cell + runs[run] + 1:
                behind += 1
            start = cell_starts[begin]
            while start < cell_starts[behind] and at < starts[i + 1]:  # until all are found
                stop = min(start + _AT_A_TIME, cell_starts[behind])
                sums_of_squares(columns, row, start, stop, totals)
                for place in range(start, stop):
                    other = np.int64(packed[place] & mask)
                    if totals[place - start] <= squared and other != rows[i]:
                        out[at] = other
                        at += 1
                start = stop
