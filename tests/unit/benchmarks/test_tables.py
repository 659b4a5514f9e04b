"""The generated tables: the same every time, scaled, and as their docstrings say."""

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.tables import K, case, sheet
from eremite import OutlierDefinition
from eremite.outliers import count_outliers


def test_sheet_is_the_same_every_time_and_scaled():
    rows = sheet(2_000, 10)
    assert np.array_equal(rows, sheet(2_000, 10))
    assert rows.min() >= 0
    assert rows.max() <= 1


def test_sheet_rounds_every_third_column_to_eleven_values():
    distinct = [len(np.unique(column)) for column in sheet(2_000, 10).T]
    assert max(distinct[::3]) <= 11
    assert min(distinct[1::3] + distinct[2::3]) > 1_000


def test_sheet_has_correlated_columns_and_four_dimensions():
    rows = sheet(20_000, 10)
    others = np.abs(np.corrcoef(rows.T) - np.eye(10)).max(axis=0)
    assert others.min() > 0.25
    assert _dimension(rows) < 5.5  # by the noise, a little more than 4; ten independent columns have 10


def test_case_of_a_sheet_has_one_percent_outliers():
    made = case(sheet(5_000, 10), "A")
    assert 49 <= count_outliers(made.points, OutlierDefinition(min_neighbors=K, radius=made.radius)) <= 51


def _dimension(rows):
    """How fast the number of rows within a distance grows with it, at distances well above noise and rounding."""
    distances = cdist(rows[:200], rows[200:])
    near, far = (np.count_nonzero(distances <= length) for length in (0.25, 0.4))
    return np.log(far / near) / np.log(0.4 / 0.25)
