"""Neighbors of points that are not rows: every candidate against every row, until the cap is reached (E7, E16).

Candidates are few and public, so there is nothing to prepare; N d steps for each candidate at most. The claims are
those of `engines.proof.md`.
"""

import numpy as np
from numpy.typing import NDArray

from eremite.engines import workers
from eremite.engines.pair import kernel, scan_few, scan_many, squared_radius, unrolled_axes

_BLOCK = 4096


def count_rows_near(
    candidates: NDArray[np.float64],
    points: NDArray[np.float64],
    radius: float,
    cap: int,
    threads: int | None = None,
) -> NDArray[np.int64]:
    """For each candidate, the number of rows within the radius of it, or the cap if that is smaller."""
    d = points.shape[1]
    columns, squared = np.ascontiguousarray(points.T), squared_radius(radius, d)
    found = np.zeros(len(candidates), dtype=np.int64)
    axes = unrolled_axes(d)

    def work(start: int, stop: int) -> None:
        if axes:
            _count_few(columns, axes, candidates, start, stop, squared, cap, found)
        else:
            _count_many(columns, candidates, start, stop, squared, cap, found)

    workers.over_ranges(work, len(candidates), threads or workers.available())
    return found


@kernel
def _count_few(columns, axes, candidates, start, stop, squared, cap, found):
    n = columns.shape[1]
    for i in range(start, stop):
        block = 0
        while block < n and found[i] < cap:
            found[i] += scan_few(columns, axes, candidates[i], block, min(block + _BLOCK, n), squared)
            block += _BLOCK
        found[i] = min(found[i], cap)


@kernel
def _count_many(columns, candidates, start, stop, squared, cap, found):
    n = columns.shape[1]
    totals = np.empty(_BLOCK)
    for i in range(start, stop):
        block = 0
        while block < n and found[i] < cap:
            found[i] += scan_many(columns, candidates[i], block, min(block + _BLOCK, n), squared, totals)
            block += _BLOCK
        found[i] = min(found[i], cap)
