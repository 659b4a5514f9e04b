import itertools

import numpy as np
import pytest

from eremite import InputError
from eremite.geometry import kissing_number_bound


def test_known_kissing_numbers_are_exact():
    assert [kissing_number_bound(d) for d in (1, 2, 3, 4, 8, 24)] == [2, 6, 12, 24, 240, 196560]


def test_bounds_never_fall_and_stay_above_known_arrangements():
    bounds = [kissing_number_bound(d) for d in range(1, 121)]
    assert bounds == sorted(bounds)
    # The root system D_d: all vectors with two entries +-1 touch pairwise at 60 degrees or more.
    assert all(bounds[d - 1] >= 2 * d * (d - 1) for d in range(2, 121))


def test_bound_above_the_table_is_the_cap_area_bound_rounded_up():
    """Against a plain numerical integral of the cap: sin^(d-2) over 30 degrees, and over 180."""
    for d in (25, 40, 100):
        angle = np.linspace(0, np.pi, 600_001)
        density = np.sin(angle) ** (d - 2)
        share = np.trapezoid(density[:100_001], angle[:100_001]) / np.trapezoid(density, angle)
        assert kissing_number_bound(d) == pytest.approx(1 / share, rel=1e-6)


def test_bound_of_ten_thousand_columns_is_a_whole_number_without_overflow():
    bound = kissing_number_bound(10_000)
    assert type(bound) is int
    assert len(str(bound)) == 3013


@pytest.mark.parametrize("d", [0, -1, 10_001, 2.0, True, None])
def test_dimension_out_of_range_is_refused(d):
    with pytest.raises(InputError, match="whole number from 1 to 10,000"):
        kissing_number_bound(d)


def test_points_of_a_ball_pairwise_further_than_its_radius_are_at_most_the_bound():
    """Claim K1 on a lattice: greedy packings of ball points never exceed the number."""
    rng = np.random.default_rng(0)
    for d in (1, 2, 3):
        for _ in range(200):
            points = rng.normal(size=(60, d))
            points = points[np.linalg.norm(points, axis=1) <= 1.0]
            chosen = []
            for p in points:
                if all(np.linalg.norm(p - q) > 1.0 for q in chosen):
                    chosen.append(p)
            assert len(chosen) <= kissing_number_bound(d)
            assert all(np.linalg.norm(p - q) > 1.0 for p, q in itertools.combinations(chosen, 2))
