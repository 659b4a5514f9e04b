"""How many steps the counts at several radii are away from a number of outliers.

The radii share their work. Rows that have many neighbors at one radius have them at the next; where most rows are
outliers, one count around all rows bounds the profiles of this radius and of all smaller ones (Y3 of
`queries/radius.proof.md`).
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eremite.engines import Growing, LowRows, Neighbors, Rows, RowsElsewhere, d_of, low_rows
from eremite.outliers import OutlierDefinition
from eremite.sensitivity.profile import size_at
from eremite.sensitivity.relation import Relation
from eremite.sensitivity.strata import Strata
from eremite.sensitivity.walk import Walk
from eremite.sensitivity.windows import Windows, limits_for, windows_of, within_two

# Degrees are counted so many steps beyond k where a look needs no more.
_STEPS = 64

# The windows of so many radii are kept.
_AT_HAND = 4


def walks(
    rows: Rows,
    starts: NDArray[np.intp] | None,
    definitions: Sequence[OutlierDefinition],
    target: int,
    limit: int,
    relation: Relation,
) -> list[Walk]:
    """For each definition, all alike but for their radii, the walk from its count to the target.

    The profile is that of a release; from step `limit` on, its cap. As private as the rows.
    """
    k = definitions[0].min_neighbors
    most, limits = relation.cap(d_of(rows), k), limits_for(relation.rows)
    table = _Parts(rows, starts) if isinstance(rows, np.ndarray) else rows
    gaps = [abs(count - target) for count in _counts(table, definitions)]
    lows = [_least(gap, limit, relation, most) for gap in gaps]
    highs = _caps(lows, most)
    if isinstance(table, _Parts) and d_of(rows) > 2:
        highs = _highs(table.parts, definitions, gaps, lows, relation, most)

    @lru_cache(_AT_HAND)
    def seen(i: int, steps: int) -> Windows | Strata:
        low = table.low(definitions[i].radius, k, k + steps)
        made = tuple(windows_of(one, definitions[i], "auto", most, limits) for one in low)
        return made[0] if len(made) == 1 else Strata(made, most)

    def look(i: int, step: int, floor: int) -> int:
        at = seen(i, min(_STEPS, limit) if step < _STEPS else lows[i].size)
        if not relation.is_replacement and step > 0:  # many changes lead as far
            at = at.narrowed(relation.change(step, step), max(0, floor - step), step + 1)
        return size_at(at, relation, step, floor)

    return [
        Walk(gap, low, high, most, partial(look, i))
        for i, (gap, low, high) in enumerate(zip(gaps, lows, highs, strict=True))
    ]


class _Parts:
    """Rows in memory, and what is known of the rows of each stratum at several radii."""

    def __init__(self, points: NDArray[np.float64], starts: NDArray[np.intp] | None) -> None:
        ends = [0, len(points)] if starts is None else starts.tolist()
        self.parts = [points[begin:end] for begin, end in pairwise(ends)]
        self._growing = [Growing(part) for part in self.parts]

    def low(self, radius: float, k: int, cap: int) -> tuple[LowRows, ...]:
        """The low rows of each stratum."""
        both = zip(self.parts, self._growing, strict=True)
        return tuple(low_rows(part, radius, k, cap, partial(_found, rows)) for part, rows in both)

    def with_fewer(self, k: int, radii: tuple[float, ...]) -> list[int]:
        """How many rows have fewer than k neighbors at each of these radii, which grow."""
        counts = [one.with_fewer(k, radii) for one in self._growing]
        return [sum(at_radius) for at_radius in zip(*counts, strict=True)] or [0] * len(radii)


def _found(rows: Growing, points: NDArray[np.float64], radius: float, cap: int | None) -> Neighbors:
    """What is known of these rows, as an engine finds it."""
    return rows.at(radius, len(points) if cap is None else cap)


def _counts(rows: RowsElsewhere | _Parts, definitions: Sequence[OutlierDefinition]) -> list[int]:
    """The outliers at each radius."""
    order = sorted(range(len(definitions)), key=lambda i: definitions[i].radius)
    radii, k = tuple(definitions[i].radius for i in order), definitions[0].min_neighbors
    outliers = np.zeros(len(order), np.int64)
    outliers[order] = rows.with_fewer(k, radii)
    return outliers.tolist()


def _least(gap: int, limit: int, relation: Relation, most: int) -> NDArray[np.int64]:
    """The least that A^(0), A^(1), ... can be: until they bridge the gap or are at the cap, or up to `limit` steps."""
    sizes: list[int] = []
    while gap > 0 and len(sizes) < limit and most not in sizes[-1:]:
        sizes.append(min(most, relation.least(len(sizes))))
        gap -= sizes[-1]
    return np.array(sizes or [1], np.int64)


def _caps(lows: Sequence[NDArray[np.int64]], most: int) -> list[NDArray[np.int64]]:
    return [np.full(low.size, most) for low in lows]


def _highs(
    parts: Sequence[NDArray[np.float64]],
    definitions: Sequence[OutlierDefinition],
    gaps: Sequence[int],
    lows: Sequence[NDArray[np.int64]],
    relation: Relation,
    most: int,
) -> list[NDArray[np.int64]]:
    """The most that A^(0), A^(1), ... can be: the cap, and less where no row has many others within 2R.

    One count tells it for the largest radius at which most rows are outliers, and for all smaller ones.
    """
    highs, rows = _caps(lows, most), sum(len(part) for part in parts)
    sparse = [i for i, gap in enumerate(gaps) if 2 * gap > rows]
    if not sparse:
        return highs
    widest = max(sparse, key=lambda i: definitions[i].radius)
    steps = lows[widest].size
    crowd = gaps[widest] // steps - steps // 2 - 1  # with such crowds the walk takes more than so many steps
    radius = definitions[widest].radius
    if crowd < 1 or any(_is_crowded(part, radius, crowd) for part in parts):
        return highs
    for i in sparse:
        own = np.arange(lows[i].size) + relation.is_replacement
        highs[i] = np.minimum(highs[i], np.maximum(1, crowd + own))
    return highs


def _is_crowded(points: NDArray[np.float64], radius: float, crowd: int) -> bool:
    """Whether more than `crowd` rows have as many others within 2R."""
    near = within_two(points, float(radius * np.sqrt(points.shape[1])), crowd)
    return int(np.count_nonzero(near >= crowd)) > crowd
