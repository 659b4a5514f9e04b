"""Attack counts of tables with rules: strata, rows that take no part, rows that come and go or are replaced.

The library's own plan computes on every small table; what it asks of its noise, and how it clamps, gives the exact law
of the release. Neighbors replace a row by one of another stratum, or by one that takes no part, or have a row more.
Every mistake named here is caught.
"""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from eremite import OutlierDefinition
from eremite.engines import find_neighbors
from eremite.mechanisms import SmoothLaplace
from eremite.privacy import Privacy
from eremite.queries import CountQuery, RowsQuery
from eremite.queries import count as count_module
from eremite.sensitivity import count_with_bound, glimpse, profile_function
from eremite.sensitivity import smooth as smooth_module
from eremite.sensitivity.relation import Relation
from eremite.sensitivity.strata import Strata, windows_in_strata
from eremite.sensitivity.windows import Limits, windows
from tests.attacks.release_laws import BITS, keeps, law
from tests.attacks.small_tables import World, in_a_square, on_a_line
from tests.attacks.strata_by_definition import facts_by_definition
from tests.attacks.watched import watched

RELATIONS = ("replace", "add-remove")
HALF, ONE, THREE, TENTH = Fraction(1, 2), Fraction(1), Fraction(3), Fraction(1, 10)
MOST = 12  # answers above count as this one


@pytest.fixture(autouse=True)
def many_bits():
    with ctx.workprec(BITS):
        yield


def in_strata(neighbors, rows=4):
    return World(on_a_line(range(3), "AB", left_out=True), rows, neighbors)


def on_the_line(neighbors, rows=4):
    return World(on_a_line(range(5)), rows, neighbors)


def on_the_square(neighbors, rows=3):
    return World(in_a_square((0, 0.5, 1)), rows, neighbors)


def definition(k, radius, world):
    within = ("ward",) if len({kind[-1] for kind in world.kinds}) > 1 else ()
    return OutlierDefinition(min_neighbors=k, radius=radius, within=within)


def plan_of(world, query):
    return query.plan(world.table(world.tables()[-1]))


def released_law(noise, count, bound, largest):
    """The law of what is released, whose largest value is `largest`; answers above MOST are counted as one."""
    if largest >= MOST:
        return law(noise, count, bound, MOST)
    return [*law(noise, count, bound, largest), *([arb(0)] * (MOST - largest))]


def attack(world, query, privacy, apart=1):
    """The first pair of neighbors that tells them apart by more than was promised; None if there is none."""
    plan = plan_of(world, query)

    def look(table):
        with watched() as seen:
            largest = plan.compute(table)
        [(noise, count, bound)] = seen.noise
        return noise, count, bound, largest

    for here, there in world.pairs(look, apart):
        if not keeps(privacy, released_law(*here), released_law(*there)):
            return here, there
    return None


def attack_count(world, k=1, radius=0.25, epsilon=ONE, delta=Fraction(0), mechanism="smooth-laplace", apart=1):
    asked = CountQuery(definition=definition(k, radius, world), epsilon=epsilon, delta=delta, mechanism=mechanism)
    return attack(world, asked, Privacy(epsilon, delta), apart)


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("k", [1, 2])
def test_library_counts_what_the_definition_says(neighbors, k):
    """In one column the bound of a release is the depth: a row left out is no outlier, and a ball is in one stratum."""
    decay = SmoothLaplace(ONE).decay
    for world, radius in ((in_strata(neighbors), 0.25), (in_strata(neighbors, 3), 0.5), (on_the_line(neighbors), 0.25)):
        plan = plan_of(
            world, CountQuery(definition=definition(k, radius, world), epsilon=1, mechanism="smooth-laplace")
        )
        for rows in world.tables():
            with watched() as seen:
                plan.compute(world.table(rows))
            kinds = [world.kinds[kind] for kind in rows]
            assert seen.noise[0][1:] == facts_by_definition(kinds, neighbors, k, radius, decay)


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("world", "k", "radius"), [
    (in_strata, 1, 0.25), (in_strata, 2, 0.5), (on_the_line, 1, 0.25), (on_the_line, 2, 0.5),
    (on_the_square, 1, 0.5), (on_the_square, 2, 0.4),
])  # fmt: skip
def test_count_withstands_all_neighbors(neighbors, world, k, radius):
    for epsilon in (HALF, THREE):
        assert attack_count(world(neighbors), k, radius, epsilon) is None


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(
    ("mechanism", "epsilon", "delta"),
    [
        ("global-laplace", HALF, 0),
        ("global-laplace", THREE, 0),
        ("gaussian", HALF, TENTH),
        ("global-gaussian", HALF, TENTH),
    ],
)
def test_other_noise_withstands_all_neighbors(neighbors, mechanism, epsilon, delta):
    for world in (in_strata(neighbors, 3), on_the_line(neighbors)):
        assert attack_count(world, 1, 0.25, epsilon, Fraction(delta), mechanism) is None


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_count_withstands_persons_with_two_rows(neighbors):
    world = World(on_a_line(range(3), "AB", left_out=True), 3, neighbors, rows_per_person=2)
    assert attack_count(world, apart=2) is None
    assert attack_count(World(world.kinds, 3, neighbors), apart=2) is not None


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_number_of_rows_that_take_part_withstands_all_neighbors(neighbors):
    """With replaced rows too it is private how many have a value."""
    world = in_strata(neighbors, 3)
    assert attack(world, RowsQuery(columns=["a"], epsilon=ONE), Privacy(ONE)) is None
    assert attack(world, RowsQuery(columns=["a"], epsilon=ONE), Privacy(ONE * Fraction(99, 100))) is not None


# The same, with a mistake.


