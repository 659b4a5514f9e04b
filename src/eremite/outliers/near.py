"""How many rows of their strata are near public points, and near the rows themselves."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eremite.engines import count_neighbors, count_rows_near, count_rows_near_in_sets
from eremite.outliers.definition import OutlierDefinition
from eremite.table import Part
from eremite.tiles import AnyPart, TiledPart

_AT_A_TIME = 16  # points, so that several cores have work


def rows_near(
    candidates: NDArray[np.float64],
    strata: NDArray[np.int64],
    part: AnyPart,
    radius: float,
    cap: int,
    progress: Callable[[int], None] | None = None,
) -> NDArray[np.int64]:
    """For each candidate, the number of rows of its stratum within the radius of it, or the cap if that is smaller.

    `progress` is called with the number of candidates looked at so far. Exact, hence private.
    """
    if isinstance(part, TiledPart):
        return _told(part.near(candidates, strata, radius, cap), progress)
    found = np.zeros(len(candidates), dtype=np.int64)
    for some, rows in _in_turn(strata, part, progress):
        found[some] = count_rows_near(candidates[some], rows, radius, cap)
    return found


def rows_near_in_sets(
    points: NDArray[np.float64],
    strata: NDArray[np.int64],
    part: AnyPart,
    sets: Sequence[Sequence[int]],
    radius: float,
    progress: Callable[[int], None] | None = None,
) -> NDArray[np.int64]:
    """For each point and each set of columns, the number of rows of its stratum within the radius in these columns.

    `progress` is called with the number of points looked at so far. Exact, hence private. A row with NaN in a column of
    a set is near nobody in it.
    """
    if isinstance(part, TiledPart):
        return _told(part.near_in_sets(points, strata, sets, radius), progress)
    found = np.zeros((len(points), len(sets)), dtype=np.int64)
    for some, rows in _in_turn(strata, part, progress):
        found[some] = count_rows_near_in_sets(points[some], rows, sets, radius)
    return found


def _told(found: NDArray[np.int64], progress: Callable[[int], None] | None) -> NDArray[np.int64]:
    """What was found for all points at once."""
    if progress is not None:
        progress(len(found))
    return found


def _in_turn(
    strata: NDArray[np.int64], part: Part, progress: Callable[[int], None] | None
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """The strata one after the other; where somebody watches, with few points at a time."""
    seen = 0
    for here, rows in _by_stratum(strata, part):
        for some in [here] if progress is None else np.array_split(here, -(-here.size // _AT_A_TIME)):
            yield some, rows
            seen += some.size
            if progress is not None:
                progress(seen)


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
        rows = slice(begin, end) if part.places is None else part.places[begin:end]
        degrees[rows] = count_neighbors(part.points[begin:end], definition.radius, k)
    return degrees
