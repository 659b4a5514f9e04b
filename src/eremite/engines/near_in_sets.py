"""Rows near a public point in many sets of columns (E16).

The square of a difference does not depend on the set it is added up in. So squares are computed once for each point,
column and block of rows, and a set adds up its own, in column order: N (d + the columns of all sets together) steps for
each point. These numbers are public, and so is the time.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eremite.engines import workers
from eremite.engines.pair import kernel, squared_radius

_BLOCK = 1024  # rows whose squares, in all columns, stay near the processor


def count_rows_near_in_sets(
    candidates: NDArray[np.float64],
    points: NDArray[np.float64],
    sets: Sequence[Sequence[int]],
    radius: float,
    threads: int | None = None,
) -> NDArray[np.int64]:
    """For each candidate and each set of columns, the number of rows within the radius of it in these columns.

    A set names columns of `points` by number, in increasing order. Row i, column j of the result is what
    `count_rows_near` gives for candidate i in set j alone, without a cap.
    """
    columns = np.ascontiguousarray(points.T)
    members = np.array([column for one in sets for column in one], dtype=np.int64)
    edges = np.cumsum([0, *map(len, sets)])
    squared = np.array([squared_radius(radius, len(one)) for one in sets])
    found = np.zeros((len(candidates), len(sets)), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        for i, candidate in enumerate(candidates):
            _count(columns, candidate, members, edges, squared, start, stop, found[i])

    workers.over_ranges(work, len(sets), threads or workers.available(), at_least=points.shape[1])
    return found


@kernel
def _count(columns, candidate, members, edges, squared, start, stop, found):
    d, n = columns.shape
    squares, totals = np.empty((d, _BLOCK)), np.empty(_BLOCK)
    for block in range(0, n, _BLOCK):
        rows = min(_BLOCK, n - block)
        for c in range(d):
            for j in range(rows):
                difference = columns[c, block + j] - candidate[c]
                squares[c, j] = difference * difference
        for one in range(start, stop):
            totals[:rows] = 0.0
            for member in range(edges[one], edges[one + 1]):
                square = squares[members[member]]
                for j in range(rows):
                    totals[j] += square[j]
            found[one] += (totals[:rows] <= squared[one]).sum()
