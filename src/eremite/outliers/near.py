"""How many rows of their strata are near public points, and near the rows themselves."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eremite.engines import count_neighbors, count_rows_near, count_rows_near_in_sets
from eremite.outliers.definition import OutlierDefinition
from eremite.table import Part


def rows_near(
    candidates: NDArray[np.float64], strata: NDArray[np.int64], part: Part, radius: float, cap: int
) -> NDArray[np.int64]:
    """For each candidate, the number of rows of its stratum within the radius of it, or the cap if that is smaller.

    Exact, hence private.
    """
    found = np.zeros(len(candidates), dtype=np.int64)
    for here, rows in _by_stratum(strata, part):
        found[here] = count_rows_near(candidates[here], rows, radius, cap)
    return found


def rows_near_in_sets(
    points: NDArray[np.float64],
    strata: NDArray[np.int64],
    part: Part,
    sets: Sequence[Sequence[int]],
    radius: float,
) -> NDArray[np.int64]:
    """For each point and each set of columns, the number of rows of its stratum within the radius in these columns.

    Exact, hence private. A row with NaN in a column of a set is near nobody in it.
    """
    found = np.zeros((len(points), len(sets)), dtype=np.int64)
    for here, rows in _by_stratum(strata, part):
        found[here] = count_rows_near_in_sets(points[here], rows, sets, radius)
    return found


def _by_stratum(strata: NDArray[np.int64], part: Part) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """For each stratum with both, the places of the points in it, and its rows."""
    for place, code in enumerate(part.strata.tolist()):
        here = np.flatnonzero(strata == code)
        if here.size:
            yield here, part.points[part.starts[place] : part.starts[place + 1]]


def neighbors_of_rows(part: Part, definition: OutlierDefinition, n_rows: int) -> NDArray[np.int64]:
    """For each row of a table the number of its neighbors, up to `min_neighbors`; a row that takes no part has so many.

    Exact, hence private.
    """
    k = definition.min_neighbors
    degrees = np.full(n_rows, k)
    for begin, end in pairwise(part.starts.tolist()):
        degrees[part.places[begin:end]] = count_neighbors(part.points[begin:end], definition.radius, k)
    return degrees
