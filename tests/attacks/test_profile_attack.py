"""Attack the profile and the smooth bound on all neighboring tables of small grids, and on larger random ones."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from eremite import OutlierDefinition
from eremite.sensitivity import local_profile, smooth_bound
from eremite.sensitivity.relation import Change
from eremite.sensitivity.windows import Limits, windows
from tests.attacks.neighboring import DECAY, broken, line, square, violations
from tests.definition import outliers_by_definition

METHODS = ("auto", "ball", "truss", "core")


def ours(method):
    return lambda points, k, radius, steps: local_profile(
        points, OutlierDefinition(min_neighbors=k, radius=radius), steps, method
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("radius", [1.0, 2.0])
def test_profile_withstands_all_neighbors_on_a_line(method, k, radius):
    for n in (1, 2, 3, 4, 5):
        assert next(violations(line(5), n, k, radius, ours(method)), None) is None


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("distance", [1.0, np.sqrt(2), 2.0])
def test_profile_withstands_all_neighbors_on_a_square(method, k, distance):
    for n in (2, 3, 4):
        assert next(violations(square(3), n, k, distance / np.sqrt(2), ours(method)), None) is None


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_profile_withstands_all_neighbors_of_five_rows_on_a_square(method, k):
    for distance in (1.0, np.sqrt(2), np.sqrt(5)):
        assert next(violations(square(3), 5, k, distance / np.sqrt(2), ours(method)), None) is None


class ForgetfulLimits(Limits):
    """A mutant: the same window is judged alike at every step."""

    def allow_edges(self, size, core, step):
        return super().allow_edges(size, core, 0)

    def allow_triangles(self, size, core, step):
        return super().allow_triangles(size, core, 0)


def limited(limits, method):
    """The profile with limits so low that tables of a few rows meet them."""

    def profile(points, k, radius, steps):
        definition = OutlierDefinition(min_neighbors=k, radius=radius)
        seen = windows(points, definition, steps, method, len(points), limits=limits)
        return [min(len(points), seen.turned(Change(step, step, step, step + 1)) + step + 1) for step in range(steps)]

    return profile


#: The first forbids every graph, the last almost none; (n + t)(c + t) of these tables is up to 64.
LOW_LIMITS = [
    (edges, triangles) for edges in (0, 2, 4, 6, 9, 12, 16, 25) for triangles in (8, 27, 64) if triangles > edges
]
_AT_ONCE = ((0, 8), (9, 27))
_TRIED = [some if some in _AT_ONCE else pytest.param(*some, marks=pytest.mark.slow) for some in LOW_LIMITS]


@pytest.mark.parametrize("method", ["auto", "truss"])
@pytest.mark.parametrize(("edges", "triangles"), _TRIED)
def test_profile_withstands_all_neighbors_where_its_work_is_limited(method, edges, triangles):
    profile = limited(Limits(edges=edges, triangles=triangles, crowd=3), method)
    for grid, n, distance in ((line(5), 4, 1.0), (square(3), 3, np.sqrt(2)), (square(3), 4, 1.0)):
        for k in (1, 2):
            assert next(violations(grid, n, k, distance / np.sqrt(grid.shape[1]), profile), None) is None


def test_attack_catches_limits_that_forget_the_step():
    """Five rows around a ring, each two within 2R, no three in one disc; and a crowd that one of them may join.

    The ring is counted by its depth while its window is small, by its core or size where it is larger.
    """
    angles = 2 * np.pi * np.arange(5) / 5
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) / (2 * np.sin(np.pi / 5))  # side 1
    before, after = (np.vstack([ring[:rows], np.full((11 - rows, 2), 50.0)]) for rows in (5, 4))
    caught = {Limits: 0, ForgetfulLimits: 0}
    for kind, edges in itertools.product(caught, range(8, 40)):
        profile = limited(kind(edges=edges, triangles=10**6, crowd=10**6), "auto")
        for distance in (0.82, 0.9):
            told = [
                (outliers_by_definition(rows, 1, distance / np.sqrt(2)), sizes, 0)
                for rows in (before, after)
                for sizes in [profile(rows, 1, distance / np.sqrt(2), 4)]
            ]
            caught[kind] += len([*broken("X", "X'", *told), *broken("X'", "X", *told[::-1])])
    assert caught[Limits] == 0
    assert caught[ForgetfulLimits] > 0


def test_attack_catches_limits_on_triangles_that_forget_the_step():
    """The same in three columns: the ring is counted by its truss while its window is small, by its core beyond."""
    angles = 2 * np.pi * np.arange(5) / 5
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(5)])
    before, after = (np.vstack([ring[:rows], np.full((11 - rows, 3), 50.0)]) for rows in (5, 4))
    radius = 0.98 / np.sqrt(3)
    caught = {Limits: 0, ForgetfulLimits: 0}
    for kind, triangles in itertools.product(caught, range(8, 1_500, 16)):
        profile = limited(kind(edges=10**6, triangles=triangles, crowd=10**6), "truss")
        told = [(outliers_by_definition(rows, 1, radius), profile(rows, 1, radius, 4), 0) for rows in (before, after)]
        caught[kind] += len([*broken("X", "X'", *told), *broken("X'", "X", *told[::-1])])
    assert caught[Limits] == 0
    assert caught[ForgetfulLimits] > 0


def hostile_moves(rng, points, radius):
    """Into the densest spot, between two rows, onto a row; and the row with the most neighbors out of the way."""
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    within = (distances <= radius * np.sqrt(points.shape[1])).sum(axis=1)
    hub, lone = int(within.argmax()), int(within.argmin())
    pair = rng.integers(0, len(points), 2)
    crowd = points[distances[hub].argsort()[:6]].mean(axis=0)
    for row, target in (
        (lone, crowd),
        (hub, points[hub] + 100.0),
        (int(rng.integers(0, len(points))), points[pair].mean(axis=0)),
        (int(rng.integers(0, len(points))), points[hub]),
        (hub, points[lone]),
    ):
        moved = points.copy()
        moved[row] = target
        yield moved


def facts(points, k, radius, method):
    definition = OutlierDefinition(min_neighbors=k, radius=radius)
    profile = [int(size) for size in local_profile(points, definition, 8, method)]
    return outliers_by_definition(points, k, radius), profile, smooth_bound(points, definition, DECAY, method)


@pytest.mark.parametrize("d", [2, 5, *(pytest.param(d, marks=pytest.mark.slow) for d in (1, 3, 4, 6))])
def test_profile_withstands_hostile_moves_on_larger_tables(d):
    rng = np.random.default_rng(100 + d)
    for _ in range(12):
        n, k = int(rng.integers(10, 35)), int(rng.integers(1, 6))
        points = rng.normal(0, 1, (n, d)) if rng.random() < 0.5 else rng.integers(0, 4, (n, d)) / 2
        radius = float(rng.uniform(0.2, 0.9))
        for moved in hostile_moves(rng, points, radius):
            for method in METHODS:
                here, there = facts(points, k, radius, method), facts(moved, k, radius, method)
                assert not [*broken("X", "X'", here, there), *broken("X'", "X", there, here)]


@pytest.mark.slow
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_profile_withstands_long_walks_of_hostile_moves(d):
    rng = np.random.default_rng(200 + d)
    for method in METHODS:
        points = rng.normal(0, 1, (40, d))
        here = facts(points, 4, 0.5, method)
        for _ in range(60):
            moves = [(moved, facts(moved, 4, 0.5, method)) for moved in hostile_moves(rng, points, 0.5)]
            for _, there in moves:
                assert not [*broken("X", "X'", here, there), *broken("X'", "X", there, here)]
            points, here = moves[int(rng.integers(0, len(moves)))]


def test_decay_is_the_one_that_was_asked_for():
    """The most a neighbor may change S is reached, so the attack on S has teeth."""
    definition = OutlierDefinition(min_neighbors=1, radius=1.0)
    ratios = []
    for decay in (Fraction(1, 2), Fraction(9, 10)):
        one = smooth_bound([[0.0], [2.0], [9.0], [20.0]], definition, decay)
        other = smooth_bound([[0.0], [2.0], [1.0], [20.0]], definition, decay)
        ratios.append(max(one / other, other / one) * decay)
    assert max(ratios) <= 1
