"""The local profile: how far one replaced row can move the count, t replaced rows away (claims L1 to L4).

paper          here
A^(t)(X)       local_profile(...)[t]
min(N, ...)    Windows.most
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.errors import InputError
from eremite.outliers import OutlierDefinition, checked_points
from eremite.sensitivity.global_sensitivity import global_bounds, most_moved
from eremite.sensitivity.windows import Method, Windows, windows


def local_profile(
    points: ArrayLike, definition: OutlierDefinition, steps: int, method: Method = "auto"
) -> NDArray[np.int64]:
    """A^(0), ..., A^(steps - 1): A^(t) = min(N, k K_d + 1, max(C(W_k(t)), f(W_{k-1}(t))) + t + 1).

    The first entry bounds the local sensitivity, and A^(t)(X) <= A^(t+1)(X') for tables that differ in one row.
    `method` chooses f: "ball" (depth; in three and more columns exact, and the inequality true, up to rounding),
    "truss", "core" for every t; "auto", the default, counts thin sets, as releases do. As private as the rows.
    """
    if type(steps) is not int or steps < 1:
        raise InputError("steps must be a whole number, 1 or more.")
    rows = checked_points(points)
    most = global_bounds(len(rows), rows.shape[1], definition.min_neighbors)[1]
    seen = windows(rows, definition, steps, method, most)
    profile = np.empty(steps, dtype=np.int64)
    bound = 0
    for step in range(steps):
        if bound + step < seen.most:
            bound = seen.turned(step, floor=bound)  # never falls as t grows
        profile[step] = min(seen.most, bound + step + 1)
    return profile


def profile_function(
    points: NDArray[np.float64], definition: OutlierDefinition, steps: int, method: Method = "auto"
) -> Callable[[int], int]:
    """A^(t) as a release uses it, for t = 0, 1, ... below `steps`, computed when asked for, a block of steps at a time.

    As private as the rows.
    """
    n, d = points.shape
    most = most_moved(n, d, definition.min_neighbors)
    seen = windows(points, definition, steps, method, most)
    known: list[int] = []  # the most rows that one row can turn, step by step

    def profile(step: int) -> int:
        while len(known) <= step:
            first, floor = len(known), known[-1] if known else 0
            if first + floor >= most:
                return most
            known.extend(_turned(seen, first, min(2 * first + 2, steps - 1), floor))
        return min(most, known[step] + step + 1)

    return profile


def _turned(seen: Windows, first: int, last: int, floor: int) -> list[int]:
    """`Windows.turned` from step `first` to `last`, all of them `floor` or more.

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
        values[middle] = seen.turned(middle, least)
        fill(low, middle - 1, least, values[middle])
        fill(middle + 1, high, values[middle], most)

    seen = seen.narrowed(last, floor, looks=last - first + 1)
    values[last] = seen.turned(last, floor)
    fill(first, last - 1, floor, values[last])
    return list(values.values())
