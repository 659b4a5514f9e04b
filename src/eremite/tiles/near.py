"""Rows near public points, counted chunk by chunk, where the rows are. Exact, hence private."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.engines import count_rows_near, count_rows_near_in_sets
from eremite.table.bounds import FloatArray
from eremite.tiles.counting import by_stratum
from eremite.tiles.store import Chunk, Cut, unpacked


@dataclass(frozen=True, slots=True, eq=False)
class CountNear:
    """For each point, the number of rows of its stratum within the radius, or the cap if that is smaller."""

    cut: Cut
    points: FloatArray
    strata: NDArray[np.int64]
    radius: float
    cap: int

    def __call__(self, chunk: Chunk) -> NDArray[np.int64]:
        """The numbers for the rows of a chunk."""
        found = np.zeros(len(self.points), np.int64)
        for here, rows in _with_both(self.cut, chunk, self.strata):
            found[here] = count_rows_near(self.points[here], rows, self.radius, self.cap, threads=1)
        return found

    def merge(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers for the rows of two chunks together."""
        return np.asarray(np.minimum(one + other, self.cap))


@dataclass(frozen=True, slots=True, eq=False)
class CountNearInSets:
    """For each point and each set of columns, the number of rows of its stratum within the radius in these columns."""

    cut: Cut
    points: FloatArray
    strata: NDArray[np.int64]
    sets: Sequence[Sequence[int]]
    radius: float

    def __call__(self, chunk: Chunk) -> NDArray[np.int64]:
        """The numbers for the rows of a chunk."""
        found = np.zeros((len(self.points), len(self.sets)), np.int64)
        for here, rows in _with_both(self.cut, chunk, self.strata):
            found[here] = count_rows_near_in_sets(self.points[here], rows, self.sets, self.radius, threads=1)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class CountRows:
    """How many rows take part."""

    cut: Cut

    def __call__(self, chunk: Chunk) -> int:
        """Those of a chunk."""
        return len(self.cut.taking_part(chunk))


def _with_both(cut: Cut, chunk: Chunk, strata: NDArray[np.int64]) -> list[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """For each stratum with points and rows, the places of the points, and the rows."""
    rows, codes = unpacked(cut.taking_part(chunk).reshape(-1), len(cut.coordinates), cut.width)
    places = dict(by_stratum(codes))
    return [(here, rows[places[code]]) for code, here in by_stratum(strata) if code in places]
