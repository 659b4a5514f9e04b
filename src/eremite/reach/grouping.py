"""Pairs of a cover and a row, put together by cover; the order depends on the pairs alone.

Two covers are the same if their names are, their strata, and where their rows lie (claim C4). Covers are numbered as
they first occur.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import U, kernel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def grouped(
    members: NDArray[np.uint64],
    rows: NDArray[np.int32],
    strata: Ints,
    weights: Ints,
    threshold: int,
) -> tuple[NDArray[np.int32], Ints]:
    """The rows of the covers that weigh more than the threshold, one cover after the other, and where each begins."""
    numbers = np.empty(members.size, np.int32)
    size = 1 << max(4, (2 * members.size - 1).bit_length())
    count = _number(members, rows, strata, np.full(size, -1, np.int32), numbers)
    held, sizes = np.zeros(count, np.int64), np.zeros(count, np.int64)
    _add_up(numbers, rows, weights, held, sizes)
    heavy = held > threshold
    begins = np.concatenate([[0], np.cumsum(sizes[heavy])])
    places = np.full(count, -1)
    places[heavy] = begins[:-1]
    found = np.empty(begins[-1], np.int32)
    _place(numbers, rows, places, found)
    return found, begins


def told_apart(points: Floats, rows: NDArray[np.int32], begins: Ints, apart: float) -> tuple[NDArray[np.int32], Ints]:
    """These covers, those that share a name one after the other: their rows are further than this from each other."""
    shared = np.zeros(begins.size - 1, np.bool_)
    _find_shared(points, rows, begins, apart * apart, shared)
    if not shared.any():
        return rows, begins
    parts = list[NDArray[np.int32]]()
    for cover, (begin, end) in enumerate(pairwise(begins.tolist())):
        rest = rows[begin:end]
        while shared[cover] and rest.size:
            near = ((points[rest] - points[rest[0]]) ** 2).sum(axis=1) <= apart * apart
            parts.append(rest[near])
            rest = rest[~near]
        parts += [rest] * (not shared[cover])
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)])


@kernel
def _find_shared(points, rows, begins, squared, shared):
    """Which covers have a row further from their first one than two rows of one cover are."""
    for cover in range(begins.size - 1):
        first = rows[begins[cover]]
        for place in range(begins[cover] + 1, begins[cover + 1]):
            total = 0.0
            for j in range(points.shape[1]):
                step = points[rows[place], j] - points[first, j]
                total += step * step
            if total > squared:
                shared[cover] = True
                break


def distinct(rows: NDArray[np.int32], begins: Ints) -> tuple[NDArray[np.int32], Ints]:
    """These covers without those that hold the same rows as another one. Rows of a cover are in ascending order."""
    count = begins.size - 1
    keys = np.empty(count, np.uint64)
    _sign(rows, begins, keys)
    order = np.lexsort((np.arange(count), keys, np.diff(begins)))
    kept = np.ones(count, np.bool_)
    _leave_out(rows, begins, keys, order, kept)
    sizes = np.diff(begins)
    return rows[np.repeat(kept, sizes)], np.concatenate([[0], np.cumsum(sizes[kept])])


@kernel
def _sign(rows, begins, keys):
    """A number for each cover, the same for the same rows."""
    for cover in range(begins.size - 1):
        key = U(0x243F6A8885A308D3)
        for place in range(begins[cover], begins[cover + 1]):
            key = (key ^ U(rows[place])) * U(0x9E3779B97F4A7C15)
            key ^= key >> U(29)
        keys[cover] = key


@kernel
def _leave_out(rows, begins, keys, order, kept):
    """Mark covers whose rows are those of the one before, in an order that brings the same rows together."""
    for at in range(1, order.size):
        one, other = order[at], order[at - 1]
        size = begins[one + 1] - begins[one]
        same = size == begins[other + 1] - begins[other] and keys[one] == keys[other]
        place = 0
        while same and place < size:
            same = rows[begins[one] + place] == rows[begins[other] + place]
            place += 1
        if same:
            kept[one] = False


@kernel
def _number(members, rows, strata, table, numbers):
    """The number of the cover of each pair, by a table of the first pair of each cover."""
    mask = U(table.size - 1)
    count = 0
    for i in range(members.size):
        stratum = strata[rows[i]]
        slot = (members[i] ^ (U(stratum) * U(0x9E3779B97F4A7C15))) & mask
        while True:
            first = table[slot]
            if first < 0:
                table[slot] = i
                numbers[i] = count
                count += 1
                break
            if members[first] == members[i] and strata[rows[first]] == stratum:
                numbers[i] = numbers[first]
                break
            slot = (slot + U(1)) & mask
    return count


@kernel
def _add_up(numbers, rows, weights, held, sizes):
    for i in range(numbers.size):
        held[numbers[i]] += weights[rows[i]]
        sizes[numbers[i]] += 1


@kernel
def _place(numbers, rows, places, found):
    for i in range(numbers.size):
        at = places[numbers[i]]
        if at >= 0:
            found[at] = rows[i]
            places[numbers[i]] += 1
