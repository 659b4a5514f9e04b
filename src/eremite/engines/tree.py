"""Neighbors in any number of columns: a balanced tree of boxes, asked group by group.

The rows are split at the median of their most spread column until a leaf holds LEAF rows. Nodes are numbered as in a
heap (root 1, children 2i and 2i + 1), every level halving a power of two of leaves, so a node's leaves follow from its
number. Rows stand in the order of the leaves, each column in an array of its own.

A query group is GROUP neighboring leaves. From the group upwards, then down into the sibling of each ancestor (so
near boxes come first), a box is settled for the whole group where it lies wholly beyond the radius of every row, or
wholly within it, by the expression of `pair` on the edges of the boxes; what remains is a list of leaves, which each
row of the group narrows down by its own distance to their boxes and scans. A group ends when all its rows have reached
the cap. Once most near rows were seen and some rows of the group have reached it, the others are counted one by one,
each from the root down to the leaves its own ball touches. Claims E4, E14 and E15 of `engines.proof.md`.

Cost: N log N to build. A row's query looks at the leaves its ball touches and does not contain; that number, and not
N, decides in few columns, while in many columns it approaches N / LEAF, as it does for every known exact method.
Rows that are all equal, or a radius beyond all rows, are settled at the root.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.engines import workers as threads
from eremite.engines.pair import (
    Columns,
    U,
    gap_to_box,
    inlined,
    kernel,
    scan_few,
    scan_many,
    sums_of_squares,
    unrolled_axes,
)

LEAF = 64
GROUP = 2
_BATCH = 256  # leaves a row is tested against at a time
_AT_A_TIME = 16  # groups between two looks at how many neighbors were found in all
# A group walks so many leaves together, and so many rows for each neighbor that the cap asks for.
_TOGETHER = 256
_ROWS_A_NEIGHBOR = 16
_SAMPLE = 64  # rows that tell the most spread column of a node


@dataclass(frozen=True, slots=True)
class Tree:
    """The rows in the order of the leaves, and the box around the rows of each node."""

    columns: Columns  # [column, place]
    order: NDArray[np.uint32]  # the row at each place
    low: NDArray[np.float64]  # [node, column]
    high: NDArray[np.float64]
    width: int  # leaves, a power of two; the last ones may be empty

    @property
    def groups(self) -> int:
        """How many groups have rows."""
        return -(-self.order.size // (LEAF * GROUP))


def build(points: NDArray[np.float64], workers: int) -> Tree:
    """Split the rows at medians until a leaf holds LEAF of them."""
    n, d = points.shape
    leaves = -(-n // LEAF)
    width = 1 << (leaves - 1).bit_length()
    order = _split(points, leaves, width, workers)
    columns = np.empty((d, n))
    threads.over_ranges(lambda a, b: _gather(points, order, a, b, columns), n, workers, at_least=1 << 14)
    return Tree(columns, order, *_boxes(columns, leaves, width), width)


def count(tree: Tree, squared: float, cap: int, workers: int) -> NDArray[np.int64]:
    """min(degree, cap) of every row."""
    out = np.empty(tree.order.size, dtype=np.int64)
    threads.over_ranges(lambda first, last: _count_groups(tree, squared, cap, first, last, out), tree.groups, workers)
    return out


def count_rows(
    tree: Tree, points: NDArray[np.float64], rows: NDArray[np.int64], squared: float, cap: int, workers: int
) -> NDArray[np.int64]:
    """min(degree, cap) of some of the rows, one by one."""
    out = np.empty(rows.size, np.int64)

    def work(start: int, stop: int) -> None:
        _count_each(tree.columns, tree.low, tree.high, tree.width, squared, cap, points, rows, start, stop, out)

    threads.over_ranges(work, rows.size, workers, at_least=64)
    return out


def count_up_to(tree: Tree, squared: float, most: int, workers: int) -> NDArray[np.int64] | None:
    """The degree of every row; None if they add up to more than `most`, as soon as that is seen."""
    out = np.zeros(tree.order.size, dtype=np.int64)

    def work(first: int) -> None:
        if out.sum() <= most:
            _count_groups(tree, squared, out.size, first, min(first + _AT_A_TIME, tree.groups), out)

    threads.over_items(work, range(0, tree.groups, _AT_A_TIME), workers)
    return out if out.sum() <= most else None


def _count_groups(tree: Tree, squared: float, cap: int, first: int, last: int, out: NDArray[np.int64]) -> None:
    axes = unrolled_axes(len(tree.columns))
    _count(tree.columns, axes, tree.order, tree.low, tree.high, tree.width, squared, cap, first, last, out)


def list_neighbors(
    tree: Tree, points: NDArray[np.float64], rows: NDArray[np.int64], starts: NDArray[np.int64], squared: float,
    workers: int,
) -> NDArray[np.uint32]:  # fmt: skip
    """The neighbors of these rows, those of the i-th from starts[i] on; `starts` leaves room for all of them."""
    out = np.empty(starts[-1], np.uint32)

    def work(start: int, stop: int) -> None:
        _list(
            tree.columns, tree.order, tree.low, tree.high, tree.width, squared, points, rows, starts, start, stop, out
        )

    threads.over_ranges(work, rows.size, workers, at_least=64)
    return out


def _split(points: NDArray[np.float64], leaves: int, width: int, workers: int) -> NDArray[np.uint32]:
    """The order of the rows in the tree: the first splits one after the other, the branches below them at once."""
    order = np.arange(len(points), dtype=np.uint32)
    keys = np.empty(len(points))
    branches = [(0, width)]
    while len(branches) < 2 * workers and workers > 1 and branches[0][1] > 1:
        half = branches[0][1] // 2
        threads.over_items(lambda b: _split_node(points, order, keys, *b), branches, workers)
        branches = [(first, half) for start, _ in branches for first in (start, start + half)]
    threads.over_items(lambda b: _split_branch(points, order, keys, leaves, *b), branches, workers)
    return order


def _boxes(columns: Columns, leaves: int, width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest box around the rows of each node, [node, column]; an empty node has an empty box."""
    low = np.full((2 * width, len(columns)), np.inf)
    high = np.full((2 * width, len(columns)), -np.inf)
    _leaf_boxes(columns, leaves, low[width:], high[width:])
    level = width // 2
    while level:
        low[level : 2 * level] = low[2 * level : 4 * level].reshape(level, 2, -1).min(axis=1)
        high[level : 2 * level] = high[2 * level : 4 * level].reshape(level, 2, -1).max(axis=1)
        level //= 2
    return low, high


