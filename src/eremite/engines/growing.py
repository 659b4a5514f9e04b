"""Neighbors at several radii: a row has as many at a larger radius as at a smaller one, or more (E19).

So a row that is known to have enough of them, or too few, need not be counted at every radius.
"""

from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from eremite.engines import tree
from eremite.engines.local import Found, Neighbors, find_neighbors, threads_for
from eremite.engines.pair import squared_radius

_FEW = 8  # one row in so many, or fewer, are counted row by row


class Growing:
    """The rows of a table, and what was found at radii so far. As private as the rows."""

    def __init__(self, points: NDArray[np.float64]) -> None:
        self._points = points
        self._threads = threads_for(len(points))
        self._lacking: dict[tuple[int, float], NDArray[np.intp]] = {}  # rows below a cap, by cap and radius

    @cached_property
    def _tree(self) -> tree.Tree:
        return tree.build(self._points, self._threads)

    def with_fewer(self, k: int, radii: Sequence[float]) -> list[int]:
        """How many rows have fewer than k neighbors at each of these radii, which grow.

        The radii are halved again and again: a row is counted at one radius of each half that it may change in.
        """
        lasts = np.empty(len(self._points), np.int64)  # at how many radii a row has fewer

        def settle(rows: NDArray[np.intp], begin: int, end: int) -> None:
            """For rows with fewer at all radii before `begin`, and enough from `end` on."""
            if rows.size == 0 or begin == end:
                lasts[rows] = begin
                return
            middle = (begin + end) // 2
            fewer = self._degrees(rows, radii[middle], k) < k
            settle(rows[~fewer], begin, middle)
            settle(rows[fewer], middle + 1, end)

        settle(np.arange(lasts.size), 0, len(radii))
        return [int(np.count_nonzero(lasts > place)) for place in range(len(radii))]

    def at(self, radius: float, cap: int) -> Neighbors:
        """The neighbors within a radius, up to a cap. Rows with so many at a smaller radius are not counted again."""
        n, d = self._points.shape
        if n == 0 or d == 1:
            return find_neighbors(self._points, radius, cap)
        smaller = max((known for known in self._lacking if known[0] == cap and known[1] <= radius), default=None)
        lacking = np.arange(n) if smaller is None else self._lacking[smaller]
        degrees = np.full(n, min(cap, n))
        degrees[lacking] = self._degrees(lacking, radius, min(cap, n))
        self._lacking[cap, radius] = np.flatnonzero(degrees < cap)
        squared = squared_radius(radius, d)
        return Found(
            degrees, self._points, partial(tree.list_neighbors, self._tree, squared=squared, workers=self._threads)
        )

    def _degrees(self, rows: NDArray[np.intp], radius: float, cap: int) -> NDArray[np.int64]:
        """min(degree, cap) of some rows."""
        n, d = self._points.shape
        if rows.size * _FEW > n or d == 1:
            return find_neighbors(self._points, radius, cap).degrees[rows]
        return tree.count_rows(self._tree, self._points, rows, squared_radius(radius, d), cap, self._threads)
