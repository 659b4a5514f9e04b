"""The paper's smooth sensitivity on tables that are too large for its own algorithm.

paper    here
LS^(t)   bounded as in Algorithm 2: the most rows of a window in one ball, + t + 1, and at most N
"""

from fractions import Fraction
from math import ceil, exp, log

import numpy as np
from numpy.typing import NDArray

from eremite.engines import count_neighbors
from eremite.outliers import OutlierDefinition
from eremite.sensitivity.windows import limits_for, windows

_TRIED = 24  # steps, spread evenly over the logarithm


def smooth_sensitivity(points: NDArray[np.float64], definition: OutlierDefinition, decay: Fraction) -> float:
    """max over t of decay^t LS^(t) with our bound on a ball: exact in one and two columns, slightly larger in more."""
    n, fall = len(points), -log(decay)
    step = min(n, max(1, round(1 / fall)))
    best = exp(-fall * (step - 1)) * step  # a lower bound for every table
    last = ceil(log(n / best) / fall)
    seen = windows(points, definition, last + 1, "ball" if points.shape[1] <= 2 else "truss", n, limits=limits_for(n))
    for t in range(last + 1):
        floor = min(n, max(0, int(best * exp(fall * t) * (1 - 1e-9)) - t - 1))
        held = max(seen.ball_bound(j, t, floor) for j in (definition.min_neighbors, definition.min_neighbors - 1))
        best = max(best, exp(-fall * t) * min(n, held + t + 1))
    return best


def smooth_sensitivity_at_least(points: NDArray[np.float64], definition: OutlierDefinition, beta: float) -> float:
    """A lower bound on the smooth sensitivity, fast on every table: few steps, and only balls centered at rows."""
    n, k = len(points), definition.min_neighbors
    found = count_neighbors(points, definition.radius, n)
    best = 0.0
    for t in sorted({int(t) for t in np.geomspace(1, n, _TRIED)} | {0, min(n, round(1 / beta))}):
        if exp(-beta * t) * n > best:
            held = max(_around_a_row(points[np.abs(found - j) <= t], definition.radius) for j in (k, k - 1))
            best = max(best, exp(-beta * t) * min(n, held + t + 1))
    return best


def _around_a_row(points: NDArray[np.float64], radius: float) -> int:
    """The most points in a ball centered at one of them."""
    return 1 + int(count_neighbors(points, radius, len(points)).max()) if len(points) else 0