def test_attack_catches_a_count_clamped_at_a_private_number_of_rows(monkeypatch):
    monkeypatch.setattr(count_module, "clamped", lambda drawn, table: min(max(drawn, 0), table.all_rows()))
    assert attack_count(on_the_line("add-remove", 2)) is not None


def test_attack_catches_the_profile_of_replaced_rows_where_rows_come_and_go(monkeypatch):
    """It is capped by the number of rows, which a neighbor has one more of."""
    monkeypatch.setattr(count_module, "relation_of", lambda table: Relation("replace", max(1, table.all_rows())))
    assert attack_count(on_the_line("add-remove")) is not None


@pytest.mark.parametrize("mechanism", ["smooth-laplace", "global-laplace"])
def test_attack_catches_the_profile_of_rows_that_come_and_go_where_they_are_replaced(monkeypatch, mechanism):
    monkeypatch.setattr(count_module, "relation_of", lambda table: Relation("add-remove", table.all_rows()))
    assert attack_count(on_the_line("replace", 3), mechanism=mechanism) is not None


@pytest.mark.parametrize("mechanism", ["smooth-laplace", "global-laplace"])
@pytest.mark.parametrize("neighbors", RELATIONS)
def test_attack_catches_a_cap_that_is_one_short(monkeypatch, neighbors, mechanism):
    honest = Relation.most_moved
    monkeypatch.setattr(Relation, "most_moved", lambda self, d, k: honest(self, d, k) - 1)
    assert attack_count(on_the_line(neighbors, 3), mechanism=mechanism) is not None


def test_attack_catches_a_cap_by_the_rows_that_take_part(monkeypatch):
    """With replaced rows N is the number of all rows: one that takes no part may come to do so."""
    honest = count_module.counted

    def counted(part, definition, noise, relation, progress=None):
        return honest(part, definition, noise, Relation(relation.neighbors, max(1, len(part.points))), progress)

    monkeypatch.setattr(count_module, "counted", counted)
    assert attack_count(in_strata("replace")) is not None


class Told(Strata):
    """Windows that count the outliers of others."""

    outliers = 0


def mutated(monkeypatch, change):
    """Replace the windows of a table with strata, and leave its count as it is."""

    def mutant(points, starts, *rest):
        honest = windows_in_strata(points, starts, *rest)
        made = type("Mutant", (Told,), {"outliers": honest.outliers})
        parts = change(honest, lambda: windows(points, *rest[:4], limits=rest[4]))
        return made(tuple(parts), honest.most)

    monkeypatch.setattr(smooth_module, "windows_in_strata", mutant)


STRATA_MISTAKES = {
    "neighbors of other strata": lambda honest, all_rows: [all_rows()],
    "first stratum alone": lambda honest, all_rows: getattr(honest, "parts", (honest,))[:1],
    "last stratum alone": lambda honest, all_rows: getattr(honest, "parts", (honest,))[-1:],
}


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("mistake", STRATA_MISTAKES)
def test_attack_catches_windows_of_other_strata(monkeypatch, mistake, neighbors):
    mutated(monkeypatch, lambda honest, all_rows: getattr(honest, "parts", (honest,)))
    assert attack_count(in_strata(neighbors), 1, 0.25, HALF) is None
    mutated(monkeypatch, STRATA_MISTAKES[mistake])
    assert attack_count(in_strata(neighbors), 1, 0.25, HALF) is not None


# Larger tables: strata side by side are as sensitive as the worst of them.


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_bound_of_strata_is_that_of_the_most_sensitive_one(neighbors, d):
    rng = np.random.default_rng(d)
    for sizes in ((40, 1, 0, 60), (1, 1, 2, 3, 5)):
        k, radius = int(rng.integers(1, 5)), float(rng.uniform(0.05, 0.3))
        rows = [
            rng.normal(0.5, spread, (size, d)) for size, spread in zip(sizes, (0.1, 0.2, 0.05, 0.15, 0.3), strict=False)
        ]
        points, starts = np.vstack(rows), np.cumsum([0, *sizes])
        relation, asked = Relation(neighbors, 200), OutlierDefinition(min_neighbors=k, radius=radius)
        for decay in (Fraction(3, 4), Fraction(19, 20)):
            alone = [count_with_bound(some, asked, decay, relation) for some in rows]
            worst = sum(count for count, _ in alone), max(bound for _, bound in alone)
            assert count_with_bound(points, asked, decay, relation, starts) == worst
            seen, bound = glimpse(points, asked, decay, Fraction(0), find_neighbors, relation, starts)
            glimpses = [glimpse(some, asked, decay, Fraction(0), find_neighbors, relation) for some in rows]
            assert (seen.outliers, bound) == (worst[0], max(bound for _, bound in glimpses))
        profile = profile_function(points, asked, 12, relation=relation, starts=starts)
        profiles = [profile_function(some, asked, 12, relation=relation) for some in rows]
        assert [profile(t) for t in range(12)] == [max(size(t) for size in profiles) for t in range(12)]
        assert all(seen.upper(t) >= profile(t) >= seen.lower(t) for t in range(12))


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("edges", "triangles"), [(9, 27), (16, 27)])
def test_count_in_strata_withstands_all_neighbors_where_its_work_is_limited(monkeypatch, neighbors, edges, triangles):
    """The switch to a coarser bound is thrown stratum by stratum, by limits so low that a few rows meet them."""
    limits = Limits(edges=edges, triangles=triangles, crowd=3)
    monkeypatch.setattr(smooth_module, "limits_for", lambda rows: limits)
    world = World((*in_a_square((0, 0.5), "AB"), (1, 1, "A"), (None, 0, "B")), 3, neighbors)
    assert attack_count(world, 1 if edges == 9 else 2, 0.4, HALF) is None
