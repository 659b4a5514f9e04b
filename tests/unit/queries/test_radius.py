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
from eremite.sensitivity import radii as radii_module
from eremite.sensitivity.radii import walks
from eremite.sensitivity.walk import Walk
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


def drawn_by(table, plan):
    """The bounds of the scores that a plan draws by, how one is looked at, and the rate; the last radius is drawn."""
    seen = []

    class Looked:
        def __init__(self, bounds, look, rate):
            seen.append((bounds, look, rate))

        def permute_and_flip(self):
            return len(plan.definitions) - 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eremite.queries.radius.Scores", Looked)
        assert plan.compute(table) == plan.definitions[-1].radius
    (draw,) = seen
    return draw


def wrong_radii(table, plan):
    """The radii whose bounds do not hold before and after every look, or do not meet at the score."""
    bounds, look, _ = drawn_by(table, plan)

    def is_right(i, wanted):
        low, high = bounds[i]
        while low < high:
            narrower = look(i)
            if not low <= narrower[0] <= wanted <= narrower[1] <= high <= 0:
                return False
            low, high = narrower
        return low == wanted == high

    scores = enumerate(scores_by_definition(table, plan))
    return [plan.definitions[i].radius for i, wanted in scores if not is_right(i, wanted)]


def share_of_made(d, epsilon, neighbors, within):
    radii = [0.1, 0.01, 0.02, 0.005, 0.05, 0.3]
    asked = RadiusQuery(min_neighbors=3, share="0.05", radii=radii, within=within, epsilon=epsilon)
    table = made(d, neighbors)
    return table, asked.plan(table)


@pytest.mark.parametrize("within", [(), ("ward",)])
@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
@pytest.mark.parametrize(("d", "epsilon"), [(1, 2), (2, 1), (3, 4), (4, "0.3")])
def test_scores_are_the_dampened_distance_from_the_target(monkeypatch, d, epsilon, neighbors, within):
    """Bounds hold before and after every look, and meet at the score; however few steps are kept at hand."""
    monkeypatch.setattr("eremite.sensitivity.radii._STEPS", 3)
    table, plan = share_of_made(d, epsilon, neighbors, within)
    assert drawn_by(table, plan)[-1] == Fraction(epsilon) / 2
    assert wrong_radii(table, plan) == []


# Mistakes in the bounds that the radii share: the check above finds each of them.

CROWD = 58  # what `_highs` asks about in the tables below: 247 // 4 - 4 // 2 - 1
BOTH = pytest.mark.parametrize("neighbors", ["replace", "add-remove"])


def crowd_and_lattice(neighbors, largest, k=CROWD + 1, halves=1, within=()):
    """A choice between 0.001 and a larger radius. One or two halves of k rows, and rows on a lattice far from them.

    At 0.001 and 0.05 every row is an outlier; at 0.05 one row more turns all of both halves, which are further than
    0.05 from each other. At 0.4 a crowd that is whole is the outliers.
    """
    rng = np.random.default_rng(1)
    crowd = np.vstack([0.95 - 0.08 * half + 0.01 * rng.uniform(0, 1, (k, 3)) for half in range(halves)])
    lattice = 0.1 * np.stack(np.unravel_index(np.arange(260 - len(crowd)), (6, 6, 6)), axis=1)
    wards = ["north"] * len(crowd) + ["south"] * len(lattice)
    frame = dict(zip("abc", np.vstack([crowd, lattice]).T, strict=True)) | {"ward": wards}
    about = {"rows_about": 260} if neighbors == "add-remove" else {}
    bounds, categories = dict.fromkeys("abc", (0, 1)), {"ward": list(WARDS)}
    table = Table.from_frame(frame, bounds, categories=categories, neighbors=neighbors, **about)
    asked = RadiusQuery(min_neighbors=k, share="0.05", radii=[0.001, largest], within=within, epsilon=8)
    plan = asked.plan(table)
    assert (plan.target, plan.limit) == (13, 4)
    return table, plan


