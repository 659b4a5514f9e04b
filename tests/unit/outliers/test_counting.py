import numpy as np
import pytest

from eremite import InputError, OutlierDefinition
from eremite.outliers import count_outliers, degrees
from tests.definition import degrees_by_definition, outliers_by_definition


@pytest.mark.parametrize("d", [1, 2, 5, 9])
def test_degrees_follow_the_definition_from_lists_and_arrays(d):
    points = np.random.default_rng(d).integers(0, 3, (60, d))
    wanted = degrees_by_definition(points, 0.5)
    assert degrees(points, 0.5).tolist() == wanted
    assert degrees(points.tolist(), 0.5).tolist() == wanted
    assert degrees(np.asfortranarray(points.astype(float)), 0.5, cap=2).tolist() == [min(w, 2) for w in wanted]


def test_degrees_use_the_normalized_distance():
    points = [[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]
    assert degrees(points, 1.0).tolist() == [1, 1]
    assert degrees(points, np.nextafter(1.0, 0)).tolist() == [0, 0]


def test_degrees_count_equal_rows_by_row_and_not_by_value():
    assert degrees([[1.0], [1.0], [1.0], [2.0]], 0.0).tolist() == [2, 2, 2, 0]


@pytest.mark.parametrize("min_neighbors", [1, 2, 5, 1000])
def test_count_outliers_follows_the_definition(min_neighbors):
    points = np.random.default_rng(1).uniform(0, 1, (200, 2))
    definition = OutlierDefinition(min_neighbors=min_neighbors, radius=0.05)
    assert count_outliers(points, definition) == outliers_by_definition(points, min_neighbors, 0.05)


def test_count_outliers_of_no_rows_is_zero():
    assert count_outliers(np.empty((0, 2)), OutlierDefinition(min_neighbors=1, radius=1.0)) == 0


@pytest.mark.parametrize(
    "points",
    [
        [1.0, 2.0],
        [[[1.0]]],
        np.empty((3, 0)),
        [["SECRETCELL"]],
        [[1.0], [2.0, 3.0]],
        None,
        [[1 + 2j]],
        [["1.5"]],
        [[10**400, 1]],
    ],
)
def test_points_of_the_wrong_shape_are_refused_in_one_sentence(points):
    with pytest.raises(InputError, match="two-dimensional array of numbers") as caught:
        degrees(points, 0.1)
    assert "SECRETCELL" not in str(caught.value)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e151])
def test_points_that_are_not_finite_are_counted_and_not_shown(value):
    with pytest.raises(InputError, match="1 of 2 points have a coordinate that is missing"):
        degrees([[31337.4242, 1.0], [value, 2.0]], 0.1)


@pytest.mark.parametrize("radius", [-1.0, np.nan, np.inf, 1e-200, 1e151, "0.1", None, 1j, np.array([0.1])])
def test_radius_outside_its_range_is_refused(radius):
    with pytest.raises(InputError, match="radius must be 0 or"):
        degrees([[0.0]], radius)


@pytest.mark.parametrize("cap", [-1, 1.5, "3", True, int, np.array([5])])
def test_cap_that_is_no_count_is_refused(cap):
    with pytest.raises(InputError, match="cap must be a whole number"):
        degrees([[0.0]], 0.1, cap=cap)


@pytest.mark.parametrize("scale", [1e-139, 1e149])
def test_degrees_hold_at_the_ends_of_the_range(scale):
    points = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]]) * scale
    assert degrees(points, scale * 1.5).tolist() == [1, 1, 0]


def test_more_rows_than_can_be_numbered_are_refused(monkeypatch):
    monkeypatch.setattr("eremite.outliers.counting._MOST_ROWS", 2)
    with pytest.raises(InputError, match="3 points are more than the 2"):
        degrees([[0.0], [1.0], [2.0]], 0.1)


def test_masked_points_are_missing_and_whole_radii_are_floats():
    with pytest.raises(InputError, match="1 of 2 points"):
        degrees(np.ma.masked_array([[0.0], [1.0]], mask=[[False], [True]]), 1.0)
    far = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, float.fromhex("0x1.3094d98498d6bp+29")]])
    definition = OutlierDefinition(min_neighbors=1, radius=368784554)
    assert count_outliers(far, definition) == sum(degrees(far, 368784554, 1) < 1)
    assert count_outliers(far, OutlierDefinition(min_neighbors=1, radius=4_000_000_000)) == 0
