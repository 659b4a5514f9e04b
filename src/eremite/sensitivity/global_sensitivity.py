"""Global sensitivity of the outlier count (claim G1 of `sensitivity.proof.md`).

paper     here
GS        lies between the two numbers
K_d       kissing_number_bound(d)
"""

from eremite.errors import InputError
from eremite.geometry import kissing_number_bound
from eremite.geometry.directions import directions_bound


def most_moved(n: int, d: int, min_neighbors: int) -> int:
    """What a release takes for the global sensitivity: proved for the rounded distances that are computed (claim G2).

    The upper bound of `global_bounds` in one and two columns; in more, with `directions_bound` + 1 in place of K_d.
    Public: no row is looked at.
    """
    exact = global_bounds(n, d, min_neighbors)[1]
    return exact if d <= 2 else min(n, most_turned(d, min_neighbors) + 1)


def most_turned(d: int, min_neighbors: int) -> int:
    """How many other rows an added or a removed row can turn at most, as computed (claim G2). Public."""
    return min_neighbors * (kissing_number_bound(d) if d <= 2 else directions_bound(d) + 1)


def global_bounds(n: int, d: int, min_neighbors: int) -> tuple[int, int]:
    """Bounds on how far replacing one of n rows can move the count, over all tables. Public: no row is looked at."""
    for name, value, least in (("n", n, 0), ("min_neighbors", min_neighbors, 1)):
        if type(value) is not int or value < least:
            raise InputError(f"{name} must be a whole number, {least} or more.")
    sites = min(2 * d, (n - 1) // min_neighbors)  # of the cross that shows the lower bound
    lower = sites * min_neighbors + 1 if sites > 0 else 0
    return lower, min(n, min_neighbors * kissing_number_bound(d) + 1)
