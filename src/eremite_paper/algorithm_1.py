"""Algorithm 1 of the paper: the most points of a set that one ball holds, by growing subsets.

paper          here
P              points
r              radius    Euclidean: the paper's r times sqrt(d)
E(r, P, C, i)  grow(chosen, i)
seb(C)         smallest_enclosing_ball; `calls` counts them
m              size

The paper's skip: where the ball around C is too large, no larger subset is tried. Not private: an exact result.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.geometry import smallest_enclosing_ball

_OUTWARD = 1 + 1e-9  # the ball is found in floating point; one that fits exactly must not fail for that


@dataclass(frozen=True, slots=True)
class Searched:
    """The most points in one ball, None if the search was given up, and how often a ball was asked for."""

    size: int | None
    calls: int


class _TooManyError(Exception):
    """More balls than allowed."""


def algorithm_1(points: NDArray[np.float64], radius: float, most_calls: int | None = None) -> Searched:
    """Search all subsets, line by line as printed; with `most_calls`, give up beyond so many enclosing balls."""
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
