"""Attack counts by group: all neighboring tables of two groups, with the exact joint probabilities of both counts.

The library's own plan computes on every small table; what it asks of its noise for each group, and how it clamps, gives
the law. A replaced row may change its group, or stop to take part. Every mistake named here is caught.
"""

import itertools
from fractions import Fraction

import pytest
from flint import arb, ctx

from eremite import CountByQuery, OutlierDefinition
from eremite.privacy import Privacy
from eremite.queries import count as count_module
from eremite.queries import groups as groups_module
from eremite.queries.choice import narrowest
from eremite.queries.fit import relation_of
from eremite.queries.groups import CountByPlan
from eremite.release import ByGroup
from tests.attacks.release_laws import BITS, keeps, law
from tests.attacks.small_tables import World, in_a_square, on_a_line
from tests.attacks.watched import FAR, watched

RELATIONS = ("replace", "add-remove")
HALF, ONE, THREE = Fraction(1, 2), Fraction(1), Fraction(3)
MOST = 8  # counts above are one


@pytest.fixture(autouse=True)
def many_bits(monkeypatch):
    """And mechanisms for a bound: of capped counts, `test_reach_noise_attack.py` has the laws."""
    monkeypatch.setattr(groups_module, "chosen", narrowest)
    with ctx.workprec(BITS):
        yield


def on_the_line(neighbors, rows=4, rows_per_person=1):
    return World(on_a_line(range(3), "AB", left_out=True), rows, neighbors, rows_per_person)


def on_the_square(neighbors, rows=3):
    return World((*in_a_square((0, 0.5), "AB"), (1, 1, "A"), (0.5, None, "B")), rows, neighbors)


def joint(facts):
    """The law of both counts, from (noise, count, bound, largest count) of each group."""
    return [p * q for p, q in itertools.product(*(_one(*fact) for fact in facts))]


def _one(noise, count, bound, largest):
    if bound == 0:
        return [arb(int(y == count)) for y in range(MOST + 1)]
    top = min(largest, MOST)
    return [*law(noise, count, bound, top), *([arb(0)] * (MOST - top))]


def attack(world, epsilon, k=1, radius=0.25, apart=1):
    """The first pair of neighbors that tells them apart by more than was promised; None if there is none."""
    asked = CountByQuery(definition=OutlierDefinition(min_neighbors=k, radius=radius), by="ward", epsilon=epsilon)
    plan = asked.plan(world.table(world.tables()[-1]))

    def look(table):
        with watched() as seen:
            released = plan.compute(table)
        assert list(released) == ["A", "B"]
        return tuple((*one, largest) for one, largest in zip(seen.noise, released.values(), strict=True))

    pairs = world.pairs(look, apart)
    laws = {facts: joint(facts) for facts in set().union(*pairs)}
    return next((pair for pair in pairs if not keeps(Privacy(epsilon), laws[pair[0]], laws[pair[1]])), None)


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("epsilon", [HALF, THREE])
@pytest.mark.parametrize(
    ("world", "k", "radius"), [(on_the_line, 1, 0.25), (on_the_line, 2, 0.5), (on_the_square, 1, 0.5)]
)
def test_counts_by_group_withstand_all_neighbors(neighbors, epsilon, world, k, radius):
    assert attack(world(neighbors), epsilon, k, radius) is None


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_counts_by_group_withstand_persons_with_two_rows(neighbors):
    assert attack(on_the_line(neighbors, 3, rows_per_person=2), ONE, apart=2) is None


# The same, with a mistake.


def test_attack_catches_all_of_epsilon_for_each_of_two_rows_of_one_person():
    assert attack(on_the_line("add-remove"), ONE, apart=2) is not None


@pytest.mark.parametrize("relation", [groups_module.of_groups, relation_of], ids=["coming and going", "replaced"])
@pytest.mark.parametrize("mechanism", ["smooth-laplace", "global-laplace"])
def test_attack_catches_all_of_epsilon_for_each_group_where_rows_are_replaced(monkeypatch, relation, mechanism):
    """A row that changes its group moves two counts, whichever profile bounds each of them."""
    monkeypatch.setattr(groups_module, "chosen", lambda *_: mechanism)
    world = on_the_line("replace", 5)
    assert attack(world, HALF) is None
    monkeypatch.setattr(groups_module, "steps_of", lambda table: 1)
    monkeypatch.setattr(groups_module, "of_groups", relation)
    assert attack(world, HALF) is not None


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_attack_catches_counts_clamped_at_the_sizes_of_groups(monkeypatch, neighbors):
    honest = CountByPlan.compute

    def clamped(self, table, progress=None):
        sizes = [len(part.points) for part in table.groups(self.columns, self.by)]
        counts = map(min, honest(self, table).values(), sizes)
        return ByGroup.of(self.groups, counts)

    monkeypatch.setattr(CountByPlan, "compute", clamped)
    assert attack(on_the_line(neighbors, 2), ONE) is not None


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_attack_catches_groups_without_rows_that_get_no_noise(monkeypatch, neighbors):
    honest = count_module.counted

    def counted(part, *more):
        return honest(part, *more) if len(part.points) else (0, Fraction(0))

    monkeypatch.setattr(count_module, "counted", counted)
    assert attack(on_the_line(neighbors, 2), ONE) is not None


def test_counts_by_group_are_drawn_alike_whatever_the_sizes():
    """No count is clamped from above, not even where the number of all rows is public."""
    for neighbors in RELATIONS:
        world = on_the_line(neighbors, 2)
        plan = CountByQuery(definition=OutlierDefinition(min_neighbors=1, radius=0.25), by="ward", epsilon=1).plan(
            world.table(world.tables()[-1])
        )
        with watched():
            released = {tuple(plan.compute(world.table(rows)).values()) for rows in world.tables()}
        assert released == {(FAR, FAR)}
