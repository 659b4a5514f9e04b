"""Algorithm 2 of the paper: the smooth sensitivity of the count, with the stop of Propositions 3 and 4.

paper                      here
V(X, j, r)                 rows of degree j
max_x C^(t)(X, x, j, r)    Levels.in_one_ball(j, t)
LS^(t)                     Levels.local(t), the upper bound of the theorem on it, and at most N
U^(t)_t'(X, j, r)          Levels.at_most(j, t, known=t')
S^t'_UB                    _still_possible(levels, beta, t')
beta                       beta; the paper's input says epsilon, its Theorem 4 demands epsilon / (4 (1 + ln(2 / delta)))

The result is exact, so it is not private.
"""

from collections.abc import Callable
from functools import cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from eremite.geometry import densest_ball
from eremite.outliers import OutlierDefinition, degrees

#: From points and a Euclidean radius to the most points in one ball: Algorithm 1, or `densest_ball`, which is faster.
InOneBall = Callable[[NDArray[np.float64], float], int]


class Levels:
    """The rows of a table by degree, and the most rows of a window that one ball holds. No window is searched twice."""

    def __init__(
        self, points: NDArray[np.float64], definition: OutlierDefinition, in_one_ball: InOneBall = densest_ball
    ) -> None:
        self.n_rows, d = (int(size) for size in points.shape)
        self.k = definition.min_neighbors
        self._degrees = degrees(points, definition.radius)
        radius = float(definition.radius * np.sqrt(d))

        @cache
        def searched(j: int, t: int) -> int:
            return in_one_ball(points[self._window(j, t)], radius) if self.size(j, t) else 0

        self._searched = searched

    def size(self, j: int, t: int) -> int:
        """How many rows have a degree within t of j."""
        return int(np.count_nonzero(self._window(j, t)))

    def in_one_ball(self, j: int, t: int) -> int:
        """max over x of C^(t)(X, x, j, r); 0 for t = -1, as Algorithm 2 starts."""
        return int(self._searched(j, t)) if t >= 0 else 0

    def local(self, t: int) -> int:
        """The bound on LS^(t)."""
        return min(self.n_rows, max(self.in_one_ball(j, t) for j in (self.k, self.k - 1)) + t + 1)

    def at_most(self, j: int, t: int, known: int) -> int:
        """U^(t)_known: the rows in one ball at step `known`, plus every row that entered the window after it."""
        return self.in_one_ball(j, known) + self.size(j, t) - (self.size(j, known) if known >= 0 else 0)

    def _window(self, j: int, t: int) -> NDArray[np.bool_]:
        return np.abs(self._degrees - j) <= t


def algorithm_2(levels: Levels, beta: float) -> float:
    """max over t of e^(-t beta) LS^(t), found step by step until no later step can be larger."""
    best = 0.0
    for t in range(levels.n_rows + 1):
        if _still_possible(levels, beta, t - 1) <= best:
            return best
        best = max(best, exp(-t * beta) * levels.local(t))
    return best


def _still_possible(levels: Levels, beta: float, known: int) -> float:
    """S^known_UB: an upper bound on the terms of all steps after `known` (Proposition 3)."""
    return max((_bound(levels, beta, t, known) for t in range(known + 1, levels.n_rows + 1)), default=0.0)


def _bound(levels: Levels, beta: float, t: int, known: int) -> float:
    most = max(levels.at_most(j, t, known) for j in (levels.k, levels.k - 1))
    return exp(-t * beta) * min(levels.n_rows, most + t + 1)
