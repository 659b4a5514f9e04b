"""Attack the profile with thinned bounds on all neighboring tables of small grids, and mutants it must catch."""

import functools
import itertools

import numpy as np
import pytest

from eremite.engines.pair import squared_radius
from eremite.geometry import densest_ball
from eremite.geometry.core import core_of_graph
from eremite.geometry.graph import near_graph
from eremite.geometry.lattice import lattice_depth, on_lattice
from eremite.geometry.thinned import (
    near_edges,
    thinned_core_of_graph,
    thinned_truss_of_ball,
    thinned_truss_of_graph,
)
from tests.attacks import neighboring
from tests.attacks.neighboring import line, square, thinned_profile_with, violations
from tests.definition import outliers_by_definition, thinned_depth_by_definition


def remembered(bound):
    """The same rows are asked about many times: by several steps, centers and tables."""
    found = {}

    @functools.wraps(bound)
    def ask(rows, radius, k, step):
        key = rows.shape, rows.tobytes(), radius, k
        if key not in found:
            found[key] = bound(rows, radius, k, step)
        return found[key]

    return ask


@remembered
def depth(rows, radius, k, step):
    return thinned_depth_by_definition(rows, radius, k)


@remembered
def core(rows, radius, k, step):
    graph, near, _ = seen(rows, radius)
    return thinned_core_of_graph(graph, near, k - 1)


@remembered
def truss(rows, radius, k, step):
    graph, near, distance = seen(rows, radius)
    return thinned_truss_of_graph(graph, near, distance, k - 1)


@remembered
def truss_of_ball(rows, radius, k, step):
    return thinned_truss_of_ball(rows, squared_radius(radius, rows.shape[1]), k - 1)


def seen(rows, radius):
    distance = float(radius * np.sqrt(rows.shape[1]))
    graph = near_graph(rows, distance)
    return graph, near_edges(graph, rows, squared_radius(radius, rows.shape[1])), distance


def all_rows(rows, radius, k, step):
    """A plain count: what the profile without thinning has around a row."""
    return len(rows)


@remembered
def both(rows, radius, k, step):
    """The smaller of depth and thinned truss: one bound, admissible and below both."""
    return min(densest_ball(rows, radius * np.sqrt(rows.shape[1])), truss(rows, radius, k, step))


@remembered
def on_a_lattice(rows, radius, k, step):
    """In the plane, as a release would count: depth and truss of the images, neighbors by the rows."""
    if rows.shape[1] != 2:
        return truss(rows, radius, k, step)
    images, square = on_lattice(rows, float(radius * np.sqrt(2)))
    distance = float(np.sqrt(square)) / 2
    graph = near_graph(images, distance)
    near = near_edges(graph, rows, squared_radius(radius, 2))
    return min(lattice_depth(images, graph, square, 0), thinned_truss_of_graph(graph, near, distance, k - 1))


#: Three places in a row and one apart: a row in the middle is near clumps that are not near each other.
PATH = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [9.0, 9.0]])

#: Places, how many rows, how far a row sees. The rows of the last ones coincide often, so clumps are dense.
SMALL = (
    *((line(5), n, distance) for n in (1, 2, 3, 4) for distance in (1.0, 2.0)),
    *((square(3), n, distance) for n in (2, 3) for distance in (1.0, np.sqrt(2))),
)
CLUMPS = (
    *((line(3), n, 1.0) for n in (6, 7)),
    *((square(2), n, distance) for n in (5, 6) for distance in (0.5, 1.0)),
    *((PATH, n, 1.1) for n in (6, 7)),
)
FURTHER = ((line(5), 5, 1.0), (line(6), 6, 1.0), (square(3), 4, 1.0), (square(3), 4, np.sqrt(2)), (square(2), 7, 1.0))


def broken(cases, k, **parts):
    """The first broken inequality of the profile with these parts."""

    def profile(points, k, radius, steps):
        return thinned_profile_with(points, k, radius, steps, **parts)

    found = (violations(grid, n, k, distance / np.sqrt(grid.shape[1]), profile) for grid, n, distance in cases)
    return next(itertools.chain.from_iterable(found), None)


PAIRS = {
    "depth": {"bound": depth},
    "core": {"bound": core},
    "truss": {"bound": truss, "around": truss_of_ball},
    "depth below truss": {"bound": truss, "around": depth},
    "truss below core": {"bound": core, "around": truss_of_ball},
    "smaller of depth and truss": {"bound": both, "around": truss_of_ball},
    "on a lattice": {"bound": on_a_lattice, "around": truss_of_ball},
}


