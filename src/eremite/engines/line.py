"""Neighbors in one column: sort once, then two pointers.

On sorted values the expression of `pair` is monotone in the distance of positions, so the neighbors of a row are one
run of positions, and both its ends only move forward (E8 of `engines.proof.md`). N log N for the sort, N for the rest,
whatever the radius.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import U, kernel


@dataclass(frozen=True, slots=True)
class Line:
    """The values in ascending order, and the row of each."""

    ascending: NDArray[np.float64]
    order: NDArray[np.uint32]


def build(points: NDArray[np.float64]) -> Line:
    """Sort the rows of a single column."""
    values = points[:, 0]
    order = np.argsort(values).astype(np.uint32)  # half the memory while the rest is allocated
    return Line(values[order], order)


def count(line: Line, squared: float, cap: int) -> NDArray[np.int64]:
    """min(degree, cap) of every row."""
    out = np.empty(line.order.size, dtype=np.int64)
    _two_pointers(line.ascending, line.order, squared, cap, out)
    return out


def list_neighbors(
    line: Line, points: NDArray[np.float64], rows: NDArray[np.int64], starts: NDArray[np.int64], squared: float
) -> NDArray[np.uint32]:
    """The neighbors of these rows, those of the i-th from starts[i] on; `starts` leaves room for all of them."""
    out = np.empty(starts[-1], np.uint32)
    _list(line.ascending, line.order, points[:, 0], rows, starts, squared, out)
    return out


@kernel
def _two_pointers(ascending, order, squared, cap, out):
    n = U(ascending.size)
    first = U(0)
    behind = U(0)
    for i in range(n):
        value = ascending[i]
        while (ascending[first] - value) * (ascending[first] - value) > squared:
            first += U(1)
        while behind < n and (ascending[behind] - value) * (ascending[behind] - value) <= squared:
            behind += U(1)
        out[order[i]] = min(np.int64(behind - first) - 1, cap)  # without the row itself (E6)


@kernel
def _list(ascending, order, values, rows, starts, squared, out):
    for i in range(rows.size):
        value = values[rows[i]]
        at = starts[i]
        middle = np.searchsorted(ascending, value)
        place = middle
        while place < ascending.size and (ascending[place] - value) * (ascending[place] - value) <= squared:
            if order[place] != rows[i]:
                out[at] = order[place]
                at += 1
            place += 1
        place = middle - 1
        while place >= 0 and (ascending[place] - value) * (ascending[place] - value) <= squared:
            out[at] = order[place]
            at += 1
            place -= 1
