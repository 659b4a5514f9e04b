"""What an outlier is (theory: Okada et al. 2015, section 3).

paper    here
k        min_neighbors
r        radius          in the normalised distance sqrt(sum of squared differences / number of columns)
"""

import math
from dataclasses import dataclass

from eremite.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlierDefinition:
    """A row is an outlier when fewer than `min_neighbors` other rows lie within `radius`.

    Other by row, not by value: two equal rows are neighbours. The radius is measured on columns scaled to [0, 1] and
    divided by the square root of their number, so it means the same in every subspace.
    """

    min_neighbors: int
    radius: float

    def __post_init__(self) -> None:
        if type(self.min_neighbors) is not int or self.min_neighbors < 1:
            raise InputError("min_neighbors must be a whole number, 1 or more.")
        if type(self.radius) not in (int, float) or not (math.isfinite(self.radius) and self.radius > 0):
            raise InputError("radius must be a finite number above 0.")
