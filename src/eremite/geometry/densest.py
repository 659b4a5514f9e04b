"""The most points of a set that one ball of radius R can hold, its center anywhere: depth, exactly.

One column: a window of length 2R slides over the sorted values. Two columns: `sweep`. More: `search`.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines.pair import kernel
from eremite.geometry.graph import Graph, checked, near_graph, outward_square
from eremite.geometry.search import largest_group
from eremite.geometry.sweep import planar_depth


def densest_ball(points: ArrayLike, radius: float) -> int:
    """Depth: the largest number of points within one closed ball of the Euclidean radius, centered anywhere."""
    rows = checked(points, radius)
    if rows.shape[1] == 1:
        return line_depth(rows, radius)
    return depth_of_graph(rows, near_graph(rows, radius), radius)


def depth_of_graph(points: NDArray[np.float64], graph: Graph, radius: float, floor: int = 0) -> int:
    """Depth in two or more columns, or `floor` if larger; `graph` is the graph "within 2R" of the points."""
    if len(points) == 0:
        return floor
    squared = outward_square(radius)
    if points.shape[1] == 2:
        return planar_depth(points, graph, squared, floor)
    return largest_group(points, graph, squared, floor)


def line_depth(points: NDArray[np.float64], radius: float) -> int:
    """Depth in one column, which needs no graph."""
    return int(_longest_window(np.sort(points[:, 0]), 4 * outward_square(radius)))


@kernel
def _longest_window(ascending, squared):
    """The edge test of the graph, on sorted values: it is monotone, so a largest clique is a window."""
    best = 0
    first = 0
    for i in range(ascending.size):
        while (ascending[i] - ascending[first]) * (ascending[i] - ascending[first]) > squared:
            first += 1
        best = max(best, i - first + 1)
    return best
