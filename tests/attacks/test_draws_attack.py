"""Attack draws among candidates on tables with rules: strata, rows that take no part, both relations.

The library's own plan computes on every small table; the scores that it draws with, and the noise of a center, give the
exact law of what it names. Probabilities are floats with errors below 1e-13, asked with a margin of 1e-9. Every mistake
named here is caught.
"""

import itertools
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import ctx

from eremite import OutlierDefinition
from eremite.outliers.near import neighbors_of_rows
from eremite.queries import DetectQuery, ExplainQuery, RadiusQuery, ReportQuery, ScreenQuery, SubspacesQuery
from eremite.queries import count as count_module
from eremite.queries import radius as radius_module
from eremite.queries import subspaces as subspaces_module
from eremite.queries.choice import narrowest
from eremite.queries.screening import Screening
from eremite.sensitivity.relation import Relation
from tests.attacks.laws import LAWS, MARGIN, Vector, exponential_law, ordered_law, permute_and_flip_law, transcript_law
from tests.attacks.release_laws import BITS, law
from tests.attacks.small_tables import World, in_a_square, on_a_line
from tests.attacks.watched import watched

RELATIONS = ("replace", "add-remove")
HALF, ONE, THREE = Fraction(1, 2), Fraction(1), Fraction(3)
MOST = 5  # centers and counts above are one event


@pytest.fixture(autouse=True)
def many_bits():
    with ctx.workprec(BITS):
        yield


def in_a_column(neighbors, rows=3):
    return World(on_a_line(range(3), "AB", left_out=True), rows, neighbors)


def in_two_columns(neighbors, rows=3):
    """Rows that take part in both columns, in one of them, or in none, in two wards."""
    here = [(0, 0), (0, 0.5), (0.5, 0.5), (1, 0.5), (None, 0.5), (0.5, None), (None, None)]
    return World((*((*place, "A") for place in here), (0, 0, "B"), (0.5, 0, "B")), rows, neighbors)


def definition(k=1, radius=0.5):
    return OutlierDefinition(min_neighbors=k, radius=radius, within=("ward",))


def plan_of(world, query):
    return query.plan(world.table(world.tables()[-1]))


def breaks(world, look, made, epsilon):
    """The first pair of what is seen of neighbors whose laws differ by more than e^epsilon; None if there is none."""
    pairs = world.pairs(look)
    laws = {one: made(one) for one in set().union(*pairs)}
    factor = np.exp(float(epsilon)) * MARGIN
    return next((pair for pair in pairs if (laws[pair[0]] > factor * laws[pair[1]]).any()), None)


def look_at_choice(plan):
    """The scores and the rate of all draws."""

    def look(table):
        with watched() as seen:
            plan.compute(table)
        assert not seen.noise
        return seen.choices[0]

    return look


@cache
def named_law(how, scores, rate, h):
    return np.array([p for _, p in sorted(ordered_law(LAWS[how], scores, rate, h).items())])


# Scores that move one way: the factor 2 goes (claim E5).


def attack_one_way(epsilon, h, candidates, furthest, both_ways=False):
    """The largest loss over all scores up to `furthest` and all moves by at most 1; h draws with epsilon / h each."""
    scores = [(0, *rest) for rest in itertools.product(range(-furthest, furthest + 1), repeat=candidates - 1)]
    moves = list(itertools.product((-1, 0, 1) if both_ways else (0, 1), repeat=candidates))
    laws = {}

    def law_of(these):
        moved = tuple(score - max(these) for score in these)  # differences alone count
        if moved not in laws:
            laws[moved] = np.log(named_law("permute-and-flip", moved, epsilon / h, h))
        return laws[moved]

    pairs = ((these, tuple(np.add(these, move).tolist())) for these, move in itertools.product(scores, moves))
    return max(float(np.abs(law_of(here) - law_of(there)).max()) for here, there in pairs)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), ONE, Fraction(8)])
@pytest.mark.parametrize(
    ("h", "candidates", "furthest"), [(1, 2, 6), (1, 4, 2), (2, 3, 3), (3, 3, 3), (2, 4, 2), (4, 4, 2)]
)
def test_draws_by_scores_that_move_one_way_need_no_factor_2(epsilon, h, candidates, furthest):
    assert attack_one_way(epsilon, h, candidates, furthest) <= float(epsilon) * MARGIN


def test_draws_by_scores_that_move_one_way_spend_nearly_all_of_epsilon():
    """There is nothing to spare, so the attack has teeth."""
    assert attack_one_way(ONE, 1, 2, 12) > 0.999
    assert attack_one_way(ONE, 2, 3, 12) > 0.99
    assert attack_one_way(ONE, 1, 2, 6, both_ways=True) > 1.5


# Which points, in which columns, at which radius.

CANDIDATES = [[0.0, "A"], [0.25, "A"], [0.5, "B"], [0.25, "B"]]


