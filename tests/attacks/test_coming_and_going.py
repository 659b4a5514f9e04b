"""Attack the profile for rows that come and go, on all tables of small grids; every mistake named here is caught."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from eremite import OutlierDefinition
from eremite.sensitivity import local_profile, smooth_bound
from eremite.sensitivity.relation import Relation
from eremite.sensitivity.windows import Limits, windows
from tests.attacks.coming_and_going import coming_profile_with, violations_of_coming
from tests.attacks.neighboring import broken, centered_at_a_row, line, square
from tests.attacks.test_profile_attack import ForgetfulLimits, hostile_moves
from tests.definition import outliers_by_definition

METHODS = ("auto", "ball", "truss", "core")


def ours(method):
    return lambda points, k, radius, steps: local_profile(
        points, OutlierDefinition(min_neighbors=k, radius=radius), steps, method, neighbors="add-remove"
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [2, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 3))])
def test_profile_withstands_all_rows_that_come_and_go(method, k):
    for grid, n, distance in ((line(5), 5, 1.0), (line(5), 4, 2.0), (square(3), 3, 1.0), (square(3), 3, np.sqrt(2))):
        radius = distance / np.sqrt(grid.shape[1])
        assert next(violations_of_coming(grid, n, k, radius, ours(method)), None) is None


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_profile_withstands_rows_that_come_and_go_on_a_square(method, k):
    for distance in (1.0, np.sqrt(2), 2.0):
        assert next(violations_of_coming(square(3), 5, k, distance / np.sqrt(2), ours(method)), None) is None


@pytest.mark.parametrize("method", [pytest.param("ball", marks=pytest.mark.slow), "truss", "core", "auto"])
def test_profile_is_the_definition_or_more_and_the_search_finds_its_maximum(method):
    rng = np.random.default_rng(5)
    for n, k, d in ((0, 2, 2), (1, 1, 1), (12, 2, 1), (25, 3, 2), (30, 5, 2), (25, 2, 3)):
        points = rng.normal(0, 1, (n, d)) if n % 2 else rng.integers(0, 4, (n, d)) / 2
        radius = float(rng.uniform(0.2, 0.9))
        definition = OutlierDefinition(min_neighbors=k, radius=radius)
        profile = local_profile(points, definition, 80, method, neighbors="add-remove").tolist()
        if d <= 2 and method == "ball":
            assert profile[:6] == coming_profile_with(points, k, radius, 6)
        for decay in (Fraction(3, 4), Fraction(19, 20)):
            wanted = max(decay**t * size for t, size in enumerate(profile))
            assert smooth_bound(points, definition, decay, method, neighbors="add-remove") == wanted


MISTAKES = {
    "too narrow below": {"lower": 0},
    "too narrow above": {"upper": 0},
    "no + a": {"each": 0},
    "the removed row's center dropped": {"addition": centered_at_a_row},
    "no removals": {"removal": lambda *_: 0},
    "cap off by one": {"cap": -1},
    "the row itself forgotten": {"least": 0},
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_attack_catches_each_mistake(mistake):
    def mutant(points, k, radius, steps):
        return coming_profile_with(points, k, radius, steps, **MISTAKES[mistake])

    cases = ((line(5), 4, 1, 1.0), (line(5), 4, 2, 1.0), (square(3), 3, 1, 1 / np.sqrt(2)), (line(7), 5, 1, 2.0))
    found = (next(violations_of_coming(grid, n, k, radius, mutant), None) for grid, n, k, radius in cases)
    assert any(found)


def limited(limits, method):
    """The profile with limits so low that tables of a few rows meet them."""
    relation = Relation("add-remove", 0)

    def profile(points, k, radius, steps):
        definition = OutlierDefinition(min_neighbors=k, radius=radius)
        seen = windows(points, definition, steps, method, 10**6, limits=limits)
        return [
            max(1, *(seen.turned(change) + change.own for change in relation.of_step(step))) for step in range(steps)
        ]

    return profile


@pytest.mark.parametrize(
    ("edges", "triangles"),
    [(9, 27), *(pytest.param(*some, marks=pytest.mark.slow) for some in ((0, 8), (4, 8), (6, 27), (12, 64), (25, 64)))],
)
def test_profile_withstands_them_where_its_work_is_limited(edges, triangles):
    profile = limited(Limits(edges=edges, triangles=triangles, crowd=3), "auto")
    for grid, n, distance in ((line(5), 4, 1.0), (square(3), 3, np.sqrt(2)), (square(3), 3, 1.0)):
        for k in (1, 2):
            radius = distance / np.sqrt(grid.shape[1])
            assert next(violations_of_coming(grid, n, k, radius, profile), None) is None


def test_attack_catches_limits_that_forget_the_step():
    """Five rows around a ring, each two within 2R, no three in one disc; one of them comes and goes."""
    angles = 2 * np.pi * np.arange(5) / 5
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) / (2 * np.sin(np.pi / 5))  # side 1
    caught = {Limits: 0, ForgetfulLimits: 0}
    for kind, edges in itertools.product(caught, range(8, 40)):
        profile = limited(kind(edges=edges, triangles=10**6, crowd=10**6), "auto")
        for distance in (0.82, 0.9):
            radius = distance / np.sqrt(2)
            told = [
                (outliers_by_definition(rows, 1, radius), profile(rows, 1, radius, 4), 0) for rows in (ring, ring[:4])
            ]
            caught[kind] += len([*broken("X", "X'", *told), *broken("X'", "X", *told[::-1])])
    assert caught[Limits] == 0
    assert caught[ForgetfulLimits] > 0


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_profile_withstands_hostile_rows_on_larger_tables(d):
    rng = np.random.default_rng(300 + d)
    for _ in range(6):
        n, k = int(rng.integers(10, 35)), int(rng.integers(1, 6))
        points = rng.normal(0, 1, (n, d)) if rng.random() < 0.5 else rng.integers(0, 4, (n, d)) / 2
        radius = float(rng.uniform(0.2, 0.9))
        definition = OutlierDefinition(min_neighbors=k, radius=radius)

        def facts(rows, k=k, radius=radius, definition=definition):
            profile = local_profile(rows, definition, 8, neighbors="add-remove").tolist()
            bound = smooth_bound(rows, definition, Fraction(3, 4), neighbors="add-remove")
            return outliers_by_definition(rows, k, radius), profile, bound

        here = facts(points)
        for moved in hostile_moves(rng, points, radius):
            place = int(np.flatnonzero((moved != points).any(axis=1))[:1].sum())
            for there in (facts(np.vstack([points, moved[place]])), facts(np.delete(points, place, axis=0))):
                assert not [*broken("X", "X'", here, there), *broken("X'", "X", there, here)]
