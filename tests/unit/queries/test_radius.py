"""A radius for a share of outliers: what it spends, what it refuses, how good it is."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from eremite import OutlierDefinition, Privacy, Release, Session, Table
from eremite.forecast import StandIn, radius_on
from eremite.ledger import Cost
from eremite.outliers import count_outliers
from eremite.queries import RadiusQuery
from eremite.queries.radius import RADII
from eremite.sensitivity import dampened, local_profile, most_moved
from tests.private_side import left_when_looking, refused_for_free

BOUNDS = {"a": (0, 1), "b": (0, 1)}
ROWS = np.clip(np.random.default_rng(2).normal(0.5, 0.1, (800, 2)), 0, 1)


def table(m=1):
    return Table.from_frame(ROWS, BOUNDS, rows_per_person=m)


def test_release_carries_the_definition_it_chose():
    session = Session(table(), epsilon=2)
    release = session.choose_radius(5, share=0.05, epsilon=1)
    assert float(release.value) in RADII
    assert release.definition == OutlierDefinition(min_neighbors=5, radius=float(release.value))
    assert session.remaining == Privacy(Fraction(1))
    assert Release.from_json(release.to_json()) == release
    assert dict(release.parameters)["share"] == "1/20"
    assert 0 <= session.count_outliers(release.definition, epsilon=0.5).value <= 800


def test_radius_near_the_share_is_drawn_most_often():
    session = Session(table(), epsilon=10**4)
    drawn = Counter(session.choose_radius(5, share=0.05, epsilon=4).value for _ in range(60))
    best, _ = radius_on(StandIn(table(), "rows"), 5, 0.05)
    near = [r for r in RADII if abs(count_outliers(ROWS, OutlierDefinition(min_neighbors=5, radius=r)) - 40) < 35]
    assert best.radius in near
    assert sum(drawn[repr(radius)] for radius in near) > 50


def test_scores_are_the_dampened_distance_from_the_target(monkeypatch):
    seen = []

    class Looked:
        def __init__(self, bounds, exact, rate):
            seen.append((bounds, exact, rate))

        def permute_and_flip(self):
            return 3

    monkeypatch.setattr("eremite.queries.radius.Scores", Looked)
    plan = RadiusQuery(min_neighbors=3, share="0.05", radii=[0.01, 0.02, 0.05, 0.1], epsilon=1).plan(table())
    assert plan.compute(table()) == "0.1"
    ((bounds, exact, rate),) = seen
    assert rate == Fraction(1, 2)
    most = most_moved(800, 2, 3)
    for i, definition in enumerate(plan.definitions):
        profile = local_profile(ROWS, definition, plan.limit + 1).tolist()
        off = count_outliers(ROWS, definition) - 40
        wanted = dampened(-abs(off), profile.__getitem__, plan.limit, most)
        assert bounds[i][0] <= wanted == exact(i) <= bounds[i][1] <= 0


@pytest.mark.parametrize("m", [1, 4])
def test_choice_costs_one_draw(m):
    plan = RadiusQuery(min_neighbors=5, share="0.1", epsilon="0.6").plan(table(m))
    assert plan.cost == Cost(epsilon=Fraction(3, 5), rho=Fraction(9, 50))
    assert plan.each == Fraction(3, 5) / m
    assert plan.target == 80


BAD = [
    ({"share": 0}, "share must be above 0"),
    ({"share": 1}, "share must be above 0 and below 1"),
    ({"share": "some"}, "share must be a number"),
    ({"radii": []}, "radii must be a list"),
    ({"radii": [0.1, 0.1]}, "each once"),
    ({"radii": [0.1, 2]}, "radius 2.0 does not fit"),
    ({"radii": [-1]}, "radius must be a number"),
    ({"min_neighbors": 0}, "min_neighbors must be"),
    ({"min_neighbors": 800}, "does not fit a table of 800 rows"),
    ({"columns": ["z"]}, "Column 'z' is not in the table"),
    ({"epsilon": 0}, "epsilon must be above 0"),
]


@pytest.mark.parametrize(("bad", "sentence"), BAD)
def test_bad_choice_is_refused_and_costs_nothing(bad, sentence):
    request = {"min_neighbors": 5, "share": "0.05", "epsilon": 0.5} | bad
    assert sentence in refused_for_free(table(), lambda session: session.choose_radius(**request))


def test_charge_for_a_radius_is_made_before_a_row_is_looked_at():
    request = {"min_neighbors": 5, "share": "0.05", "epsilon": 0.25}
    left = left_when_looking(table(), lambda session: session.choose_radius(**request))
    assert left == Privacy(Fraction(3, 4))
