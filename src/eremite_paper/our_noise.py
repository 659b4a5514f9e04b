"""The noise of our counts on a given table. A release never says how much noise it has.

theory     here
S(X)       bound, from the functions that a release uses
W          the noise for a bound of 1
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from eremite.mechanisms import SmoothLaplace
from eremite.outliers import OutlierDefinition
from eremite.sensitivity import count_with_bound

#: The variance of epsilon W: the integral of 2 v P(|v| > v), to 1 and from there on (`smooth_laplace.proof.md`).
_VARIANCE = Fraction(1, 310) * (Fraction(1909, 15) + 54 + 2 * 84375 * (Fraction(1, 50) - Fraction(4, 375)))


@dataclass(frozen=True, slots=True)
class OurNoise:
    """An exact count, its smooth bound, and the noise that a release would add."""

    count: int
    bound: float
    deviation: float
    half_width: float


def our_noise(points: NDArray[np.float64], definition: OutlierDefinition, epsilon: Fraction) -> OurNoise:
    """Smooth Laplace noise (pure epsilon-DP) on one table. Not private: the numbers are exact."""
    noise = SmoothLaplace(epsilon)
    count, bound = count_with_bound(points, definition, noise.decay)
    deviation = smooth_laplace_deviation() / float(epsilon) * float(bound)
    return OurNoise(count, float(bound), deviation, noise.half_width() * float(bound))


def smooth_laplace_deviation() -> float:
    """The standard deviation of smooth Laplace noise at epsilon = 1 for a bound of 1."""
    return sqrt(_VARIANCE)
