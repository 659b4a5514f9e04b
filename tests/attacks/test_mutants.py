"""Profiles with one mistake each; the attack must find every one of them."""

import itertools

import numpy as np
import pytest

from tests.attacks.neighboring import DECAY, broken, line, profile_with, smooth, square, violations
from tests.definition import core_by_definition, depth_by_definition, outliers_by_definition


def centered_at_rows(points, reach):
    """The most points in a ball around one of them: not admissible, a new point can be a new center."""
    held = [np.count_nonzero(np.linalg.norm(points - p, axis=1) <= reach * (1 + 1e-9)) for p in points]
    return max(held, default=0)


def mutant(**changes):
    return lambda points, k, radius, steps: profile_with(points, k, radius, steps, **changes)


def caught(mutated, smoothed=smooth, sizes=(3, 4)):
    cases = itertools.product((line(5), square(3)), sizes, (1, 2), (1.0, 2.0))
    for grid, n, k, reach in cases:
        found = next(violations(grid, n, k, reach / np.sqrt(grid.shape[1]), mutated, smoothed=smoothed), None)
        if found:
            return found
    return None


@pytest.mark.parametrize("rows", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_attack_finds_nothing_in_the_profile_without_mistakes(rows):
    assert caught(mutant(), sizes=(rows,)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"around": (0,)},
        {"around": (-1,)},
        {"per_step": 0},
        {"extra": 0},
        {"bound": centered_at_rows},
        {"cap": -1},
    ],
    ids=["no window at k - 1", "no window at k", "no + t", "no + 1", "balls centered at rows", "cap N - 1"],
)
def test_attack_catches(changes):
    assert caught(mutant(**changes)) is not None


def test_attack_catches_a_doubled_decay():
    assert caught(mutant(), smoothed=lambda bounds: smooth(bounds, DECAY * DECAY)) is not None


def exact_if_small(points, reach):
    """Depth for up to four points, the core beyond: the step from one to the other can be two at once."""
    return depth_by_definition(points, reach) if len(points) <= 4 else core_by_definition(points, reach)


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
