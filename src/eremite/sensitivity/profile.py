"""The local profile: how far one row can move the count, t steps away (claims L1 to L4, A1).

paper          here
A^(t)(X)       local_profile(...)[t]
min(N, ...)    Windows.most
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines import Rows, d_of
from eremite.errors import InputError
from eremite.outliers import OutlierDefinition, checked_points
from eremite.privacy import Neighbors
from eremite.sensitivity.relation import Relation
from eremite.sensitivity.smooth import all_replaced, named_relation
from eremite.sensitivity.strata import Strata, windows_in_strata
from eremite.sensitivity.windows import UNLIMITED, Method, Windows, limits_for, windows


def local_profile(
    points: ArrayLike,
    definition: OutlierDefinition,
    steps: int,
    method: Method = "auto",
    *,
    neighbors: Neighbors = "replace",
) -> NDArray[np.int64]:
    """A^(0), ..., A^(steps - 1): A^(t) = min(N, k K_d + 1, max(C(W_k(t)), f(W_{k-1}(t))) + t + 1).

    With neighbors "add-remove": min(k K_d, max(1, max(C(W[k-a, k+b]), f(W[k-1-a, k-1+b])) + a)), the largest over all
    a + b = t. The first entry bounds the local sensitivity, and A^(t)(X) <= A^(t+1)(X') for neighbors.
    `method` chooses f: "ball" (depth; in three and more columns exact, and the inequality true, up to rounding),
    "truss", "core" for every t; "auto", the default, counts thin sets, as releases do. As private as the rows.
    """
    if type(steps) is not int or steps < 1:
        raise InputError("steps must be a whole number, 1 or more.")
    rows = checked_points(points)
    relation = named_relation(neighbors, len(rows))
    most = relation.most_in_theory(rows.shape[1], definition.min_neighbors)
    limits = limits_for(relation.rows) if method == "auto" else None
    seen = windows(rows, definition, steps, method, most, limits=limits)
    profile = np.empty(steps, dtype=np.int64)
    size = 0
    for step in range(steps):
        size = size_at(seen, relation, step, size)  # never falls as t grows
        profile[step] = size
    return profile


def size_at(seen: Windows | Strata, relation: Relation, step: int, floor: int) -> int:
    """A^(step), or `floor` if that is larger; larger floors take less time."""
    size = min(seen.most, max(floor, relation.least(step)))
    most = [(seen.size(change) + change.own, change) for change in relation.of_step(step)]
    for at_most, change in sorted(most, reverse=True):
        if size < min(at_most, seen.most):
            size = min(seen.most, max(size, seen.turned(change, max(0, size - change.own)) + change.own))
    return size


def profile_function(
    rows: Rows,
    definition: OutlierDefinition,
    steps: int,
    method: Method = "auto",
    relation: Relation | None = None,
    starts: NDArray[np.intp] | None = None,
) -> Callable[[int], int]:
    """A^(t) as a release uses it, for t = 0, 1, ... below `steps`, computed when asked for, a block of steps at a time.

    As private as the rows.
    """
    relation = relation or all_replaced(rows)
    most = relation.cap(d_of(rows), definition.min_neighbors)
    limits = limits_for(relation.rows) if method == "auto" else UNLIMITED
    seen = windows_in_strata(rows, starts, definition, steps, method, most, limits)
    known: list[int] = []  # A^(0), A^(1), ...

    def profile(step: int) -> int:
        while len(known) <= step:
            first, floor = len(known), known[-1] if known else 0
            if floor >= most:
                return most
            known.extend(_sizes(seen, relation, first, min(2 * first + 2, steps - 1), floor))
        return known[step]

    return profile


def _sizes(seen: Windows | Strata, relation: Relation, first: int, last: int, floor: int) -> list[int]:
    """A^(t) from step `first` to `last`, all of them `floor` or more.

    Which rows may matter for any of them is sorted out once.
    """
    looks = last - first + 1
    if relation.is_replacement:
        turned = _turned(
            seen.narrowed(relation.change(last, last), max(0, floor - first), looks),
            relation,
            first,
            last,
            max(0, floor - first),
        )
        return [min(seen.most, rows + first + i + 1) for i, rows in enumerate(turned)]
    seen, sizes = seen.narrowed(relation.change(last, last), max(0, floor - last), looks * looks), list[int]()
    for step in range(first, last + 1):
        floor = size_at(seen, relation, step, floor)
        sizes.append(floor)
    return sizes


def _turned(seen: Windows | Strata, relation: Relation, first: int, last: int, floor: int) -> list[int]:
    """`Windows.turned` from `first` to `last` replaced rows, all of them `floor` or more.

    It never falls as t grows, so steps between two that are equal need no look; and what the last one tells of rows and
    edges serves the others.
    """
    values = dict.fromkeys(range(first, last + 1), floor)

    def fill(low: int, high: int, least: int, most: int) -> None:
        if low > high:
            return
        if least == most:
            values.update(dict.fromkeys(range(low, high + 1), least))
            return
        middle = (low + high) // 2
        values[middle] = seen.turned(relation.change(middle, middle), least)
        fill(low, middle - 1, least, values[middle])
        fill(middle + 1, high, values[middle], most)

    values[last] = seen.turned(relation.change(last, last), floor)
    fill(first, last - 1, floor, values[last])
    return list(values.values())
