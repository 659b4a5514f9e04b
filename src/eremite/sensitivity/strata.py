"""The windows of a table whose rows are neighbors only within their stratum (claim L7).

Rows of different strata lie infinitely far from each other: no ball and no graph joins them, so the most of one stratum
is the most of all.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eremite.engines import FindNeighbors, Rows, find_neighbors
from eremite.outliers import OutlierDefinition
from eremite.sensitivity.relation import Change
from eremite.sensitivity.windows import Limits, Method, Windows, windows, windows_of


@dataclass(frozen=True, slots=True)
class Strata:
    """Windows side by side, which answer as one."""

    parts: tuple[Windows, ...]
    most: int  # the cap of the profile

    @property
    def outliers(self) -> int:
        """q(X)."""
        return sum(part.outliers for part in self.parts)

    def size(self, change: Change) -> int:
        """How many rows the two windows of one stratum have together, at most."""
        return max((part.size(change) for part in self.parts), default=0)

    def turned(self, change: Change, floor: int = 0) -> int:
        """How many rows one row can turn, in its stratum, or `floor` if that is larger."""
        for part in self.parts:
            floor = part.turned(change, floor)
        return floor

    def crowd_bound(self, change: Change) -> int:
        """At least `turned` of this change and of all within it."""
        most = 0
        for part in self.parts:
            if part.size(change) > most:
                most = max(most, part.crowd_bound(change))
        return most

    def narrowed(self, change: Change, floor: int, looks: int = 1) -> "Strata":
        """Without rows that matter for no change within this one, if `turned` is asked with this floor or more."""
        parts = (part.narrowed(change, floor, looks) for part in self.parts if part.size(change) > floor)
        return Strata(tuple(parts), self.most)


def windows_in_strata(
    rows: Rows,
    starts: NDArray[np.intp] | None,
    definition: OutlierDefinition,
    steps: int,
    method: Method,
    most: int,
    limits: Limits,
    find: FindNeighbors = find_neighbors,
) -> Windows | Strata:
    """The windows of each stratum: the rows from one of `starts` to the next. Without `starts`, all are in one.

    Rows elsewhere know their strata themselves.
    """
    if not isinstance(rows, np.ndarray):
        k = definition.min_neighbors
        low = rows.low(definition.radius, k, k + steps)
        return Strata(tuple(windows_of(one, definition, method, most, limits) for one in low), most)
    if starts is None or starts.size == 2:
        return windows(rows, definition, steps, method, most, find, limits)
    parts = (rows[begin:end] for begin, end in pairwise(starts.tolist()))
    return Strata(tuple(windows(part, definition, steps, method, most, find, limits) for part in parts), most)
