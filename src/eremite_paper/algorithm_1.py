"""Algorithm 1 of the paper: the most points of a set that one ball holds, by growing subsets.

paper          here
P              points
r              radius    Euclidean: the paper's r times sqrt(d)
E(r, P, C, i)  grow(chosen, i)
seb(C)         smallest_enclosing_ball; `calls` counts them
m              size

As in the paper, a subset whose ball is too large is not extended. The result is exact, so it is not private.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.geometry import smallest_enclosing_ball

_OUTWARD = 1 + 1e-9  # balls are computed in floating point; rounding must not reject one that fits exactly


@dataclass(frozen=True, slots=True)
class Searched:
    """The most points in one ball (None if the search was given up), and how many enclosing balls were computed."""

    size: int | None
    calls: int


class _TooManyError(Exception):
    """Algorithm 1 needs more enclosing balls than it was allowed."""


def algorithm_1(points: NDArray[np.float64], radius: float, most_calls: int | None = None) -> Searched:
    """Search all subsets as printed, line by line; give up after `most_calls` enclosing balls."""
    calls = 0

    def seb(chosen: list[int]) -> float:
        nonlocal calls
        calls += 1
        if most_calls is not None and calls > most_calls:
            raise _TooManyError
        return smallest_enclosing_ball(points[chosen])[1]

    def grow(chosen: list[int], i: int) -> int:
        if chosen and seb(chosen) > radius * _OUTWARD:
            return 0
        size = len(chosen)
        if i < len(points):
            size = max(size, grow([*chosen, i], i + 1), grow(chosen, i + 1))
        return size

    try:
        return Searched(grow([], 0), calls)
    except _TooManyError:
        return Searched(None, calls - 1)