def attack_detection(neighbors, h, epsilon, rate=None):
    world = in_a_column(neighbors)
    asked = DetectQuery(definition=definition(1, 0.25), candidates=CANDIDATES, h=h, epsilon=epsilon)
    plan = plan_of(world, asked)
    plan = plan if rate is None else replace(plan, rate=rate)
    return breaks(world, look_at_choice(plan), lambda seen: named_law(plan.mechanism, *seen, h), epsilon)


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("h", [1, 2, 4])
@pytest.mark.parametrize("epsilon", [HALF, THREE])
def test_detection_withstands_all_neighbors(neighbors, h, epsilon):
    assert attack_detection(neighbors, h, epsilon) is None


@pytest.mark.parametrize(("neighbors", "rate"), [("replace", ONE), ("add-remove", ONE * Fraction(5, 4))])
def test_attack_catches_detection_that_draws_too_sharply(neighbors, rate):
    """As if scores moved one way where rows are replaced, and more sharply than epsilon allows where they do."""
    assert attack_detection(neighbors, 1, ONE, rate) is not None


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("points", "h"), [(1, 2), (2, 1)])
def test_explanation_withstands_all_neighbors(neighbors, points, h):
    """Sets of the columns; after a draw, those that contain the one drawn are left out."""
    world = in_two_columns(neighbors)
    point = [[0.0, 1.0, "A"], [0.5, 0.0, "B"]][:points]
    asked = ExplainQuery(definition=definition(), point=point, h=h, max_size=2, epsilon=ONE)
    plan = plan_of(world, asked)
    family = list(plan.family)

    def look(table):
        with watched() as seen:
            plan.compute(table)
        return tuple(seen.choices[::h])  # the first draw for each point has all sets

    def made(seen):
        def takes(i, j):
            return set(family[i]) <= set(family[j])

        laws = [ordered_law(permute_and_flip_law, scores, rate, h, takes) for scores, rate in seen]
        return np.array([np.prod(one) for one in itertools.product(*(law.values() for law in laws))])

    assert breaks(world, look, made, ONE) is None
    plan = replace(plan, rate=3 * plan.rate)  # its draws are three times as sharp as they may be
    assert breaks(world, look, made, ONE) is not None


def attack_radius(neighbors, epsilon, k=1):
    world = in_a_column(neighbors, 4)
    asked = RadiusQuery(min_neighbors=k, share="1/5", radii=[0.1, 0.25, 0.5], within=["ward"], epsilon=epsilon)
    plan = plan_of(world, asked)
    return breaks(world, look_at_choice(plan), lambda seen: named_law(plan.mechanism, *seen, 1), epsilon)


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("epsilon", [HALF, THREE])
@pytest.mark.parametrize("k", [1, 2])
def test_radius_withstands_all_neighbors(neighbors, epsilon, k):
    assert attack_radius(neighbors, epsilon, k) is None


def other_relation(table):
    return Relation("add-remove" if table.neighbors == "replace" else "replace", max(1, table.all_rows()))


def test_attack_catches_a_radius_by_the_profile_of_rows_that_come_and_go(monkeypatch):
    monkeypatch.setattr(radius_module, "relation_of", other_relation)
    assert attack_radius("replace", HALF) is not None


# In which sets of columns outliers gather.


def on_the_square(neighbors, rows):
    return World(in_a_square((0, 0.5, 1)), rows, neighbors)


def search(world, utility, h=1, epsilon=ONE, selection="permute-and-flip", radius=0.5):
    asked = SubspacesQuery(
        definition=definition(1, radius), h=h, max_size=2, epsilon=epsilon, utility=utility, selection=selection
    )
    plan = plan_of(world, asked)
    centers = range(MOST) if plan.center else range(1)

    def look(table):
        choices, noise = [], None
        for center in centers:
            with watched(center) as seen:
                plan.compute(table)
            choices.append(seen.choices[0])
            noise = seen.noise[0] if seen.noise else None
        return noise, tuple(choices)

    def made(one):
        noise, choices = one
        laws = np.array([named_law(plan.mechanism, scores, rate, h) for scores, rate in choices])
        if noise is None:
            return laws
        largest = MOST if world.neighbors == "add-remove" else world.rows
        shares = [float(p) for p in law(*noise, largest)]
        return np.array([share * law for share, law in zip(shares, laws, strict=False)])

    return breaks(world, look, made, epsilon)


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("utility", ["compared", "dampened", "paper"])
def test_search_withstands_all_neighbors(neighbors, utility):
    world = in_two_columns(neighbors)
    assert search(world, utility) is None
    if utility != "compared":  # whose scores take longer
        assert search(world, utility, h=2, selection="exponential") is None


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_search_from_a_center_withstands_all_neighbors(neighbors):
    assert search(in_two_columns(neighbors, 2), "centered", h=2) is None


