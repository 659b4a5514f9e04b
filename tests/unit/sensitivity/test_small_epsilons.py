"""What small epsilons make of a question: known from public facts before the charge, and bounded."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition
from eremite.engines import find_neighbors
from eremite.mechanisms import SmoothLaplace
from eremite.sensitivity import changes_listed, count_with_bound, dampened, few_changes, glimpse, require_few_changes
from eremite.sensitivity import smooth as smooth_module
from eremite.sensitivity.radii import _least
from eremite.sensitivity.relation import Relation
from eremite.sensitivity.smooth import MOST_CHANGES, last_useful_step
from eremite.sensitivity.walk import steps_over

RELATIONS = [Relation("replace", 10**9), Relation("add-remove", 30)]
EPSILONS = [Fraction(10) ** power for power in (0, -1, -2, -3, -4, -5, -6)]


def decay_of(epsilon):
    return SmoothLaplace(epsilon).decay


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.neighbors)
@pytest.mark.parametrize(("columns", "k"), [(1, 1), (2, 5), (5, 3), (40, 5)])
def test_changes_listed_are_as_many_as_a_search_lists(relation, columns, k):
    for epsilon in EPSILONS[:3]:
        last = last_useful_step(relation.cap(columns, k), decay_of(epsilon), relation.neighbors)
        if last < 700:
            assert changes_listed(relation, columns, k, decay_of(epsilon)) == len(relation.up_to(last))


def test_changes_listed_of_no_row_are_none():
    assert changes_listed(Relation("replace", 0), 2, 5, Fraction(1, 2)) == 0
    assert few_changes(Relation("replace", 0), 2, 5, Fraction(1, 2))


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.neighbors)
@pytest.mark.parametrize("columns", [2, 12, 40])
def test_changes_listed_never_fall_with_epsilon(relation, columns):
    listed = [changes_listed(relation, columns, 5, decay_of(epsilon)) for epsilon in EPSILONS]
    assert listed == sorted(listed)


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.neighbors)
def test_too_many_changes_are_refused_in_one_sentence(relation):
    large, small = decay_of(Fraction(1)), decay_of(Fraction(1, 10**6))
    assert few_changes(relation, 40, 5, large)
    require_few_changes(relation, 40, 5, large, "choose less")
    assert not few_changes(relation, 40, 5, small)
    listed = changes_listed(relation, 40, 5, small)
    assert listed > MOST_CHANGES[relation.neighbors]
    sentence = (
        rf"^So small an epsilon makes the smooth bound over 40 columns a search through {listed:,} changes of the "
        rf"table, more than the {MOST_CHANGES[relation.neighbors]:,} that it may take; ask for a larger epsilon, or "
        r"choose less\.$"
    )
    with pytest.raises(InputError, match=sentence):
        require_few_changes(relation, 40, 5, small, "choose less")


def test_few_changes_turns_at_the_number_that_is_allowed(monkeypatch):
    relation, decay = Relation("add-remove", 30), decay_of(Fraction(1, 10))
    listed = changes_listed(relation, 5, 5, decay)
    for allowed, few in ((listed, True), (listed - 1, False)):
        monkeypatch.setitem(MOST_CHANGES, "add-remove", allowed)
        assert few_changes(relation, 5, 5, decay) is few
        monkeypatch.setitem(MOST_CHANGES, "add-remove", 3 * allowed)
        assert few_changes(relation, 5, 5, decay, side_by_side=3) is few


def test_searches_side_by_side_share_what_is_allowed():
    relation, decay = Relation("add-remove", 30), decay_of(Fraction(1, 50))
    require_few_changes(relation, 40, 5, decay, "choose less")
    with pytest.raises(InputError, match=r"4,311,516 changes of the table, more than the 1,125,000 that it may take"):
        require_few_changes(relation, 40, 5, decay, "choose less", side_by_side=16)


def test_glimpse_keeps_few_steps(monkeypatch):
    """Beyond them its upper bound is the cap: bounds stay bounds."""
    points, definition = np.random.default_rng(1).random((40, 3)), OutlierDefinition(min_neighbors=2, radius=0.2)
    decay = decay_of(Fraction(1, 10))
    whole, bound = glimpse(points, definition, decay, Fraction(0), find_neighbors)
    monkeypatch.setattr(smooth_module, "_STEPS_KEPT", 3)
    some, same = glimpse(points, definition, decay, Fraction(0), find_neighbors)
    assert bound == same
    assert [some.upper(step) for step in range(5)] == [
        *(whole.upper(step) for step in range(3)),
        whole.most,
        whole.most,
    ]


def test_a_change_takes_as_much_memory_as_is_said():
    """The largest search then takes two gigabytes."""
    relation, decay = Relation("add-remove", 30), decay_of(Fraction(1, 35))
    rows, definition = np.random.default_rng(1).random((30, 40)), OutlierDefinition(min_neighbors=5, radius=0.3)
    count_with_bound(rows, definition, Fraction(1, 2), relation)
    tracemalloc.start()
    count_with_bound(rows, definition, decay, relation)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    listed = changes_listed(relation, 40, 5, decay)
    assert listed > 10**6
    assert peak < 115 * listed
    assert 115 * MOST_CHANGES["add-remove"] < 2.1e9


@pytest.mark.parametrize(("sign", "limit"), [(1, 1), (-1, 10**7)])
def test_dampened_ends_at_the_cap(sign, limit):
    """What lies beyond needs no steps one by one, however many small epsilons allow."""
    asked = []
    steps = dampened(sign * 10**9, lambda t: asked.append(t) or min(t + 1, 31), limit, 31)
    assert asked == list(range(31))
    assert steps == sign * (30 + Fraction(10**9 - 30 * 31 // 2, 31))


def test_walks_end_at_the_cap():
    for relation, first in (
        (Relation("replace", 10**9), [1, 2, 3, 4, 5]),
        (Relation("add-remove", 0), [1, 1, 2, 3, 4]),
    ):
        for gap in (0, 1, 3, 9, 40, 10**9):
            for limit in (1, 3, 10, 10**7):
                sizes = _least(gap, limit, relation, 7)
                assert sizes.size <= min(limit, 8)
                assert sizes[:5].tolist() == first[: sizes.size]
                if gap < 100:
                    plain = [min(7, relation.least(step)) for step in range(min(limit, 100))]
                    assert steps_over(gap, sizes, 7) == steps_over(gap, np.array(plain), 7)
