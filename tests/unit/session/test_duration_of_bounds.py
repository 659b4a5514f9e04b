"""Small epsilons make the search of a smooth bound long, which the expected time tells."""

from fractions import Fraction

import numpy as np
import pytest

from eremite import CountByQuery, CountQuery, OutlierDefinition, SubspacesQuery, Table
from eremite.mechanisms import SmoothLaplace
from eremite.session.duration import expected_seconds

DEFINITION = OutlierDefinition(min_neighbors=5, radius=0.02)
COLUMNS = [f"c{i}" for i in range(20)]


@pytest.fixture(autouse=True)
def steady(monkeypatch):
    """A machine of which the speed is known."""
    monkeypatch.setattr("eremite.session.duration._slowness", lambda: 1.0)
    monkeypatch.setattr("eremite.engines.workers.available", lambda: 2)


@pytest.fixture(scope="module")
def table():
    frame = dict.fromkeys(COLUMNS, np.zeros(30)) | {"ward": ["A", "B"] * 15}
    bounds = dict.fromkeys(COLUMNS, (0, 1))
    return Table.from_frame(
        frame, bounds=bounds, categories={"ward": ["A", "B"]}, neighbors="add-remove", rows_about=30
    )


def seconds(question, table):
    return expected_seconds(question.plan(table), table.facts)


def smooth_groups(epsilon, monkeypatch):
    """Counts of groups with smooth noise, whatever is chosen otherwise."""
    monkeypatch.setattr("eremite.queries.groups.chosen", lambda *_: "smooth-laplace")
    return CountByQuery(definition=DEFINITION, by="ward", columns=COLUMNS, epsilon=epsilon)


def test_small_epsilons_make_a_count_with_a_smooth_bound_long(table):
    smooth, wide = (
        [
            seconds(
                CountQuery(definition=DEFINITION, columns=COLUMNS, epsilon=epsilon, mechanism=f"{kind}-laplace"), table
            )
            for epsilon in ("0.1", "0.01")
        ]
        for kind in ("smooth", "global")
    )
    assert smooth[0] < 0.1
    assert 1 < smooth[1] < 60
    assert wide[0] == wide[1] < 0.1


def test_small_epsilons_make_counts_of_groups_with_a_smooth_bound_long(table, monkeypatch):
    long = seconds(smooth_groups("0.01", monkeypatch), table)
    assert 2 < long < 120
    assert seconds(smooth_groups("0.1", monkeypatch), table) < 0.2


def test_small_epsilons_make_a_search_around_a_center_long(table):
    asked = [
        SubspacesQuery(definition=DEFINITION, h=1, size=19, epsilon=epsilon, utility="centered")
        for epsilon in ("0.5", "0.05")
    ]
    short, long = (seconds(question, table) for question in asked)
    assert asked[1].plan(table).center == SmoothLaplace(Fraction("0.01"))
    assert short < 1 < 10 < long