@kernel
def _spread_axis(points, order, begin, stop):
    """The column in which an even sample of the rows [begin, stop) of the order varies most."""
    step = max(1, (stop - begin) // _SAMPLE)
    widest = -1.0
    axis = 0
    for c in range(points.shape[1]):
        origin = points[order[begin], c]
        total = 0.0
        squares = 0.0
        for place in range(begin, stop, step):
            value = points[order[place], c] - origin
            total += value
            squares += value * value
        spread = squares - total * total / ((stop - begin + step - 1) // step)
        if spread > widest:
            widest = spread
            axis = c
    return axis


@inlined
def _median(a, b, c):
    return max(min(a, b), min(max(a, b), c))


@inlined
def _scatter(state):
    """The next of a fixed sequence of scattered numbers (xorshift); it only places pivots."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    return state ^ (state << np.uint64(17))


@kernel
def _select(keys, order, low, high, place):
    """Reorder [low, high]: nothing before `place` has a larger key than what stands there, nothing behind a smaller.

    Quickselect. The pivot is the median of three keys at scattered places, so that no arrangement likely to occur in
    a table (sorted, mirrored, repeating) makes it slow.
    """
    state = np.uint64(high - low) | np.uint64(1)
    while low < high:
        size = np.uint64(high - low + 1)
        state = _scatter(state)
        one = low + np.int64(state % size)
        state = _scatter(state)
        two = low + np.int64(state % size)
        pivot = _median(keys[one], keys[(low + high) // 2], keys[two])
        i = low
        j = high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            return


@kernel
def _split_node(points, order, keys, first, width):
    """Divide the rows of the node that begins at leaf `first` between its two halves of width / 2 leaves."""
    middle = (first + width // 2) * LEAF
    if middle >= order.size:
        return
    begin = first * LEAF
    stop = min(begin + width * LEAF, order.size)
    axis = _spread_axis(points, order, begin, stop)
    for place in range(U(begin), U(stop)):
        keys[place] = points[order[place], U(axis)]
    _select(keys, order, begin, stop - 1, middle)


@kernel
def _split_branch(points, order, keys, leaves, first, width):
    """Split a node and all below it, depth first, so that small branches stay in the cache."""
    firsts = np.empty(64, np.int64)
    widths = np.empty(64, np.int64)
    firsts[0] = first
    widths[0] = width
    waiting = 1
    while waiting > 0:
        waiting -= 1
        first = firsts[waiting]
        width = widths[waiting]
        if width > 1 and first < leaves:
            _split_node(points, order, keys, first, width)
            for child in range(2):
                firsts[waiting] = first + child * (width // 2)
                widths[waiting] = width // 2
                waiting += 1


@kernel
def _gather(points, order, start, stop, columns):
    for place in range(U(start), U(stop)):
        row = order[place]
        for c in range(U(points.shape[1])):
            columns[c, place] = points[row, c]


@kernel
def _leaf_boxes(columns, leaves, low, high):
    for c in range(columns.shape[0]):
        for leaf in range(leaves):
            values = columns[c, leaf * LEAF : (leaf + 1) * LEAF]
            low[leaf, c] = values.min()
            high[leaf, c] = values.max()


@inlined
def _rows_of(node, width, n):
    """The places [begin, stop) of a node's rows, and how many leaves wide it is."""
    level = 1
    while level * 2 <= node:
        level *= 2
    wide = width // level
    begin = (node - level) * wide * LEAF
    return min(begin, n), min(begin + wide * LEAF, n), wide


@inlined
def _between(low, high, group, node):
    """The smallest and the largest value that the expression can have for rows of two boxes, in floats (E4)."""
    smallest = 0.0
    largest = 0.0
    for c in range(low.shape[1]):
        gap = max(max(low[node, c] - high[group, c], low[group, c] - high[node, c]), 0.0)
        span = max(high[node, c] - low[group, c], high[group, c] - low[node, c])
        smallest += gap * gap
        largest += span * span
    return smallest, largest


@inlined
def _apart(low, high, group, node):
    """Orders boxes by how far their centers lie from the group's (four times the squared distance)."""
    total = 0.0
    for c in range(low.shape[1]):
        difference = low[node, c] + high[node, c] - low[group, c] - high[group, c]
        total += difference * difference
    return total


@inlined
def _push_children(low, high, group, node, width, n, stack, waiting):
    """Put the children on the stack, the nearer one on top; the second may have no rows."""
    nearer = 2 * node
    begin, stop, _ = _rows_of(nearer + 1, width, n)
    if begin == stop:
        stack[waiting] = nearer
        return waiting + 1
    if _apart(low, high, group, nearer + 1) < _apart(low, high, group, nearer):
        nearer += 1
    stack[waiting] = nearer ^ 1
    stack[waiting + 1] = nearer
    return waiting + 2


@kernel
def _collect(low, high, group, width, n, squared, cap, stack, waiting, settled, batch):
    """Walk down from the stack until it is empty, the batch of undecided leaves is full, or the cap is settled.

    Returns the height of the stack, the number of rows settled as neighbors of the whole group, and the batch's size.
    """
    size = 0
    while waiting > 0 and size < batch.size and settled <= cap:
        waiting -= 1
        node = stack[waiting]
        begin, stop, wide = _rows_of(node, width, n)
        if begin == stop:
            continue
        smallest, largest = _between(low, high, group, node)
        if smallest > squared:  # no row of the node is a neighbor of any row of the group; below, all are (E15)
            continue
        if largest <= squared:
            settled += stop - begin
        elif wide == 1:
            batch[size] = node
            size += 1
        else:
            waiting = _push_children(low, high, group, node, width, n, stack, waiting)
    return waiting, settled, size


@inlined
def _to_boxes(low, high, batch, size, row, totals):
    """What the expression is at least, from a row to each box of the batch (E4); boxes stand as [column, place]."""
    totals[:size] = 0.0
    for c in range(row.size):
        value = row[c]
        lows = low[c, :size]
        highs = high[c, :size]
        for place in range(size):
            below = lows[place] - value
            above = value - highs[place]
            gap = below if below > above else above
            gap = gap if gap > 0.0 else 0.0
            totals[place] += gap * gap


@kernel
def _scan_batch(
    columns,
    axes,
    begin,
    stop,
    batch,
    size,
    low,
    high,
    width,
    squared,
    cap,
    settled,
    found,
    row,
    distances,
    totals,
):
    """Let each row of the group scan the leaves of the batch that its ball may touch; how many rows lack the cap."""
    n = columns.shape[1]
    lacking = 0
    for place in range(begin, stop):
        if found[place - begin] + settled > cap:
            continue
        for c in range(columns.shape[0]):
            row[c] = columns[c, place]
        _to_boxes(low, high, batch, size, row, distances)
        total = found[place - begin]
        for at in range(size):
            if distances[at] <= squared:
                start = (batch[at] - width) * LEAF
                if len(axes) > 0:
                    total += scan_few(columns, axes, row, start, min(start + LEAF, n), squared)
                else:
                    total += scan_many(columns, row, start, min(start + LEAF, n), squared, totals)
                if total + settled > cap:
                    break
        found[place - begin] = total
        lacking += total + settled <= cap
    return lacking


@inlined
def _push_near(low, high, node, row, squared, stack, waiting):
    """Put those children on the stack that may hold a neighbor, the nearer one on top."""
    one = gap_to_box(low, high, 2 * node, row)  # infinite for a child without rows
    two = gap_to_box(low, high, 2 * node + 1, row)
    nearer = 2 * node + (two < one)
    if max(one, two) <= squared:
        stack[waiting] = nearer ^ 1
        waiting += 1
    if min(one, two) <= squared:
        stack[waiting] = nearer
        waiting += 1
    return waiting


@kernel
def _count_row(columns, low, high, width, squared, cap, row, stack, totals):
    """How many rows are within the radius of this one, itself among them; more than the cap: at least so many."""
    n = columns.shape[1]
    total = 0
    stack[0] = 1
    waiting = 1
    while waiting > 0 and total <= cap:
        waiting -= 1
        node = stack[waiting]
        if node < width:
            waiting = _push_near(low, high, node, row, squared, stack, waiting)
            continue
        begin = (node - width) * LEAF
        stop = min(begin + LEAF, n)
        sums_of_squares(columns, row, begin, stop, totals)
        for at in range(stop - begin):
            total += totals[at] <= squared
    return total


@inlined
def _parts(node, width, n, cap, lacking, rows):
    """Whether the rows of a group that still lack neighbors go on one by one, after all leaves of the node.

    A box that is near the group is often far from each of these rows, and in many columns most boxes are near. Not
    where all rows lack neighbors: then the cap is far, and boxes wholly within the radius settle many rows at once.
    """
    _, _, wide = _rows_of(node, width, n)
    return lacking < rows and wide >= _TOGETHER and wide * LEAF >= _ROWS_A_NEIGHBOR * cap


@kernel
def _count(columns, axes, order, low, high, width, squared, cap, first_group, last_group, out):
    n = columns.shape[1]
    d = columns.shape[0]
    found = np.empty(GROUP * LEAF, np.int64)
    stack = np.empty(128, np.int64)
    batch = np.empty(_BATCH, np.int64)
    batch_low = np.empty((d, _BATCH))
    batch_high = np.empty((d, _BATCH))
    distances = np.empty(_BATCH)
    row = np.empty(d)
    totals = np.empty(LEAF)
    for number in range(first_group, last_group):
        group = max(1, width // GROUP) + number
        begin, stop, _ = _rows_of(group, width, n)
        found[:] = 0
        settled = 0
        lacking = 1
        node = group
        stack[0] = group
        while True:
            waiting = 1
            while waiting > 0 and lacking > 0 and settled <= cap:
                waiting, settled, size = _collect(
                    low, high, group, width, n, squared, cap, stack, waiting, settled, batch
                )
                if size > 0 and settled <= cap:
                    for at in range(size):
                        batch_low[:, at] = low[batch[at]]
                        batch_high[:, at] = high[batch[at]]
                    lacking = _scan_batch(
                        columns, axes, begin, stop, batch, size, batch_low, batch_high, width, squared, cap, settled,
                        found, row, distances, totals,
                    )  # fmt: skip
            if node == 1 or lacking == 0 or settled > cap or _parts(node, width, n, cap, lacking, stop - begin):
                break
            stack[0] = node ^ 1
            node //= 2
        for place in range(begin, stop):
            total = found[place - begin] + settled
            if total <= cap and node > 1:  # the group parted: the row is counted alone, from the start
                for c in range(d):
                    row[c] = columns[c, place]
                total = _count_row(columns, low, high, width, squared, cap, row, stack, totals)
            out[order[place]] = min(total - 1, cap)  # without the row itself (E6, E7)


@kernel
def _count_each(columns, low, high, width, squared, cap, points, rows, first, last, out):
    stack = np.empty(128, np.int64)
    totals = np.empty(LEAF)
    for i in range(first, last):
        total = _count_row(columns, low, high, width, squared, cap, points[rows[i]], stack, totals)
        out[i] = min(total - 1, cap)  # without the row itself (E6, E7)


@kernel
def _list(columns, order, low, high, width, squared, points, rows, starts, first, last, out):
    n = columns.shape[1]
    stack = np.empty(128, np.int64)
    totals = np.empty(LEAF)
    for i in range(first, last):
        row = points[rows[i]]
        at = starts[i]
        stack[0] = 1
        waiting = 1
        while waiting > 0 and at < starts[i + 1]:  # until all are found
            waiting -= 1
            node = stack[waiting]
            if node < width:
                waiting = _push_near(low, high, node, row, squared, stack, waiting)
                continue
            begin = (node - width) * LEAF
            stop = min(begin + LEAF, n)
            sums_of_squares(columns, row, begin, stop, totals)
            for place in range(begin, stop):
                if totals[place - begin] <= squared and order[place] != rows[i]:
                    out[at] = order[place]
                    at += 1
