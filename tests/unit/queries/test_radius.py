"""A radius for a share of outliers: what it spends, what it refuses, how good it is."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from eremite import OutlierDefinition, Privacy, Release, Session, Table
from eremite.forecast import StandIn, forecast_radius
from eremite.ledger import Cost
from eremite.outliers import count_outliers
from eremite.outliers.counting import outliers_among
from eremite.queries import ForecastRadiusQuery, RadiusQuery
from eremite.queries.fit import relation_of
from eremite.queries.radius import RADII
from eremite.sensitivity import dampened, profile_function
from eremite.sensitivity.radii import walks
from tests.private_side import left_when_looking, refused_for_free

BOUNDS = {"a": (0, 1), "b": (0, 1)}
ROWS = np.clip(np.random.default_rng(2).normal(0.5, 0.1, (800, 2)), 0, 1)


def table(m=1):
    return Table.from_frame(ROWS, BOUNDS, rows_per_person=m)


def test_release_carries_the_definition_it_chose():
    session = Session(table(), epsilon=2)
    release = session.choose_radius(5, share=0.05, epsilon=1)
    assert release.value in RADII
    assert release.definition == OutlierDefinition(min_neighbors=5, radius=release.value)
    assert session.remaining == Privacy(Fraction(1))
    assert Release.from_json(release.to_json()) == release
    assert dict(release.parameters)["share"] == 0.05
    assert 0 <= session.count_outliers(release.definition, epsilon=0.5).value <= 800


@pytest.mark.long
def test_radius_near_the_share_is_drawn_most_often():
    session = Session(table(), epsilon=10**4)
    drawn = Counter(session.choose_radius(5, share=0.05, epsilon=4).value for _ in range(60))
    best = forecast_radius(StandIn(table(), "rows"), ForecastRadiusQuery(min_neighbors=5, share=0.05)).definition
    near = [r for r in RADII if abs(count_outliers(ROWS, OutlierDefinition(min_neighbors=5, radius=r)) - 40) < 35]
    assert best.radius in near
    assert sum(drawn[radius] for radius in near) > 50


WARDS = ("north", "south")


def made(d, neighbors, n=260):
    """Rows in clusters with noise, ties and duplicates, in two wards of which one is sparse."""
    rng = np.random.default_rng(d)
    rows = np.round(np.clip(rng.normal(rng.choice([0.3, 0.6], (n, 1)), 0.05, (n, d)), 0, 1), 2)
    rows[: n // 10] = np.round(rng.uniform(0, 1, (n // 10, d)), 1)
    names = [f"c{i}" for i in range(d)]
    frame = dict(zip(names, rows.T, strict=True)) | {"ward": rng.choice(WARDS, n, p=[0.9, 0.1])}
    about = {"rows_about": n} if neighbors == "add-remove" else {}
    categories = {"ward": list(WARDS)}
    return Table.from_frame(frame, dict.fromkeys(names, (0, 1)), categories=categories, neighbors=neighbors, **about)


def scores_by_definition(table, plan):
    """The dampened distance of each count from the target, every profile looked at step by step."""
    part, relation = table.part(plan.columns, plan.definitions[0].within), relation_of(table)
    most = relation.cap(len(plan.columns), plan.definitions[0].min_neighbors)
    for definition in plan.definitions:
        off = outliers_among(part, definition) - plan.target
        profile = profile_function(part.points, definition, plan.limit + 1, relation=relation, starts=part.starts)
        yield dampened(-abs(off), profile, plan.limit, most)


@pytest.mark.parametrize("within", [(), ("ward",)])
@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
@pytest.mark.parametrize(("d", "epsilon"), [(1, 2), (2, 1), (3, 4), (4, "0.3")])
def test_scores_are_the_dampened_distance_from_the_target(monkeypatch, d, epsilon, neighbors, within):
    """Bounds hold before and after every look, and meet at the score; however few steps are kept at hand."""
    seen = []

    class Looked:
        def __init__(self, bounds, look, rate):
            seen.append((bounds, look, rate))

        def permute_and_flip(self):
            return 3

    monkeypatch.setattr("eremite.queries.radius.Scores", Looked)
    monkeypatch.setattr("eremite.sensitivity.radii._STEPS", 3)
    radii = [0.1, 0.01, 0.02, 0.005, 0.05, 0.3]
    asked = RadiusQuery(min_neighbors=3, share="0.05", radii=radii, within=within, epsilon=epsilon)
    rows = made(d, neighbors)
    plan = asked.plan(rows)
    assert plan.compute(rows) == radii[3]
    ((bounds, look, rate),) = seen
    assert rate == Fraction(epsilon) / 2
    for i, wanted in enumerate(scores_by_definition(rows, plan)):
        low, high = bounds[i]
        while low < high:
            assert low <= wanted <= high <= 0
            narrower = look(i)
            assert low <= narrower[0] <= narrower[1] <= high
            low, high = narrower
        assert low == wanted


def test_one_crowd_serves_all_radii_at_which_most_rows_are_outliers(monkeypatch):
    """Nobody looks at these radii: their walks are longer than the limit, whatever else is in their profiles."""
    rows = np.random.default_rng(3).uniform(0, 1, (4000, 3))
    plan = RadiusQuery(min_neighbors=3, share="0.01", radii=[0.001, 0.002, 0.004, 0.2], epsilon=4)
    sparse = Table.from_frame(rows, dict.fromkeys("abc", (0, 1)))
    looked = []
    monkeypatch.setattr("eremite.sensitivity.radii.size_at", lambda *_: looked.append(1))
    limit = plan.plan(sparse).limit
    part = sparse.part()
    ways = walks(part.points, part.starts, plan.plan(sparse).definitions, 40, limit, relation_of(sparse))
    assert [way.bounds()[0] > limit for way in ways] == [True, True, True, False]
    assert looked == []


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


@pytest.mark.parametrize("d", [30, 48, 57, 60, 70])
def test_many_columns_of_rows_that_come_and_go_have_the_right_scores(d):
    """There the cap of a profile does not fit into 64 bits, or its sums do not."""
    rng = np.random.default_rng(d)
    rows = np.vstack([np.full((60, d), 0.5) + rng.normal(0, 1e-4, (60, d)), rng.uniform(0, 1, (40, d))])
    names = [f"c{i}" for i in range(d)]
    table = Table.from_frame(rows, dict.fromkeys(names, (0, 1)), neighbors="add-remove", rows_about=100)
    plan = RadiusQuery(min_neighbors=5, share="0.3", radii=[0.01, 0.2, 0.35, 0.4], epsilon=1).plan(table)
    part, relation = table.part(), relation_of(table)
    ways = walks(part.points, part.starts, plan.definitions, plan.target, plan.limit, relation)
    for way, wanted in zip(ways, scores_by_definition(table, plan), strict=True):
        least, most = way.bounds()
        while least < most:
            assert least <= -wanted <= most
            way.narrow()
            least, most = way.bounds()
        assert least == -wanted
    session = Session(table, epsilon=10)
    definition = plan.definitions[1]
    assert session.count_outliers(definition, epsilon=1).value >= 0
    assert len(session.top_subspaces(definition, h=1, subspaces=[names, names[:2]], epsilon=1).value) == 1
