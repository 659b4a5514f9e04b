"""Degrees and the exact outlier count.

paper     here
deg(x)    degrees(points, radius)[i]
q(X)      count_outliers(points, definition)
"""

from itertools import pairwise
from numbers import Integral, Real
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines import FindNeighbors, count_neighbors, find_neighbors
from eremite.errors import InputError
from eremite.outliers.definition import LARGEST, SMALLEST_RADIUS, OutlierDefinition
from eremite.tiles import AnyPart, TiledPart

_MOST_ROWS = 2**32 - 1  # row numbers are kept in 32 bits


def degrees(points: ArrayLike, radius: float, cap: SupportsIndex | None = None) -> NDArray[np.int64]:
    """The number of other rows within `radius` of each row; with `cap`, min(degree, cap), which is much faster.

    The distance is normalized, sqrt(sum of squared differences / d), so "within" means a Euclidean distance of at
    most radius * sqrt(d). Equal rows are neighbors of each other, and ties count as within.
    Every method decides in float64 by the same symmetric expression (`eremite.engines.pair`), so the degrees do not
    depend on the method. Exact, hence private.

    Time: N log N for one column; about N (1 + rows examined before the cap) for two to five; N log N plus the tree
    leaves that each row's ball touches for more. Memory: about three times that of the points, and a copy of points
    that are not C-contiguous float64.
    """
    return count_neighbors(checked_points(points), _checked_radius(radius), _checked_cap(cap))


def count_outliers(points: ArrayLike, definition: OutlierDefinition, find: FindNeighbors = find_neighbors) -> int:
    """The number of rows with fewer than `min_neighbors` neighbors. Exact, hence private."""
    if definition.within:
        raise InputError("Points have no columns with categories; a definition with `within` is for tables.")
    k = definition.min_neighbors
    return int(np.count_nonzero(find(checked_points(points), definition.radius, k).degrees < k))


def outliers_among(part: AnyPart, definition: OutlierDefinition, find: FindNeighbors = find_neighbors) -> int:
    """The number of outliers among the rows that take part, each in its own stratum. Exact, hence private."""
    k, radius = definition.min_neighbors, definition.radius
    if isinstance(part, TiledPart):
        return part.with_fewer(k, (radius,))[0]
    strata = (part.points[begin:end] for begin, end in pairwise(part.starts.tolist()))
    return sum(int(np.count_nonzero(find(rows, radius, k).degrees < k)) for rows in strata)


def checked_points(points: ArrayLike) -> NDArray[np.float64]:
    """The points as a C-contiguous float64 array; an error unless all are finite and none is masked."""
    rows = _matrix(points)
    if len(rows) > _MOST_ROWS:
        raise InputError(f"{len(rows)} points are more than the {_MOST_ROWS} that can be counted; take a sample.")
    if rows.size and not (rows.min() >= -LARGEST and rows.max() <= LARGEST):  # NaN fails both
        bad = len(rows) - int(np.count_nonzero((np.abs(rows) <= LARGEST).all(axis=1)))
        raise InputError(
            f"{bad} of {len(rows)} points have a coordinate that is missing, infinite or beyond 1e150 in size; "
            "remove or rescale them."
        )
    return rows


def _matrix(points: ArrayLike) -> NDArray[np.float64]:
    try:
        raw = np.ma.asarray(points) if isinstance(points, np.ma.MaskedArray) else np.asarray(points)
    except (TypeError, ValueError):
        raw = np.empty(0)  # refused below, in our own words: NumPy's may quote a value
    if raw.ndim != 2 or raw.shape[1] == 0 or raw.dtype.kind not in "biuf":
        raise InputError("Points must be a two-dimensional array of numbers: one row each, one or more columns.")
    rows = np.ma.filled(raw.astype(np.float64), np.nan) if isinstance(raw, np.ma.MaskedArray) else raw
    return np.asarray(rows, dtype=np.float64, order="C")


def _checked_radius(radius: float) -> float:
    if isinstance(radius, Real) and (radius == 0 or SMALLEST_RADIUS <= radius <= LARGEST):
        return float(radius)
    raise InputError(f"radius must be 0 or a number between {SMALLEST_RADIUS:g} and {LARGEST:g}.")


def _checked_cap(cap: SupportsIndex | None) -> int | None:
    if cap is None:
        return None
    if isinstance(cap, bool) or not isinstance(cap, Integral) or cap < 0:
        raise InputError("cap must be a whole number, 0 or more, or None for no cap.")
    return int(cap)
