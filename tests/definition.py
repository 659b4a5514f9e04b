"""The definitions spelled out, never optimised: what every fast path must reproduce."""

import numpy as np


def are_neighbors(x, y, radius):
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += (a - b) * (a - b)
    return total <= radius * radius * len(x)


def degrees_by_definition(points, radius, cap=None):
    rows = np.asarray(points, dtype=float).tolist()
    found = [sum(are_neighbors(p, q, radius) for j, q in enumerate(rows) if j != i) for i, p in enumerate(rows)]
    return found if cap is None else [min(degree, cap) for degree in found]


def outliers_by_definition(points, min_neighbors, radius):
    return sum(degree < min_neighbors for degree in degrees_by_definition(points, radius))
