"""The definition of an outlier (Okada et al. 2015, section 3).

paper    here
k        min_neighbors
r        radius          in the normalized distance sqrt(sum of squared differences / number of columns)
"""

import math
from dataclasses import dataclass
from numbers import Integral, Real

from eremite.errors import InputError

# Squares of numbers between these neither overflow nor underflow, even when added over millions of columns.
LARGEST = 1e150
SMALLEST_RADIUS = 1e-140
MOST_NEIGHBORS = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlierDefinition:
    """A row is an outlier when fewer than `min_neighbors` other rows lie within `radius`.

    Equal rows are neighbors of each other. Distances are taken on columns scaled to [0, 1] and divided by the square
    root of the number of columns, so a radius means the same in every subspace. With `within`, only rows that agree on
    these columns, which have categories, are neighbors.
    """

    min_neighbors: int
    radius: float
    within: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "min_neighbors", _whole(self.min_neighbors))
        object.__setattr__(self, "radius", _distance(self.radius))
        object.__setattr__(self, "within", _names(self.within))

    def to_json(self) -> dict[str, int | float | list[str]]:
        """The fields; those that were not given are left out."""
        said: dict[str, int | float | list[str]] = {"min_neighbors": self.min_neighbors, "radius": self.radius}
        return said | ({"within": list(self.within)} if self.within else {})


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InputError("min_neighbors must be a whole number, 1 or more.")
    if int(value) > MOST_NEIGHBORS:
        raise InputError(f"min_neighbors must be at most {MOST_NEIGHBORS:,}; no table has as many rows.")
    return int(value)


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, tuple | list) or not all(isinstance(name, str) for name in value):
        raise InputError('within must be a list of columns with categories, such as ["sex", "ward"].')
    if len(set(value)) < len(value):
        raise InputError("within names a column more than once; name each once.")
    return tuple(value)


def _distance(value: object) -> float:
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not SMALLEST_RADIUS <= number <= LARGEST:
        raise InputError(
            f"radius must be a number above 0, from {SMALLEST_RADIUS:g} to {LARGEST:g}; "
            "on columns scaled by their bounds, for example 0.02."
        )
    return number
