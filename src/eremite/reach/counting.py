"""The capped count of a table from below and from above, certified (claims R1 to R5 of `reach.proof.md`).

theory      here
F_D(X)      between the two fractions of `count_of_reach`, side "below"
U_D(X)      the same, side "above": the rows that take part, less P_D(X)
D           reach
R           radius sqrt(d)
v           capped_count / fineness
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines import Rows, RowsElsewhere, count_neighbors, d_of
from eremite.errors import InputError
from eremite.outliers import OutlierDefinition, checked_points
from eremite.reach.covers import FURTHEST, MOST_COLUMNS, Covers, Places, Side, in_heavy_blocks, ratio_for
from eremite.reach.slots import slots_for
from eremite.reach.solving import capped_sum
from eremite.reach.windows import Windows

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Brackets are no wider than one part of so many.
FINENESS = 64

_MOST_IN_WINDOWS = 2**31  # rows times min_neighbors for which intervals are listed; else they are of a lattice


def count_of_reach(
    points: ArrayLike,
    definition: OutlierDefinition,
    reach: int,
    side: Side = "below",
    starts: NDArray[np.intp] | None = None,
) -> tuple[Fraction, Fraction]:
    """Fractions around F_D(X) or U_D(X), at most 1/64 apart: the number of outliers, no place counting for more than D.

    From below, outliers are capped: when a row is added, F_D falls by at most D or grows by at most 1, for every table;
    it is at most the number of outliers. From above, the rows that are none are: U_D moves by as much, and is at least
    that number. Stratum s has the rows from starts[s] to starts[s + 1]; without `starts`, all are in one. As private as
    the rows.
    """
    rows = checked_points(points)
    if side not in get_args(Side):
        raise InputError('side must be "below" or "above".')
    if type(reach) is not int or reach < 1:
        raise InputError("reach must be a whole number, 1 or more.")
    radius = definition.radius * sqrt(rows.shape[1])
    furthest = max(abs(rows.min(initial=0)), abs(rows.max(initial=0)))
    if furthest > FURTHEST * radius and (rows.shape[1] > 1 or side == "above"):
        raise InputError(
            f"A radius of {definition.radius!r} is too small for coordinates as large as these: take at least "
            f"{furthest / FURTHEST:.1e}, or move the points nearer to 0."
        )
    require_columns(rows.shape[1])
    if side == "below":
        return _capped(outliers_of(rows, definition, starts), definition, radius, reach, 1, FINENESS)
    return _above(all_rows_of(rows, definition, starts, radius, reach, 1), definition, radius, reach, 1, FINENESS)


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
    low, high = _capped(outliers, definition, _radius(definition, d_of(rows)), reach, about, fineness)
    return round((low + high) / 2 * fineness)


def capped_pair(
    rows: Rows,
    definition: OutlierDefinition,
    reaches: tuple[int, int],
    starts: NDArray[np.intp] | None = None,
    fineness: int = FINENESS,
    *,
    about: int = 1,
) -> tuple[Fraction, Fraction]:
    """Values surely within 1 / (2 fineness) of F_D and of U_D', for these two reaches. As private as the rows."""
    values, _ = capped_pair_and_rows(rows, definition, reaches, starts, fineness, about=about)
    return values


def capped_pair_and_rows(
    rows: Rows,
    definition: OutlierDefinition,
    reaches: tuple[int, int],
    starts: NDArray[np.intp] | None = None,
    fineness: int = FINENESS,
    *,
    about: int = 1,
) -> tuple[tuple[Fraction, Fraction], int]:
    """The same values, and the number of rows that take part. As private as the rows.

    Degrees are counted to the end, once; where rows are elsewhere, of those that may crowd. The rest is as for
    `capped_count`.
    """
    radius = _radius(definition, d_of(rows))
    if isinstance(rows, np.ndarray):
        both = all_rows_of(rows, definition, starts, radius, reaches[1], about)
    else:
        both = _rows_elsewhere(rows, definition, radius, reaches[1], about)
    below = _capped(both.outliers, definition, radius, reaches[0], about, fineness)
    above = _above(both, definition, radius, reaches[1], about, fineness)
    values = sum(below, Fraction(0)) / 2, sum(above, Fraction(0)) / 2
    return values, both.outliers.rows + both.core.rows + both.free


