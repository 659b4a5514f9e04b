"""The capped count of a table, certified (claims R1 to R4 of `reach.proof.md`).

theory      here
F_D(X)      between the two fractions of `count_of_reach`
D           reach
R           radius sqrt(d)
v           capped_count / fineness
"""

from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines import Rows, count_neighbors, d_of
from eremite.errors import InputError
from eremite.outliers import OutlierDefinition, checked_points
from eremite.reach.covers import FURTHEST, MOST_COLUMNS, Covers, Outliers, ratio_for
from eremite.reach.solving import capped_sum
from eremite.reach.windows import Windows

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Which side of the count: at most the number of outliers.
Side = Literal["below"]

#: A value that is released lies on a grid of so many steps, or a multiple of it, between two whole numbers.
FINENESS = 64

_MOST_IN_WINDOWS = 2**31  # rows times min_neighbors for which intervals are listed; else they are of a lattice


def count_of_reach(
    points: ArrayLike,
    definition: OutlierDefinition,
    reach: int,
    side: Side = "below",
    starts: NDArray[np.intp] | None = None,
) -> tuple[Fraction, Fraction]:
    """Fractions around F_D(X), at most 1/64 apart: the number of outliers, no place counting for more than D.

    When a row is added, F_D falls by at most D or grows by at most 1, for every table; it is at most the number of
    outliers. Stratum s has the rows from starts[s] to starts[s + 1]; without `starts`, all are in one. As private as
    the rows.
    """
    rows = checked_points(points)
    if side != "below":
        raise InputError('side must be "below".')
    if type(reach) is not int or reach < 1:
        raise InputError("reach must be a whole number, 1 or more.")
    radius = definition.radius * sqrt(rows.shape[1])
    furthest = max(abs(rows.min(initial=0)), abs(rows.max(initial=0)))
    if rows.shape[1] > 1 and furthest > FURTHEST * radius:
        raise InputError(
            f"A radius of {definition.radius!r} is too small for coordinates as large as these: take at least "
            f"{furthest / FURTHEST:.1e}, or move the points nearer to 0."
        )
    require_columns(rows.shape[1])
    outliers = outliers_of(rows, definition, starts)
    return _around(outliers, definition, radius, reach, 1, FINENESS)


def capped_count(
    rows: Rows,
    definition: OutlierDefinition,
    reach: int,
    starts: NDArray[np.intp] | None = None,
    fineness: int = FINENESS,
    *,
    about: int = 1,
) -> int:
    """`fineness` times v, where surely |v - F_D| <= 1 / fineness: what gets the noise. As private as the rows.

    Coordinates lie in [0, 1]; `about` is how many rows there are, or about: public. Of covers for a radius too small to
    tell floats apart, that of the least radius is taken; every ball is in one of them too.
    """
    outliers = outliers_of(rows, definition, starts)
    radius = max(definition.radius * sqrt(outliers.points.shape[1]), 1 / FURTHEST)
    low, high = _around(outliers, definition, radius, reach, about, fineness)
    return round((low + high) / 2 * fineness)


def require_columns(d: int) -> None:
    """Refuse more columns than covers are offered for."""
    if d > MOST_COLUMNS:
        raise InputError(
            f"Counts by reach are for up to {MOST_COLUMNS} columns, and these are {d}: take fewer columns, or the "
            "mechanism smooth-laplace."
        )


def _around(
    outliers: Outliers, definition: OutlierDefinition, radius: float, reach: int, about: int, fineness: int
) -> tuple[Fraction, Fraction]:
    d = outliers.points.shape[1]
    in_windows = d == 1 and about * definition.min_neighbors <= _MOST_IN_WINDOWS
    with np.errstate(all="ignore"):  # a warning would tell of rows; names of covers overflow on purpose
        covers: Windows | Covers = (
            Windows(outliers, radius, reach) if in_windows else Covers(outliers, radius, reach, ratio_for(d, about))
        )
        low, high = capped_sum(covers.crowded.deficits, covers.crowded.copies, covers, reach, fineness)
    free = outliers.rows - covers.crowded.rows
    return free + low, free + high


def outliers_of(rows: Rows, definition: OutlierDefinition, starts: NDArray[np.intp] | None) -> Outliers:
    """The outliers and what they lack: the same from every engine. Private."""
    k = definition.min_neighbors
    found = list[tuple[Floats, Ints]]()
    if isinstance(rows, np.ndarray):
        for begin, end in pairwise([0, len(rows)] if starts is None else starts.tolist()):
            degrees = count_neighbors(rows[begin:end], definition.radius, k)
            low = np.flatnonzero(degrees < k)
            found.append((rows[begin:end][low], degrees[low]))
    else:
        found = [(low.points, low.degrees) for low in rows.low(definition.radius, k, k)]
    points = np.concatenate([np.empty((0, d_of(rows))), *(some for some, _ in found)])
    degrees = np.concatenate([np.empty(0, np.int64), *(some for _, some in found)])
    sizes = [len(some) for _, some in found if len(some)]
    strata = np.repeat(np.arange(len(sizes)), sizes)
    return Outliers.gathered(points, strata, k - degrees)