IN_WARDS = {"within": ("ward",)}
AS_LARGE_AS_THE_BOUND = {"k": CROWD}
IN_HALVES = {"k": CROWD // 2 + 1, "halves": 2}


@BOTH
@pytest.mark.parametrize(
    ("largest", "more"), [(0.05, {}), (0.4, {}), (0.05, IN_WARDS), (0.05, AS_LARGE_AS_THE_BOUND), (0.05, IN_HALVES)]
)
def test_scores_are_right_where_a_crowd_is_about_as_large_as_the_bound(neighbors, largest, more):
    assert wrong_radii(*crowd_and_lattice(neighbors, largest, **more)) == []


@BOTH
def test_scores_are_right_in_two_columns_where_windows_reach_a_little_further(neighbors):
    """Two halves a millionth further apart than 2R are one crowd on the lattice, and none where crowds are counted."""
    half, apart = CROWD // 2 + 1, 2 * 0.01 * (1 + 1e-6)
    crowd = np.repeat([[0.9, 0.9], [0.9 + apart, 0.9 + apart]], half, axis=0)
    lattice = 0.03 * np.stack(np.unravel_index(np.arange(260 - 2 * half), (20, 10)), axis=1)
    about = {"rows_about": 260} if neighbors == "add-remove" else {}
    table = Table.from_frame(np.vstack([crowd, lattice]), BOUNDS, neighbors=neighbors, **about)
    plan = RadiusQuery(min_neighbors=half, share="0.05", radii=[0.001, 0.01], epsilon=8).plan(table)
    assert wrong_radii(table, plan) == []


IS_CROWDED, HIGHS = radii_module._is_crowded, radii_module._highs


def never_crowded(points, radius, crowd):
    return False


def crowded_by_more(points, radius, crowd):
    """As if the bound allowed one row more."""
    return IS_CROWDED(points, radius, crowd + 1)


def crowded_at_the_least_radius(points, radius, crowd):
    return IS_CROWDED(points, 0.001, crowd)


def crowded_within_the_radius(points, radius, crowd):
    """As if the rows that one row turns were neighbors of each other."""
    return IS_CROWDED(points, radius / 2, crowd)


def crowded_in_the_largest_stratum(points, radius, crowd):
    return len(points) > 130 and IS_CROWDED(points, radius, crowd)


@BOTH
@pytest.mark.parametrize(
    ("mistake", "more"),
    [
        (never_crowded, {}),
        (crowded_by_more, {}),
        (crowded_at_the_least_radius, {}),
        (crowded_within_the_radius, IN_HALVES),
        (crowded_in_the_largest_stratum, IN_WARDS),
    ],
)
def test_check_of_scores_catches_a_crowd_that_is_overlooked(monkeypatch, mistake, more, neighbors):
    monkeypatch.setattr(radii_module, "_is_crowded", mistake)
    assert 0.05 in wrong_radii(*crowd_and_lattice(neighbors, 0.05, **more))


def highs_for_all(*asked):
    """What one count tells of sparse radii, said of larger ones too."""
    highs = HIGHS(*asked)
    first = min(high[0] for high in highs)
    return [np.minimum(high, first + np.arange(high.size)) for high in highs]


def highs_of_the_first_step(*asked):
    """As if the bound did not grow by one with each step."""
    return [np.full(high.size, high[0]) for high in HIGHS(*asked)]


def highs_without_the_new_row(*asked):
    return [high - 1 for high in HIGHS(*asked)]


@BOTH
@pytest.mark.parametrize(
    ("mistake", "largest", "more"),
    [
        (highs_for_all, 0.4, {}),
        (highs_of_the_first_step, 0.05, AS_LARGE_AS_THE_BOUND),
        (highs_without_the_new_row, 0.05, AS_LARGE_AS_THE_BOUND),
    ],
)
def test_check_of_scores_catches_a_crowd_bound_that_is_too_small(monkeypatch, mistake, largest, more, neighbors):
    """At 0.001 the bound is far above the profile."""
    monkeypatch.setattr(radii_module, "_highs", mistake)
    assert largest in wrong_radii(*crowd_and_lattice(neighbors, largest, **more))


class BoundsLaterSteps(Walk):
    """What is seen of a step bounds later ones from above, whose profile may be larger."""

    def __init__(self, gap, low, high, most, look):
        def look_and_bound(step, floor):
            found = look(step, floor)
            np.minimum(self._high, found, out=self._high)
            return found

        super().__init__(gap, low, high, most, look_and_bound)


@BOTH
def test_check_of_scores_catches_a_look_that_bounds_later_steps_from_above(monkeypatch, neighbors):
    monkeypatch.setattr(radii_module, "Walk", BoundsLaterSteps)
    assert wrong_radii(*share_of_made(1, 2, neighbors, ())) != []


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
