"""Degrees and the exact outlier count.

paper     here
deg(x)    degrees(points, radius)[i]
q(X)      count_outliers(points, definition)
"""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines import CountNeighbors, count_neighbors
from eremite.errors import InputError
from eremite.outliers.definition import OutlierDefinition

# Squares of what lies between these neither overflow nor vanish, also when added over millions of columns.
_LARGEST = 1e150
_SMALLEST = 1e-140
_MOST_ROWS = 2**32 - 1  # row numbers are kept in 32 bits


def degrees(points: ArrayLike, radius: float, cap: SupportsIndex | None = None) -> NDArray[np.int64]:
    """How many other rows lie within `radius` of each row; with `cap`, min(degree, cap), which is much faster.

    The distance is normalised, sqrt(sum of squared differences / d), so "within" means a Euclidean distance of at
    most radius * sqrt(d). Neighbours are told apart by row, not by value: equal rows are neighbours. Ties count.
    The outcome is decided in float64 by one symmetric expression (`eremite.engines.pair`) on every path, so the
    degrees are the same integers whichever method counts them. Exact, hence private.

    Cost: one column N log N; two to five columns about N (1 + rows looked at before the cap), more columns N log N plus
    the leaves of a tree that a row's ball touches. Memory beyond the points: at most three times theirs.
    """
    return count_neighbors(checked_points(points), _checked_radius(radius), _checked_cap(cap))


def count_outliers(points: ArrayLike, definition: OutlierDefinition, count: CountNeighbors = count_neighbors) -> int:
    """How many rows have fewer than `min_neighbors` neighbours. Exact, hence private."""
    _checked_radius(definition.radius)
    return outliers_among(checked_points(points), definition, count)


def outliers_among(points: NDArray[np.float64], definition: OutlierDefinition, count: CountNeighbors) -> int:
    """`count_outliers` for points known to be in order, such as those of a table."""
    k = definition.min_neighbors
    return int(np.count_nonzero(count(points, definition.radius, k) < k))


def checked_points(points: ArrayLike) -> NDArray[np.float64]:
    """Rows of finite numbers as a C-contiguous float64 array."""
    try:
        rows = np.asarray(points, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        rows = np.empty(0)  # refused below, without NumPy's own words, which may quote a value
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InputError("Points must be a two-dimensional array of numbers: one row each, one or more columns.")
    if len(rows) > _MOST_ROWS:
        raise InputError(f"{len(rows)} points are more than the {_MOST_ROWS} that can be counted; take a sample.")
    if rows.size and not (rows.min() >= -_LARGEST and rows.max() <= _LARGEST):  # NaN fails both
        bad = len(rows) - int(np.count_nonzero((np.abs(rows) <= _LARGEST).all(axis=1)))
        raise InputError(
            f"{bad} of {len(rows)} points have a coordinate that is missing, infinite or beyond 1e150 in size; "
            "remove or rescale them."
        )
    return rows


def _checked_radius(radius: float) -> float:
    if not (radius == 0 or _SMALLEST <= radius <= _LARGEST):
        raise InputError("radius must be 0 or a number between 1e-140 and 1e150.")
    return float(radius)


def _checked_cap(cap: SupportsIndex | None) -> int | None:
    if cap is None:
        return None
    if isinstance(cap, bool) or not hasattr(cap, "__index__") or cap.__index__() < 0:
        raise InputError("cap must be a whole number, 0 or more, or None for no cap.")
    return cap.__index__()
