"""The planted outliers are where the demo says, and nowhere else."""

from itertools import combinations

import numpy as np
import pytest

from eremite.demo.exact import Exact
from eremite.demo.files import CANDIDATES
from eremite.demo.patients import (
    COLUMNS,
    EXTREME,
    N_ROWS,
    ODD_PAIR,
    ODD_TRIPLE,
    ODD_WARD,
    WARDS,
    patients,
    public_sample,
    scaled,
)
from eremite.demo.questions import DEFINITION, PAIRS, TRIPLES
from eremite.forecast import forecast_subspaces, public_rows
from eremite.outliers import degrees
from eremite.queries import ForecastSubspacesQuery
from eremite.queries.report import FINDING_SHARE
from eremite.table import Table


@pytest.fixture(scope="module")
def made():
    return patients()


def alone(made, kind, columns, ward=None):
    """The share of the planted rows (of a ward) that are outliers in these columns (among those of the ward)."""
    points = scaled(made.rows)[:, [list(COLUMNS).index(name) for name in columns]]
    chosen = ~np.isnan(points).any(axis=1) & ((made.wards == ward) | (ward is None))
    near = degrees(points[chosen], DEFINITION.radius, cap=DEFINITION.min_neighbors)
    return np.mean(near[np.isin(np.flatnonzero(chosen), made.planted[kind])] < DEFINITION.min_neighbors)


def test_table_has_the_promised_size_within_the_public_bounds(made):
    sample = public_sample()
    assert made.rows.shape == (N_ROWS, 8) == sample.rows.shape
    for rows in (made.rows, sample.rows):
        for place, (name, column) in enumerate(COLUMNS.items()):
            assert column.low < np.nanmin(rows[:, place]) < np.nanmax(rows[:, place]) < column.high
            assert np.isnan(rows[:, place]).any() == (name == "pulse")
    assert set(made.wards) == set(sample.wards) == set(WARDS)


def test_patients_odd_for_their_ward_are_ordinary_in_the_hospital(made):
    assert len(made.planted[ODD_WARD]) > 40
    assert alone(made, ODD_WARD, ODD_WARD.columns) == 0
    for ward in ("heart", "infections"):
        assert alone(made, ODD_WARD, ODD_WARD.columns, ward) > 0.9
        assert alone(made, ODD_WARD, ["age"], ward) == 0
    assert Exact(made, DEFINITION).count(ODD_WARD.columns, ("ward",)) < 1.1 * len(made.planted[ODD_WARD])


@pytest.mark.parametrize("kind", [EXTREME, ODD_PAIR, ODD_TRIPLE])
def test_planted_rows_are_alone_in_their_columns_together_and_in_no_fewer(made, kind):
    assert alone(made, kind, kind.columns) > 0.9
    for size in range(1, len(kind.columns)):
        for fewer in combinations(kind.columns, size):
            assert alone(made, kind, fewer) == 0


def test_planted_kinds_have_the_most_outliers_of_their_size_by_far(made):
    exact = Exact(made, DEFINITION)
    for kind in (EXTREME, ODD_PAIR, ODD_TRIPLE):
        (best, most), (_, next_most) = exact.best(len(kind.columns))
        assert best == kind.columns
        assert most > 2 * next_most


def test_public_sample_is_like_the_table_and_has_no_private_row(made):
    sample = public_sample()
    assert not set(map(tuple, sample.rows)) & set(map(tuple, made.rows))
    for kind, planted in made.planted.items():  # else forecasts promise too much of a count, too little of a search
        assert 0.8 < len(sample.planted[kind]) / len(planted) < 1.25
        assert alone(sample, kind, kind.columns, *([WARDS[0]] if kind.within else [])) > 0.75


def test_three_candidates_are_lonely_and_the_others_far_from_it(made):
    near = Exact(made, DEFINITION).rows_near(CANDIDATES, ODD_TRIPLE.columns)
    assert [place for place, rows in enumerate(near) if rows < DEFINITION.min_neighbors] == [1, 4, 6]
    assert sorted(near)[3] > 100


@pytest.mark.slow  # a close look at all sets of columns
@pytest.mark.parametrize(("kind", "epsilon"), [(ODD_PAIR, PAIRS), (ODD_TRIPLE, TRIPLES * FINDING_SHARE)])
def test_search_of_the_demo_finds_what_was_planted_95_times_in_100(made, kind, epsilon):
    bounds = {name: (column.low, column.high) for name, column in COLUMNS.items()}
    table = Table.from_frame(made.rows, bounds, missing={"pulse": "leave-out"})
    search = ForecastSubspacesQuery(definition=DEFINITION, h=1, size=len(kind.columns), epsilon=[epsilon])
    forecast = forecast_subspaces(public_rows(table), search)
    assert forecast.best[0][0] == kind.columns
    assert forecast.chances[0].found > 0.95
