"""Covers in one column: all intervals of length 2 R (claim C7 of `covers.proof.md`).

Of all intervals, those that begin at a row hold as much as any other, and of these the ones that no other contains.
"""

from collections.abc import Iterator

import numpy as np

from eremite.engines.pair import kernel
from eremite.reach.covers import Heavy, Places, weight_of, weights_of

_OUTWARD = 1e-9  # relative: all rows that the degree predicate calls near one point are in one interval
MOST_TOGETHER = 1 << 24  # pairs of an interval and a row


class Windows:
    """The heavy intervals of outliers in one column, which are all `crowded`. Private."""

    def __init__(self, outliers: Places, radius: float, reach: int) -> None:
        self.crowded = outliers
        values = outliers.points[:, 0]
        length = 2 * radius * (1 + _OUTWARD)
        ends = np.empty(values.size, np.int64)
        _find(values, outliers.strata, weights_of(outliers), length, weight_of(reach), ends)
        self._begins = np.flatnonzero(ends)
        self._ends = ends[self._begins]

    def __iter__(self) -> Iterator[Heavy]:
        """All heavy intervals, in parts."""
        sizes = self._ends - self._begins
        parts = np.cumsum(sizes) // MOST_TOGETHER
        for part in np.unique(parts):
            some = np.flatnonzero(parts == part)
            begins = np.concatenate([[0], np.cumsum(sizes[some])])
            rows = np.arange(begins[-1]) + np.repeat(self._begins[some] - begins[:-1], sizes[some])
            yield Heavy(rows.astype(np.int32), begins)


@kernel
def _find(values, strata, weights, length, threshold, ends):
    """For each row at which a heavy interval begins that no earlier one contains, where it ends; 0 for the others."""
    n = values.size
    end, held, furthest = 0, 0, 0
    for begin in range(n):
        while end < n and strata[end] == strata[begin] and values[end] - values[begin] <= length:
            held += weights[end]
            end += 1
        ends[begin] = 0
        if held > threshold and end > furthest:
            ends[begin] = end
            furthest = end
        held -= weights[begin]
