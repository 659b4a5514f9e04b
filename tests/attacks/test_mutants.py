"""Profiles with one mistake each; the attack must find every one of them."""

import itertools

import numpy as np
import pytest

from tests.attacks.neighboring import (
    DECAY,
    broken,
    centered_at_a_row,
    line,
    profile_with,
    smooth,
    square,
    violations,
)
from tests.definition import (
    around_rows_by_definition,
    core_by_definition,
    depth_by_definition,
    outliers_by_definition,
    within,
)


def nothing(points, window, radius, bound):
    return 0


def centered_at_a_row_of_small_degree(points, window, radius, bound):
    """Only rows of the window serve as centers: a row in a crowd turns others too when it leaves."""
    return around_rows_by_definition(points[window], np.ones(window.sum(), bool), radius)


def mutant(**changes):
    return lambda points, k, radius, steps: profile_with(points, k, radius, steps, **changes)


def caught(mutated, smoothed=smooth, sizes=(3, 4)):
    cases = itertools.product((line(5), square(3)), sizes, (1, 2), (1.0, 2.0))
    for grid, n, k, distance in cases:
        found = next(violations(grid, n, k, distance / np.sqrt(grid.shape[1]), mutated, smoothed=smoothed), None)
        if found:
            return found
    return None


@pytest.mark.parametrize("rows", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_attack_finds_nothing_in_the_profile_without_mistakes(rows):
    assert caught(mutant(), sizes=(rows,)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"addition": nothing},
        {"removal": nothing},
        {"addition": centered_at_a_row},
        {"removal": centered_at_a_row_of_small_degree},
        {"upper": 0},
        {"per_step": (0, 0)},
        {"per_step": (1, 0)},
        {"per_step": (0, 1)},
        {"extra": 0},
        {"cap": -1},
    ],
    ids=[
        "no additions",
        "no removals",
        "additions centered at rows",
        "removals centered at rows of small degree",
        "no upper half of the window at k",
        "no + t",
        "no + t for additions",
        "no + t for removals",
        "no + 1",
        "cap N - 1",
    ],
)
def test_attack_catches(changes):
    assert caught(mutant(**changes)) is not None


def test_attack_catches_a_doubled_decay():
    assert caught(mutant(), smoothed=lambda bounds: smooth(bounds, DECAY * DECAY)) is not None


def exact_if_small(points, distance):
    """Depth for up to four points, the core beyond: the step from one to the other can be two at once."""
    return depth_by_definition(points, distance) if len(points) <= 4 else core_by_definition(points, distance)


def test_attack_catches_a_bound_chosen_by_the_size_of_the_window():
    """Five rows on a pentagon: any three neighbors share a disc, no four do, and all are within 2R of each other."""
    angles = 2 * np.pi * np.arange(5) / 5
    pentagon = np.column_stack([np.cos(angles), np.sin(angles)]) / (2 * np.sin(np.pi / 5))  # side 1
    crowd = np.full((6, 2), 50.0)
    before = np.vstack([pentagon, crowd])
    after = np.vstack([pentagon[:4], crowd, crowd[:1]])
    radius = 0.82 / np.sqrt(2)

    def told(bound):
        return [
            (outliers_by_definition(rows, 1, radius), sizes, smooth(sizes))
            for rows in (before, after)
            for sizes in [profile_with(rows, 1, radius, 4, bound=bound)]
        ]

    assert not list(broken("X", "X'", *told(depth_by_definition)))
    assert not list(broken("X", "X'", *told(core_by_definition)))
    assert list(broken("X", "X'", *told(exact_if_small)))


def within_two(points, distance):
    """How many others each point has within 2R."""
    return sorted((sum(within(p, q, 2 * distance) for q in points) - 1 for p in points), reverse=True)


def crowd(points, distance):
    """The largest m for which m points have m - 1 others within 2R."""
    return sum(others >= place for place, others in enumerate(within_two(points, distance)))


def busiest(points, distance):
    """One more than the most others that a point has within 2R: a new point may see many that do not see each other."""
    return 1 + max(within_two(points, distance), default=-1)


def test_attack_finds_nothing_in_a_crowd_and_catches_the_busiest_point():
    """Four pairs of rows around a row that has all of them within 2R, and may leave; and rows that are far from all."""
    arms = np.repeat(1.9 * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), 2, axis=0)
    far = 50.0 * np.arange(1, 7)[:, None] * np.ones(2)
    before, after = np.vstack([arms, far[:5], [[0.0, 0.0]]]), np.vstack([arms, far])
    radius = 1 / np.sqrt(2)

    def told(bound):
        return [
            (outliers_by_definition(rows, 2, radius), sizes, smooth(sizes))
            for rows in (before, after)
            for sizes in [profile_with(rows, 2, radius, 4, bound=bound)]
        ]

    assert not list(broken("X", "X'", *told(crowd)))
    assert list(broken("X", "X'", *told(busiest)))
