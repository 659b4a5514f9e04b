"""The generated tables of the scale benchmark: as their docstring says, in files that eremite opens."""

import numpy as np
import pytest

from benchmarks.scale_tables import K, made_rows, radius_of, read, scaled, write
from eremite import OutlierDefinition
from eremite.outliers import count_outliers
from eremite.table import open_table, read_description

SHAPES = ("clusters", "coarse", "skewed")


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_scaled_and_other_ones_for_every_seed(shape):
    rows = made_rows(shape, 1_000, 3, 0)
    assert rows.shape == (1_000, 3)
    assert rows.min() >= 0
    assert rows.max() <= 1
    assert np.array_equal(rows, made_rows(shape, 1_000, 3, 0))
    assert not np.array_equal(rows, made_rows(shape, 1_000, 3, 1))


def test_clusters_are_in_the_same_places_for_every_seed():
    one, other = (np.histogram(made_rows("clusters", 20_000, 2, seed)[:, 0], 20, (0, 1))[0] for seed in (0, 1))
    assert np.abs(one - other).sum() < 0.1 * 20_000


def test_coarse_rows_have_few_values_in_correlated_columns():
    rows = made_rows("coarse", 10_000, 3, 0)
    assert len(np.unique(rows[:, 0])) <= 51
    assert np.abs(np.corrcoef(rows.T)[0, 1:]).min() > 0.3


def test_half_of_the_skewed_rows_are_in_one_place():
    far = np.abs(made_rows("skewed", 10_000, 3, 0) - 0.3).max(axis=1)
    assert np.count_nonzero(far == 0) == 2_500
    assert np.count_nonzero(far < 0.01) >= 5_000


def test_the_radius_makes_one_percent_outliers():
    rows = made_rows("clusters", 10_000, 3, 0)
    definition = OutlierDefinition(min_neighbors=K, radius=radius_of(rows))
    assert 99 <= count_outliers(rows, definition) <= 101


def test_a_radius_shrinks_with_the_room_that_a_row_has():
    assert scaled(0.1, 1_000, 8_000, 3) == 0.05
    assert scaled(0.1, 1_000, 1_000, 3) == 0.1


def test_a_written_table_is_the_one_that_eremite_opens(tmp_path):
    written = write(tmp_path, "clusters", 500, 2)
    rows = read(written.description)
    assert np.array_equal(rows, made_rows("clusters", 500, 2, 0))
    assert np.array_equal(open_table(read_description(written.description)).points(), rows)
