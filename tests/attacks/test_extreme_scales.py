"""Neighboring tables where squares vanish or overflow: found by attack, kept so that they stay found."""

import numpy as np
import pytest

from eremite import OutlierDefinition
from eremite.geometry import core_bound, densest_ball, truss_bound
from eremite.geometry.truss import fits
from eremite.outliers import count_outliers
from eremite.sensitivity import local_profile

METHODS = ("auto", "ball", "truss", "core")


def change_and_bound(before, after, definition, method):
    change = abs(count_outliers(before, definition) - count_outliers(after, definition))
    return change, min(local_profile(rows, definition, 1, method)[0] for rows in (before, after))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("apart", [0.0, 5e-162, 1e-160, 1e-155, 1e-150, 1e-20])
def test_profile_covers_pairs_closer_than_squares_can_tell(method, apart):
    width = 1.456021977856103
    pairs = np.array([[0.0, 0.0], [0.0, apart], [width, 0.0], [width, apart]])
    before, after = np.vstack([pairs, [[100.0, 0.0]]]), np.vstack([pairs, [[width / 2, 0.0]]])
    definition = OutlierDefinition(min_neighbors=2, radius=0.51478150704935)
    change, bound = change_and_bound(before, after, definition, method)
    assert change == 5 <= bound


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("scale", [1e-139, 1e-100, 1e-60, 1.0, 1e60, 1e100, 1e148])
def test_profile_covers_triangles_of_every_size(method, d, scale):
    triangle = np.zeros((3, d))
    triangle[:, :2] = [[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]]
    before = np.vstack([triangle, np.full((1, d), 9.0)]) * scale
    after = np.vstack([triangle, triangle.mean(axis=0, keepdims=True)]) * scale
    definition = OutlierDefinition(min_neighbors=1, radius=0.6 * scale / np.sqrt(d))
    change, bound = change_and_bound(before, after, definition, method)
    assert change == 4 <= bound


@pytest.mark.parametrize("scale", [1e-139, 1e-60, 1e60, 1e148])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_ball_bounds_scale_with_their_points(d, scale):
    rng = np.random.default_rng(d)
    for _ in range(20):
        points = rng.integers(0, 4, (9, d)).astype(float)
        for bound in (densest_ball, truss_bound, core_bound):
            assert bound(points * scale, 0.9 * scale) == bound(points, 0.9)


def naive_fits(a, b, c, squared):
    """The formula as it stands in books, for a <= b <= c."""
    rest = a + (b - c)
    return c <= 4 * squared if rest <= 0 else a * b * c <= squared * (4 * a * b - rest * rest)


def test_attack_catches_the_fitting_test_as_books_write_it():
    """Mutant: it turns away triangles that fit, where products vanish or overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        huge = np.float64(1e200)  # an equilateral triangle's squared sides; its squared circumradius is a third
        assert not naive_fits(huge, huge, huge, huge * 0.36)
    assert fits(huge, huge, huge, huge * 0.36)
    rng = np.random.default_rng(1)
    tiny = [(5e-324 * int(rng.integers(1, 60)), side) for side in rng.uniform(0.5, 1, 500)]
    turned_away = [not naive_fits(a, side, side, side / 4 * (1 + 1e-9)) for a, side in tiny]
    assert any(turned_away)
    assert all(fits(a, side, side, side / 4 * (1 + 1e-9)) for a, side in tiny)


def test_fitting_test_agrees_with_exact_arithmetic_at_the_limit():
    """Squared sides as fractions; the float test must accept whatever truly fits."""
    from fractions import Fraction

    rng = np.random.default_rng(0)
    for _ in range(2000):
        a, b, c = sorted(rng.uniform(0.1, 1, 3) * 10.0 ** rng.choice([-160, -20, 0], 3, p=[0.2, 0.2, 0.6]))
        x, y, z = Fraction(a), Fraction(b), Fraction(c)
        rest = x + y - z
        exact = z / 4 if rest <= 0 else x * y * z / (4 * x * y - rest * rest)
        assert fits(a, b, c, float(exact) * (1 + 1e-9))
