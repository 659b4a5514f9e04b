"""The noise of our counts on a given table. A release never says how much noise it has.

theory     here
S(X)       bound, from the functions that a release uses
W          the noise for a bound of 1
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from eremite.mechanisms import SmoothLaplace
from eremite.outliers import OutlierDefinition
from eremite.sensitivity import count_with_bound


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
    return OurNoise(count, float(bound), noise.deviation * float(bound), noise.half_width() * float(bound))
