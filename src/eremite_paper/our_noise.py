"""How far off our counts are on a given table: by reach, which is what a count takes, and by smooth Laplace.

theory     here
D          reach, public
q - F_D    held_back: outliers that a count by reach leaves out
S(X)       bound, from the functions that a release uses

Not private: the numbers are exact. A count by reach says how much noise it has, but not how many outliers it left out;
one by smooth Laplace says neither.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from eremite.forecast.capped import off_by
from eremite.mechanisms import SmoothLaplace
from eremite.outliers import OutlierDefinition, count_outliers
from eremite.privacy import Privacy
from eremite.queries.reach import Capped, for_count
from eremite.reach import count_of_reach, usual_reach
from eremite.sensitivity import count_with_bound

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ByReach:
    """An exact count, and how far off an answer by reach is: noise, and outliers held back."""

    count: int
    reach: int
    held_back: float
    noise: float  # the standard deviation of the noise alone
    deviation: float  # of the answers from the true count: root mean square
    half_width: float  # 95 % of the answers are off by at most this


@dataclass(frozen=True, slots=True)
class BySmoothLaplace:
    """An exact count, its smooth bound, and the noise that smooth Laplace would add."""

    count: int
    bound: float
    deviation: float
    half_width: float


def by_reach(points: Floats, definition: OutlierDefinition, epsilon: Fraction) -> ByReach:
    """A count of the usual reach (pure epsilon-DP, N public) on one table."""
    n, d = points.shape
    reach = usual_reach(n, d, definition, epsilon, "replace")
    capped = for_count(("reach",), reach, Privacy(epsilon), "replace", 1)
    count, (low, high) = count_outliers(points, definition), count_of_reach(points, definition, reach)
    held_back = max(0.0, count - float(low + high) / 2)
    noise = deviation_of(capped)
    return ByReach(count, reach, held_back, noise, sqrt(noise**2 + held_back**2), off_by(capped, held_back, 0.95))


def deviation_of(capped: Capped) -> float:
    """The standard deviation of the noise of a count by reach: on its grid, then rounded to whole numbers."""
    fineness, ratio = capped.noise.fineness, exp(-1 / (float(capped.noise.scale) * capped.noise.fineness))
    return sqrt(2 * ratio / ((1 - ratio) * fineness) ** 2 + 1 / 12)


def by_smooth_laplace(points: Floats, definition: OutlierDefinition, epsilon: Fraction) -> BySmoothLaplace:
    """Smooth Laplace noise (pure epsilon-DP, N public) on one table."""
    noise = SmoothLaplace(epsilon)
    count, bound = count_with_bound(points, definition, noise.decay)
    return BySmoothLaplace(count, float(bound), noise.deviation * float(bound), noise.half_width() * float(bound))
