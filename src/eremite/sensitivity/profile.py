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
from eremite.sensitivity.windows import Method, windows


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


def profile_function(points: NDArray[np.float64], definition: OutlierDefinition, steps: int) -> Callable[[int], int]:
    """A^(t) as a release uses it, for t = 0, 1, ... below `steps`, computed when asked for in this order.

    As private as the rows.
    """
    n, d = points.shape
    most = most_moved(n, d, definition.min_neighbors)
    seen = windows(points, definition, steps, "auto", most)
    bound = 0

    def profile(step: int) -> int:
        nonlocal bound, seen
        if bound + step < most:
            bound = seen.turned(step, floor=bound)
            if step == 0:
                seen = seen.narrowed(steps - 1, bound)
        return min(most, bound + step + 1)

    return profile
