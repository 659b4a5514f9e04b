"""What a release of a count knows of a table: (q, S), of all neighboring tables of small grids."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np

from eremite import OutlierDefinition
from eremite.outliers import count_outliers
from eremite.sensitivity import count_with_bound, most_moved
from tests.attacks.neighboring import line, profile_with, replaced, smooth, square

GRIDS = {"line": line(5), "square": square(3)}
#: (grid, N, k, distance)
SMALL = [
    *itertools.product(["line"], (3, 4), (1, 2), (1.0, 2.0)),
    *itertools.product(["square"], (3,), (1, 2), (1.0, 2.0)),
]
ALL = [*SMALL, *itertools.product(["square"], (4,), (1, 2), (1.0, 2.0))]


def smooth_facts(points, k, radius, decay):
    return count_with_bound(points, OutlierDefinition(min_neighbors=k, radius=radius), decay)


def global_facts(points, k, radius, decay):
    count = count_outliers(points, OutlierDefinition(min_neighbors=k, radius=radius))
    return count, Fraction(most_moved(*points.shape, k))


def facts_with(mistake):
    """The facts of a profile with one mistake, smoothed over as many steps as rows: beyond, it is flat."""

    def facts(points, k, radius, decay):
        sizes = profile_with(points, k, radius, len(points) + 2, **mistake)
        return smooth_facts(points, k, radius, decay)[0], smooth(sizes, decay)

    return facts


@cache
def facts_of_tables(case, facts, decay):
    name, n, k, distance = case
    grid = GRIDS[name]
    tables = itertools.combinations_with_replacement(range(len(grid)), n)
    return {rows: facts(grid[list(rows)], k, distance / np.sqrt(grid.shape[1]), decay) for rows in tables}


def pairs_of_facts(case, facts, decay, apart=1):
    """All pairs ((q, S), (q', S')) of tables this many replaced rows apart, or fewer."""
    known, size = facts_of_tables(case, facts, decay), len(GRIDS[case[0]])
    near = {rows: {rows} for rows in known}
    for _ in range(apart):
        near = {rows: set().union(*(replaced(other, size) for other in others)) for rows, others in near.items()}
    return {(known[rows], known[other]) for rows, others in near.items() for other in others}