def require_columns(d: int) -> None:
    """Refuse more columns than covers are offered for."""
    if d > MOST_COLUMNS:
        raise InputError(
            f"Counts by reach are for up to {MOST_COLUMNS} columns, and these are {d}: take fewer columns, or the "
            "mechanism smooth-laplace."
        )


def _radius(definition: OutlierDefinition, columns: int) -> float:
    return max(definition.radius * sqrt(columns), 1 / FURTHEST)


@dataclass(frozen=True, slots=True, eq=False)
class AllRows:
    """The outliers of a table; of its core rows, which are none, those that may crowd, and how many the others are."""

    outliers: Places
    core: Places
    free: int = 0


def _above(
    both: AllRows, definition: OutlierDefinition, radius: float, reach: int, about: int, fineness: int
) -> tuple[Fraction, Fraction]:
    """U_D: the core rows that are capped count as outliers."""
    low, high = _capped(both.core, definition, radius, reach, about, fineness, "above")
    crowding = both.outliers.rows + both.core.rows  # those that are free count in full
    return crowding - high, crowding - low


def _capped(
    places: Places,
    definition: OutlierDefinition,
    radius: float,
    reach: int,
    about: int,
    fineness: int,
    side: Side = "below",
) -> tuple[Fraction, Fraction]:
    """What these rows count, no cover holding more than D: fractions around it, at most 1 / fineness apart."""
    d = places.points.shape[1]
    in_windows = side == "below" and d == 1 and about * definition.min_neighbors <= _MOST_IN_WINDOWS
    with np.errstate(all="ignore"):  # a warning would tell of rows; names of covers overflow on purpose
        covers: Windows | Covers = (
            Windows(places, radius, reach) if in_windows else Covers(places, radius, reach, ratio_for(d, about, side))
        )
        low, high = capped_sum(covers.crowded.gaps, covers.crowded.copies, covers, reach, fineness)
    free = places.rows - covers.crowded.rows
    return free + low, free + high


def outliers_of(rows: Rows, definition: OutlierDefinition, starts: NDArray[np.intp] | None) -> Places:
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
    return Places.gathered(points, strata, k - degrees)


def all_rows_of(
    rows: Floats, definition: OutlierDefinition, starts: NDArray[np.intp] | None, radius: float, reach: int, about: int
) -> AllRows:
    """The outliers and what they lack; the core rows that may crowd, and how many neighbors less would make them
    outliers. Private."""
    k, ends = definition.min_neighbors, [0, len(rows)] if starts is None else starts.tolist()
    degrees = np.empty(len(rows), np.int64)
    for begin, end in pairwise(ends):
        degrees[begin:end] = count_neighbors(rows[begin:end], definition.radius, None)
    strata = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    low, core = np.flatnonzero(degrees < k), np.flatnonzero(degrees >= k)
    gaps, ratio = degrees[core] - k + 1, ratio_for(rows.shape[1], about, "above")
    crowding = in_heavy_blocks(rows[core], strata[core], gaps, radius, ratio, reach)
    some = core[crowding]
    return AllRows(
        Places.gathered(rows[low], strata[low], k - degrees[low]),
        Places.gathered(rows[some], strata[some], gaps[crowding]),
        free=len(core) - len(some),
    )


def _rows_elsewhere(
    rows: RowsElsewhere, definition: OutlierDefinition, radius: float, reach: int, about: int
) -> AllRows:
    """The same of rows in tiles: of the core rows, only those come here that may be in a heavy cover (claim C8)."""
    k = definition.min_neighbors
    slots = slots_for(rows.d, rows.strata, radius, k, reach, about)
    found = rows.core(definition.radius, k, slots)  # before the outliers: these need fewer copies of a row
    outliers = outliers_of(rows, definition, None)
    points = np.concatenate([np.empty((0, rows.d)), *found.points])
    degrees = np.concatenate([np.empty(0, np.int64), *found.degrees])
    strata = np.repeat(np.arange(len(found.points)), [len(some) for some in found.points])
    core = Places.gathered(points, strata, degrees - k + 1)
    return AllRows(outliers, core, free=found.rows - outliers.rows - core.rows)
