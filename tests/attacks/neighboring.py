"""All neighboring pairs of tables on a small grid, and the inequalities a profile owes them.

A profile is a function from (rows, k, radius, steps) to A^(0), ..., A^(steps - 1).
"""

import itertools
from fractions import Fraction

import numpy as np

from eremite.geometry import kissing_number_bound
from tests.definition import (
    are_neighbors,
    around_rows_by_definition,
    degrees_by_definition,
    depth_by_definition,
    outliers_by_definition,
)

DECAY = Fraction(3, 4)


def line(size):
    return np.arange(float(size))[:, None]


def square(side):
    return np.array(list(itertools.product(range(side), repeat=2)), dtype=float)


def smooth(profile, decay=DECAY):
    return max(decay**t * int(size) for t, size in enumerate(profile))


def centered_anywhere(points, window, radius, bound):
    """A bound on what one ball holds of the window, as an addition needs it."""
    return bound(points[window], radius * np.sqrt(points.shape[1]))


def centered_at_a_row(points, window, radius, bound):
    """What one ball around a row holds of the window, as a removal needs it."""
    return around_rows_by_definition(points, window, radius)


def profile_with(
    points, k, radius, steps, *,
    bound=depth_by_definition, removal=centered_at_a_row, addition=centered_anywhere, upper=1, per_step=(1, 1), extra=1,
    cap=0,
):  # fmt: skip
    """The profile written out, with a handle on each of its parts: removals first, then additions."""
    n, d = points.shape
    degrees = np.array(degrees_by_definition(points, radius))
    most = min(n + cap, k * kissing_number_bound(d) + 1)
    profile = []
    for t in range(steps):
        around_k = (degrees >= k - t) & (degrees <= k + upper * t)
        sizes = (
            removal(points, around_k, radius, bound),
            addition(points, np.abs(degrees - k + 1) <= t, radius, bound),
        )
        profile.append(min(most, max(size + each * t for size, each in zip(sizes, per_step, strict=True)) + extra))
    return profile


def replaced(rows, size):
    """All tables that differ from this one in at most one row, as multisets."""
    moves = itertools.product(range(len(rows)), range(size))
    return {tuple(sorted((*rows[:i], *rows[i + 1 :], value))) for i, value in moves}


def violations(grid, n, k, radius, profile, steps=5, smoothed=smooth):
    """Every broken inequality, as a sentence; the order of rows does not matter, so tables are multisets."""
    tables = {}
    for rows in itertools.combinations_with_replacement(range(len(grid)), n):
        points = grid[list(rows)]
        bounds = [int(size) for size in profile(points, k, radius, steps)]
        tables[rows] = outliers_by_definition(points, k, radius), bounds, smoothed(bounds)
    for rows in tables:
        for other in replaced(rows, len(grid)):
            yield from broken(rows, other, tables[rows], tables[other])


def broken(name, other_name, table, other):
    (q, profile, bound), (q_other, profile_other, bound_other) = table, other
    if abs(q - q_other) > profile[0]:
        yield f"count moves by {abs(q - q_other)}, more than A^(0) = {profile[0]}: {name} {other_name}"
    for t, (here, there) in enumerate(zip(profile, profile_other[1:], strict=False)):
        if here > there:
            yield f"A^({t}) = {here} exceeds A^({t + 1}) = {there} of a neighbor: {name} {other_name}"
    if bound > bound_other / DECAY:
        yield f"S = {bound} and {bound_other} differ by more than 1 / decay: {name} {other_name}"


def thinned_profile_with(points, k, radius, steps, *, bound, around=None, per_step=1):
    """The profile of additions anywhere and removals at rows, with a handle on what counts each of them.

    bound(rows, radius, k, step) counts the rows of one ball anywhere; around(rows, radius, k, step) those around a row
    of the table, and is the same bound if nothing is said.
    """
    n, d = points.shape
    around = around or bound
    degrees = np.array(degrees_by_definition(points, radius))
    near = np.array(
        [[i != j and are_neighbors(p, q, radius) for j, q in enumerate(points)] for i, p in enumerate(points)]
    )
    most = min(n, k * kissing_number_bound(d) + 1)
    sizes = []
    for t in range(steps):
        removed = max(around(points[near[i] & (np.abs(degrees - k) <= t)], radius, k, t) for i in range(n))
        sizes.append(max(removed, bound(points[np.abs(degrees - k + 1) <= t], radius, k, t)))
    return [min(most, size + per_step * t + 1) for t, size in enumerate(sizes)]