@pytest.mark.parametrize("utility", ["compared", "dampened", "paper"])
def test_search_withstands_rows_that_come_and_go(utility):
    assert search(on_the_square("add-remove", 3), utility, radius=0.4) is None


@pytest.mark.slow
@pytest.mark.parametrize("utility", ["compared", "dampened", "paper", "centered"])
@pytest.mark.parametrize("epsilon", [HALF, THREE])
def test_search_withstands_rows_that_come_and_go_in_larger_tables(utility, epsilon):
    for h, radius in ((1, 0.4), (2, 0.5)):
        assert search(on_the_square("add-remove", 4), utility, h, epsilon, radius=radius) is None


@pytest.mark.parametrize(
    ("world", "radius"), [(on_the_square("replace", 4), 0.4), (on_the_square("add-remove", 3), 0.5)]
)
@pytest.mark.parametrize("utility", ["dampened", "paper"])
def test_attack_catches_a_search_without_the_factor_2(monkeypatch, world, radius, utility):
    """A row that comes turns others: scores move both ways, whatever the relation."""

    class Doubled(subspaces_module.Scores):
        def __init__(self, bounds, look, rate):
            super().__init__(bounds, look, 2 * rate)

    monkeypatch.setattr(subspaces_module, "Scores", Doubled)
    assert search(world, utility, radius=radius) is not None


def test_attack_catches_a_search_by_the_profile_of_rows_that_come_and_go(monkeypatch):
    monkeypatch.setattr(subspaces_module, "relation_of", other_relation)
    assert search(on_the_square("replace", 4), "dampened", radius=0.4) is not None


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_report_withstands_all_neighbors(monkeypatch, neighbors):
    """The set that is drawn, and its count, with a mechanism for a bound."""
    monkeypatch.setattr(count_module, "chosen", narrowest)
    world = in_two_columns(neighbors)
    plan = plan_of(world, ReportQuery(definition=definition(), h=1, size=1, epsilon=ONE))

    def look(table):
        counts = []
        for pick in range(plan.finding.family.count):
            with watched(pick=pick) as seen:
                [(_, largest)] = plan.compute(table)
            counts.append((*seen.noise[-1], min(largest, MOST)))
        assert len(seen.noise) == 1
        return seen.choices[0], tuple(counts)

    def made(one):
        choice, counts = one
        laws = [
            np.resize([float(p) for p in law(*count)], MOST + 1) * (np.arange(MOST + 1) <= count[-1])
            for count in counts
        ]
        return np.array([p * law for p, law in zip(named_law(plan.mechanism, *choice, 1), laws, strict=True)])

    assert breaks(world, look, made, ONE) is None
    assert breaks(world, look, made, ONE * Fraction(1, 3)) is not None


# One point at a time.


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("epsilon", [HALF, THREE])
def test_screen_withstands_all_neighbors(neighbors, epsilon):
    world, k = in_a_column(neighbors), 2
    plan = plan_of(world, ScreenQuery(definition=definition(k, 0.25), most_yes=4, epsilon=epsilon))
    candidates = world.table(()).locate(CANDIDATES, ["a"], ["ward"]) if neighbors == "add-remove" else None
    candidates = candidates or world.table(world.tables()[0]).locate(CANDIDATES, ["a"], ["ward"])

    def look(table):
        with watched(0) as seen:
            Screening(table, plan).answer(*candidates)
        threshold, *answers = seen.noise
        assert (threshold[0].epsilon, *threshold[1:]) == (plan.threshold, 0, 1)
        assert {(noise.epsilon, bound) for noise, _, bound in answers} == {(plan.answers / 8, 1)}
        assert len(answers) == len(CANDIDATES)
        return tuple(center + k - 1 for _, center, _ in answers)  # by how much each is above the threshold

    vector = Vector(epsilon, 4)
    assert breaks(world, look, lambda gaps: np.array(list(transcript_law(vector, gaps).values())), epsilon) is None


@pytest.mark.parametrize("k", [1, 2])
def test_detection_among_rows_of_strata_withstands_all_neighbors(k):
    """Rows are named by their places, so tables are sequences here; a row that takes no part is no outlier."""
    world = in_a_column("replace")
    plan = plan_of(world, DetectQuery(definition=definition(k, 0.25), candidates=None, h=2, epsilon=ONE))
    laws = {}
    for rows in itertools.product(range(len(world.kinds)), repeat=3):
        table = world.table(rows)
        degrees = neighbors_of_rows(table.part(["a"], ["ward"]), plan.definition, 3)
        scores = [Fraction(-int(degree), k) for degree in degrees]
        laws[rows] = np.array(list(ordered_law(exponential_law, scores, plan.each / 2, 2).values()))
    for rows, place, kind in itertools.product(laws, range(3), range(len(world.kinds))):
        other = (*rows[:place], kind, *rows[place + 1 :])
        assert (laws[rows] <= np.exp(1) * MARGIN * laws[other]).all()
