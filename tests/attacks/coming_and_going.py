"""All pairs of tables of small grids of which one has a row more, and the inequalities a profile owes them."""

import itertools

import numpy as np

from eremite.geometry import kissing_number_bound
from tests.attacks.neighboring import broken, centered_anywhere, centered_at_a_row, smooth
from tests.definition import degrees_by_definition, depth_by_definition, outliers_by_definition


def coming_profile_with(
    points, k, radius, steps, *,
    bound=depth_by_definition, removal=centered_at_a_row, addition=centered_anywhere, lower=1, upper=1, each=1, cap=0,
    least=1,
):  # fmt: skip
    """The profile for rows that come and go, written out, with a handle on each of its parts."""
    n, d = points.shape
    degrees = np.array(degrees_by_definition(points, radius), dtype=int)
    most, profile = k * kissing_number_bound(d) + cap, []
    for t in range(steps):
        sizes = [least]
        for a, b in ((a, t - a) for a in range(t + 1)):
            low, high = lower * a, upper * b
            around_k = (degrees >= k - low) & (degrees <= k + high)
            around_less = (degrees >= k - 1 - low) & (degrees <= k - 1 + high)
            turned = (
                [removal(points, around_k, radius, bound), addition(points, around_less, radius, bound)] if n else [0]
            )
            sizes.append(max(turned) + each * a)
        profile.append(min(most, max(sizes)))
    return profile


def tables_up_to(size, n):
    """All tables of at most n rows on a grid of this size, as multisets."""
    return itertools.chain.from_iterable(
        itertools.combinations_with_replacement(range(size), rows) for rows in range(n + 1)
    )


def with_one_more(rows, size):
    """All tables with one row more than this one."""
    return [tuple(sorted((*rows, value))) for value in range(size)]


def violations_of_coming(grid, n, k, radius, profile, steps=5):
    """Every broken inequality among tables of up to n rows, both ways round."""
    tables = {}
    for rows in tables_up_to(len(grid), n):
        points = grid[list(rows)].reshape(len(rows), grid.shape[1])
        bounds = [int(size) for size in profile(points, k, radius, steps)]
        tables[rows] = outliers_by_definition(points, k, radius), bounds, smooth(bounds)
    for rows in tables_up_to(len(grid), n - 1):
        for more in with_one_more(rows, len(grid)):
            yield from broken(rows, more, tables[rows], tables[more])
            yield from broken(more, rows, tables[more], tables[rows])