@pytest.mark.parametrize("parts", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_thinned_profile_withstands_all_neighbors(k, parts):
    assert broken(SMALL + CLUMPS, k, **parts) is None


@pytest.mark.slow
@pytest.mark.parametrize("parts", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_thinned_profile_withstands_all_neighbors_of_larger_tables(k, parts):
    assert broken(FURTHER, k, **parts) is None


@pytest.mark.parametrize("bound", [depth, core, truss])
def test_attack_catches_thinned_balls_with_plain_counts_around_rows(bound):
    """k = 1: four rows around one, two on each side, count 4; when it has gone, one on each side counts anywhere."""
    assert broken(CLUMPS, 1, bound=bound, around=all_rows) is not None


def test_attack_catches_a_coarser_bound_around_rows_than_elsewhere():
    assert broken(CLUMPS, 1, bound=truss, around=core) is not None


def too_thin(rows, radius, k, step):
    """Fewer neighbors among themselves than rows that turn may have."""
    return truss(rows, radius, k - 1, step) if k > 1 else truss(rows, radius, k, step)


def test_attack_catches_rows_thinned_too_much():
    assert broken(SMALL + CLUMPS, 2, bound=too_thin) is not None


def test_attack_catches_a_thinned_profile_without_a_step():
    assert broken(SMALL + CLUMPS, 1, bound=truss, per_step=0) is not None


def limited(crowd, forgets=0):
    """The thinned truss up to a crowd, the core above it; around rows the thinned truss, or all rows (claim H8)."""

    def bound(rows, radius, k, step):
        whole = core_of_graph(seen(rows, radius)[0])
        return truss(rows, radius, k, step) if whole + step * (1 - forgets) <= crowd else whole

    def around(rows, radius, k, step):
        few = len(rows) + step * (1 - forgets) <= crowd
        return truss_of_ball(rows, radius, k, step) if few else len(rows)

    return {"bound": bound, "around": around}


@pytest.mark.parametrize("crowd", range(1, 9))
def test_thinned_profile_withstands_all_neighbors_where_crowds_are_limited(crowd):
    for k in (1, 2):
        assert broken((*SMALL[-1:], *CLUMPS), k, **limited(crowd)) is None


def test_attack_catches_crowd_limits_that_forget_the_step():
    assert any(broken(CLUMPS, 1, **limited(crowd, forgets=1)) for crowd in range(2, 6))


def crowded(rng, n, d):
    """Clumps, some of copies, and single rows between them."""
    centers = rng.normal(0, 0.6, (int(rng.integers(2, 6)), d))
    points = rng.normal(centers[rng.integers(0, len(centers), n)], rng.choice([0.0, 0.05, 0.3], (n, 1)))
    return points if rng.random() < 0.7 else np.round(points * 2) / 2


def moved(rng, points, radius):
    """Rows taken from, and put into, the middle of a clump, between two rows, onto a row, and far away."""
    near = np.linalg.norm(points[:, None] - points[None], axis=2) <= radius * np.sqrt(points.shape[1])
    hub, lone = int(near.sum(axis=1).argmax()), int(near.sum(axis=1).argmin())
    pair = rng.integers(0, len(points), 2)
    anyone = int(rng.integers(0, len(points)))
    middle = points[near[hub]].mean(axis=0)
    for row, place in (
        (hub, points[hub] + 50),
        (lone, middle),
        (anyone, points[pair].mean(axis=0)),
        (anyone, points[hub]),
    ):
        other = points.copy()
        other[row] = place
        yield other


@pytest.mark.parametrize(
    "parts",
    [PAIRS["truss"], PAIRS["core"], PAIRS["on a lattice"], limited(8), limited(14)],
    ids=["truss", "core", "on a lattice", "crowds of 8", "crowds of 14"],
)
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_thinned_profile_withstands_hostile_moves_on_larger_tables(d, parts):
    rng = np.random.default_rng(300 + d)
    for _ in range(6):
        n, k, radius = int(rng.integers(12, 28)), int(rng.integers(1, 5)), float(rng.uniform(0.3, 0.6))

        def told(points, k=k, radius=radius):
            # Eight steps do not reach the cap, so there is no S to compare.
            return outliers_by_definition(points, k, radius), thinned_profile_with(points, k, radius, 8, **parts), 0

        points = crowded(rng, n, d)
        here = told(points)
        for other in moved(rng, points, radius):
            there = told(other)
            assert not [*neighboring.broken("X", "X'", here, there), *neighboring.broken("X'", "X", there, here)]
