"""Neighbors in one column: sort once, then two pointers.

On sorted values the expression of `pair` is monotone in the distance of positions, so the neighbors of a row are one
run of positions, and both its ends only move forward (E8 of `engines.proof.md`). N log N for the sort, N for the rest,
whatever the radius.
"""

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import U, kernel


def count(points: NDArray[np.float64], reach: float, cap: int) -> NDArray[np.int64]:
    """min(degree, cap) of every row of a single column."""
    values = points[:, 0]
    order = np.argsort(values).astype(np.uint32)  # half the memory while the rest is allocated
    out = np.empty(values.size, dtype=np.int64)
    _two_pointers(values[order], order, reach, cap, out)
    return out


@kernel
def _two_pointers(ascending, order, reach, cap, out):
    n = U(ascending.size)
    first = U(0)
    behind = U(0)
    for i in range(n):
        value = ascending[i]
        while (ascending[first] - value) * (ascending[first] - value) > reach:
            first += U(1)
        while behind < n and (ascending[behind] - value) * (ascending[behind] - value) <= reach:
            behind += U(1)
        out[order[i]] = min(np.int64(behind - first) - 1, cap)  # without the row itself (E6)
