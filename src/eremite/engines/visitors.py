"""Neighbors of points that are no rows, *visitors*, among rows that are asked once.

A tree of all rows takes longer to build than visitors take to look around in it. Here rows are divided only as far as
visitors need it: rows with a box that no visitor reaches are dropped, and rows that few visitors reach, or that are few
themselves, are scanned. Claim E20 of `engines.proof.md`.

Cost: to divide n rows, n log n at most, and about n where visitors are few or gather in one place; then, as in a tree,
each visitor looks at the boxes and scans the rows around it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import U, gap_to_box, inlined, kernel, sums_of_squares

Points = NDArray[np.float64]
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]

_FEW_ROWS = 64  # are scanned, and so many at a time
_FEW_VISITORS = 12  # for these, scanning rows takes less time than dividing them
_AT_ONCE = 1 << 16  # visitors
_SAMPLE = 32  # rows that tell where others are divided
_MORE_LEVELS = 16  # than halves would take: parts are halves by a sample


class _Rows(NamedTuple):
    """Rows on their way into ever smaller parts. A part is a range of places; its level tells how often it was divided.

    Rows of even levels are in the first half of `columns` and `numbers`, those of odd levels in the second.
    """

    columns: NDArray[np.float64]  # [half, column, place]
    numbers: NDArray[np.uint32]  # [half, place]
    order: NDArray[np.uint32]
    reaching: NDArray[np.uint32]  # [level, .]: visitors that reach a part of the level above
    waiting: NDArray[np.int64]  # parts: where they begin and stop, their level, how many visitors may reach them
    low: NDArray[np.float64]  # the box of one part
    high: NDArray[np.float64]


def count_visitors(points: Points, visitors: Points, squared: float, cap: int) -> NDArray[np.int64]:
    """For each visitor, the number of points within the radius of it, or the cap if that is less."""
    found = np.zeros(len(visitors), np.int64)
    for start in range(0, len(visitors), _AT_ONCE):
        some = visitors[start : start + _AT_ONCE]
        _count(_undivided(points, len(some)), some, squared, cap, found[start : start + _AT_ONCE])
    return np.minimum(found, cap)


def list_visitors(points: Points, visitors: Points, squared: float) -> Pairs:
    """All pairs of a visitor and a point within the radius of it, by number, in any order."""
    guests, hosts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start in range(0, len(visitors), _AT_ONCE):
        some = visitors[start : start + _AT_ONCE]
        guest, host = _list(_undivided(points, len(some)), some, squared)
        guests.append(guest + start)
        hosts.append(host)
    return np.concatenate(guests), np.concatenate(hosts)


def _undivided(points: Points, visitors: int) -> _Rows:
    n, d = points.shape
    levels = (n // _FEW_ROWS).bit_length() + _MORE_LEVELS
    columns, numbers = np.empty((2, d, n)), np.empty((2, n), np.uint32)
    columns[0], numbers[0] = points.T, np.arange(n)
    reaching, waiting = np.empty((levels + 1, visitors), np.uint32), np.empty((levels + 1, 4), np.int64)
    reaching[0], waiting[0] = np.arange(visitors), (0, n, 0, visitors)
    return _Rows(columns, numbers, np.empty(n, np.uint32), reaching, waiting, np.empty((1, d)), np.empty((1, d)))


@inlined
def _fill_box(columns, begin, stop, low, high):
    """The least and the largest coordinates of some rows."""
    for c in range(columns.shape[0]):
        least = np.inf
        largest = -np.inf
        for place in range(U(begin), U(stop)):
            least = min(least, columns[c, place])
            largest = max(largest, columns[c, place])
        low[0, c] = least
        high[0, c] = largest


@inlined
def _keep_reaching(low, high, visitors, found, cap, squared, before, size, after):
    """Copy those visitors that lack neighbors and may have some in the box (E4); how many there are."""
    remaining = 0
    for i in range(size):
        visitor = before[i]
        if found[visitor] < cap and gap_to_box(low, high, 0, visitors[visitor]) <= squared:
            after[remaining] = visitor
            remaining += 1
    return remaining


@inlined
def _spread_axis(columns, begin, stop, step, low, high):
    """The column in which a sample of rows varies most; if it does not vary, the widest side of the box."""
    axis = -1
    widest = 0.0
    used = (stop - begin + step - 1) // step
    for c in range(columns.shape[0]):
        origin = columns[c, begin]
        total = 0.0
        squares = 0.0
        for place in range(begin, stop, step):
            value = columns[c, place] - origin
            total += value
            squares += value * value
        spread = squares - total * total / used
        if spread > widest:
            widest = spread
            axis = c
    return axis if axis >= 0 else np.argmax(high[0] - low[0])


@inlined
def _about_half(values, value):
    """How many of the values go to the left of a cut at one of them: all smaller ones, and equal ones up to half."""
    smaller = 0
    equal = 0
    for at in range(U(values.size)):
        smaller += values[at] < value
        equal += values[at] == value
    return smaller, max(smaller, min(smaller + equal, values.size // 2))


@kernel
def _divide(columns, order, begin, stop, low, high):
    """Order the places of some rows so that about half of them come first, those below a value of a column; the middle.

    No branch depends on a row: which side it is on cannot be guessed, and a wrong guess costs more than all the rest.
    """
    step = max(1, (stop - begin) // _SAMPLE)
    axis = _spread_axis(columns, begin, stop, step, low, high)
    sample = np.sort(columns[axis, begin:stop:step])
    value = sample[sample.size // 2]
    smaller, half = _about_half(columns[axis, begin:stop], value)
    equal_ones = half - smaller
    left = U(begin)
    right = U(stop - 1)
    for place in range(U(begin), U(stop)):
        key = columns[U(axis), place]
        is_taken = (key == value) & (equal_ones > 0)
        is_left = (key < value) | is_taken
        order[left if is_left else right] = place
        left += U(is_left)
        right -= U(not is_left)
        equal_ones -= is_taken
    return begin + half


@kernel
def _move(rows, half, begin, stop):
    """Copy rows in their new order to the other half."""
    for c in range(U(rows.columns.shape[1])):
        for place in range(U(begin), U(stop)):
            rows.columns[1 - half, c, place] = rows.columns[half, c, rows.order[place]]
    for place in range(U(begin), U(stop)):
        rows.numbers[1 - half, place] = rows.numbers[half, rows.order[place]]


@kernel
def _next_part(rows, waiting, visitors, found, cap, squared):
    """Divide parts until one is to be scanned: how many wait, the part, how many visitors reach it; 0 at the end."""
    while waiting > 0:
        waiting -= 1
        begin, stop, level, size = rows.waiting[waiting]
        columns = rows.columns[level % 2]
        _fill_box(columns, begin, stop, rows.low, rows.high)
        before, after = rows.reaching[level], rows.reaching[level + 1]
        size = _keep_reaching(rows.low, rows.high, visitors, found, cap, squared, before, size, after)
        if size == 0:
            continue
        is_small = stop - begin <= _FEW_ROWS or size <= _FEW_VISITORS
        if is_small or level + 2 == rows.reaching.shape[0] or (rows.low == rows.high).all():
            return waiting, begin, stop, level, size
        middle = _divide(columns, rows.order, begin, stop, rows.low, rows.high)
        _move(rows, level % 2, begin, stop)
        rows.waiting[waiting] = middle, stop, level + 1, size
        rows.waiting[waiting + 1] = begin, middle, level + 1, size
        waiting += 2
    return 0, 0, 0, 0, 0


@kernel
def _count(rows, visitors, squared, cap, found):
    totals = np.empty(_FEW_ROWS)
    waiting, begin, stop, level, size = _next_part(rows, 1, visitors, found, cap, squared)
    while size > 0:
        for start in range(begin, stop, _FEW_ROWS):
            end = min(start + _FEW_ROWS, stop)
            for i in range(size):
                visitor = rows.reaching[level + 1, i]
                if found[visitor] < cap:
                    sums_of_squares(rows.columns[level % 2], visitors[visitor], start, end, totals)
                    for at in range(end - start):
                        found[visitor] += totals[at] <= squared
        waiting, begin, stop, level, size = _next_part(rows, waiting, visitors, found, cap, squared)


@kernel
def _list(rows, visitors, squared):
    totals = np.empty(_FEW_ROWS)
    none = np.zeros(visitors.shape[0], np.int64)  # is below a cap of 1: visitors stay to the end
    guests, hosts = np.empty(_FEW_ROWS, np.int64), np.empty(_FEW_ROWS, np.int64)
    pairs = 0
    waiting, begin, stop, level, size = _next_part(rows, 1, visitors, none, 1, squared)
    while size > 0:
        for start in range(begin, stop, _FEW_ROWS):
            end = min(start + _FEW_ROWS, stop)
            for i in range(size):
                visitor = rows.reaching[level + 1, i]
                sums_of_squares(rows.columns[level % 2], visitors[visitor], start, end, totals)
                if pairs + _FEW_ROWS > guests.size:
                    guests, hosts = np.append(guests, guests), np.append(hosts, hosts)
                for at in range(end - start):
                    if totals[at] <= squared:
                        guests[pairs] = visitor
                        hosts[pairs] = rows.numbers[level % 2, start + at]
                        pairs += 1
        waiting, begin, stop, level, size = _next_part(rows, waiting, visitors, none, 1, squared)
    return guests[:pairs], hosts[:pairs]
