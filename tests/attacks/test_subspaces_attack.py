"""Attack the search for subspaces: all neighboring tables of small grids, the exact probabilities of all outcomes.

An outcome is (center, winners in order): more than is released, and still covered by the proof. The law of the center
is that of the noise, clamped; the winners follow the closed forms of `selection.proof.md`. Probabilities are floats
with errors below 1e-13; "at most e^epsilon times" is asked with a margin of 1e-9. Every mistake named here is caught.
"""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from eremite import OutlierDefinition
from eremite.mechanisms import SmoothLaplace
from eremite.queries.subspaces import CENTER_SHARE
from eremite.sensitivity import dampened, global_bounds, lead, local_profile
from tests.attacks.laws import LAWS, MARGIN
from tests.attacks.neighboring import line, replaced, square
from tests.attacks.search_laws import (
    STEPS,
    Search,
    compared_scores,
    joint_law,
    scores_of,
    seen_by_library,
    seen_with,
)
from tests.definition import outliers_by_definition

# A walk that is 1-Lipschitz, and walks that are not.


def mirrored(walk):
    return lambda gap, *rest: walk(gap, *rest) if gap >= 0 else -walk(-gap, *rest)


@mirrored
def shifted_walk(gap, profile, limit, most):
    """D_t shifted by one step: a gap of 1 takes more than one step."""
    return dampened(gap, profile, limit, most) + (gap > 0)


@mirrored
def late_walk(gap, profile, limit, most):
    """A^(t - 1) in place of A^(t)."""
    return dampened(gap, lambda t: profile(max(t - 1, 0)), limit, most)


@mirrored
def jumping_walk(gap, profile, limit, most):
    """Whole steps only."""
    return Fraction(-(-dampened(gap, profile, limit, most) // 1))


def steep_walk(gap, profile, limit, most):
    """Far below the center a step bridges one outlier, not as many as a row can move."""
    return dampened(gap, profile, 1, 1)


@cache
def pairs_of_counts(case, method):
    """All pairs ((q, profile), (q', profile')) of neighboring tables; few are left of many pairs of tables."""
    name, n, k, distance = case
    grid = {"line": line(5), "square": square(3)}[name]
    radius = distance / np.sqrt(grid.shape[1])
    definition = OutlierDefinition(min_neighbors=k, radius=radius)
    known = {}
    for rows in itertools.combinations_with_replacement(range(len(grid)), n):
        points = grid[list(rows)]
        profile = local_profile(points, definition, STEPS, method)
        known[rows] = outliers_by_definition(points, k, radius), tuple(profile.tolist())
    return {(known[rows], known[other]) for rows in known for other in replaced(rows, len(grid))}


def largest_move(case, method, walk, center, limit):
    """How far one replaced row moves the dampened count."""
    pairs = pairs_of_counts(case, method)
    name, n, k, _ = case
    most = global_bounds(n, {"line": 1, "square": 2}[name], k)[1]
    score = {fact: walk(fact[0] - center, fact[1].__getitem__, limit, most) for fact in set().union(*pairs)}
    return max(abs(score[here] - score[there]) for here, there in pairs)


DAMPENED_CASES = [
    *itertools.product(["line"], (3, 4, 5), (1, 2), (1.0, 2.0)),
    *itertools.product(["square"], (3, 4), (1, 2), (1.0, 2.0)),
]


@pytest.mark.parametrize("method", ["ball", "core", "auto"])
@pytest.mark.parametrize("center", [-3, -1, 0, 1, 2, 3, 5, 8])
def test_dampened_count_moves_by_at_most_one_step(method, center):
    for case, limit in itertools.product(DAMPENED_CASES, (1, 2, 10)):
        assert largest_move(case, method, dampened, center, limit) <= 1


@pytest.mark.parametrize("center", [0, *(pytest.param(c, marks=pytest.mark.slow) for c in (1, 2))])
def test_dampened_count_moves_by_a_whole_step_somewhere(center):
    """There is nothing to spare, so the attack has teeth."""
    assert max(largest_move(case, "auto", dampened, center, 10) for case in DAMPENED_CASES) == 1


@pytest.mark.parametrize("walk", [shifted_walk, late_walk, jumping_walk, steep_walk], ids=lambda walk: walk.__doc__)
def test_attack_catches_the_walk(walk):
    found = [
        (case, center)
        for case, center in itertools.product(DAMPENED_CASES, (-3, -1, 0, 1, 2, 3, 5))
        if largest_move(case, "auto", walk, center, 10) > 1
    ]
    assert found


# The score of a radius: how far its count is from a target.


def distance_walk(gap, profile, limit, most):
    return dampened(-abs(gap), profile, limit, most)


def plain_distance(gap, profile, limit, most):
    """Outliers, not replaced rows."""
    return -abs(gap)


@pytest.mark.parametrize("target", [0, 1, 2, 3, 5])
def test_distance_from_a_target_moves_by_at_most_one_step(target):
    for case, limit in itertools.product(DAMPENED_CASES, (1, 2, 10)):
        assert largest_move(case, "auto", distance_walk, target, limit) <= 1


def test_attack_catches_the_plain_distance():
    assert any(largest_move(case, "auto", plain_distance, target, 10) > 1 for case, target in
               itertools.product(DAMPENED_CASES, (0, 1, 2)))  # fmt: skip


# The whole search: two columns, three subspaces.

GRID = square(3) / 2
#: (N, k, radius); 0.5 is one step of the grid, and in both columns its diagonal
SEARCHES = [(3, 1, 0.5), (3, 2, 0.4), (4, 1, 0.4), (4, 2, 0.4), (4, 2, 0.5)]
HALF = Fraction(1, 2)


@cache
def pairs_seen(case, see, decay):
    n, k, radius = case
    tables = list(itertools.combinations_with_replacement(range(len(GRID)), n))
    known = {rows: see(GRID[list(rows)], k, radius, decay) for rows in tables}
    return {(known[rows], known[other]) for rows in tables for other in replaced(rows, len(GRID))}


def breaks(search, law_here, law_there):
    """Whether an outcome is more than e^epsilon times as likely here; without noise, the winners alone are released."""
    here, there = (law if search.noisy else law.sum(axis=0) for law in (law_here, law_there))
    return bool((here > np.exp(float(search.epsilon)) * MARGIN * there).any())


def attack(search, cases=SEARCHES, see=seen_by_library):
    """The first case and pair that break the promise; None if there is none."""
    for case in cases:
        plan = search.plan(*case)
        pairs = pairs_seen(case, see, SmoothLaplace(search.epsilon * CENTER_SHARE).decay)
        law = {seen: joint_law(search, plan, seen) for seen in set().union(*pairs)}
        for here, there in pairs:
            if breaks(search, law[here], law[there]):
                return case, here, there
    return None


@pytest.mark.parametrize("utility", ["compared", "centered", "dampened", "paper"])
@pytest.mark.parametrize("selection", LAWS)
@pytest.mark.parametrize("h", [1, 2])
@pytest.mark.parametrize("epsilon", [HALF, pytest.param(Fraction(3), marks=pytest.mark.slow)])
def test_search_withstands_all_neighbors(utility, selection, h, epsilon):
    assert attack(Search(epsilon, utility, selection, h)) is None


@pytest.mark.slow
@pytest.mark.parametrize("utility", ["compared", "centered", "dampened", "paper"])
@pytest.mark.parametrize("selection", LAWS)
@pytest.mark.parametrize("h", [1, 2])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(8)])
def test_search_withstands_all_neighbors_of_more_tables(utility, selection, h, epsilon):
    cases = itertools.product((3, 4), (1, 2), (0.4, 0.5, 0.6))
    assert attack(Search(epsilon, utility, selection, h), list(cases)) is None


def test_library_sees_what_the_definitions_say():
    """So that the laws below, from the definitions with a mistake, differ by this mistake alone."""
    decay = SmoothLaplace(HALF).decay
    for case in [(3, 1, 0.5), (4, 2, 0.4)]:
        assert pairs_seen(case, seen_by_library, decay) == pairs_seen(case, seen_with_no_mistake, decay)


seen_with_no_mistake = seen_with({})
seen_without_one = seen_with({"extra": 0})


@pytest.mark.parametrize("utility", ["compared", "centered", "dampened", "paper"])
@pytest.mark.parametrize("h", [1, 2])
@pytest.mark.parametrize("epsilon", [HALF, Fraction(3)])
def test_attack_catches_the_missing_factor_2(utility, h, epsilon):
    """The paper's Algorithm 3."""
    assert attack(Search(epsilon, utility, "permute-and-flip", h, factor=Fraction(1))) is not None


def test_attack_catches_the_missing_factor_2_in_exponential_draws():
    """They spend less than they may where candidates are few, and still too much."""
    assert attack(Search(HALF, "centered", "exponential", 1, factor=Fraction(1))) is not None


@pytest.mark.parametrize("utility", ["compared", "centered", "dampened"])
def test_attack_catches_a_profile_without_its_one(utility):
    search = Search(HALF, utility)
    assert attack(search, [(4, 2, 0.4)], seen_with_no_mistake) is None
    assert attack(search, [(4, 2, 0.4)], seen_without_one) is not None


def test_attack_catches_a_center_with_the_bound_of_one_subspace():
    """The largest count of X' can be that of a subspace which X saw as the smaller and less certain one."""
    assert attack(Search(HALF, bound_of="one"), [(4, 1, 0.4)]) is not None


# Counts compared with each other: a lead that moves by at most one step, and leads that do not.


def lead_by_one_profile(gap, first, second, limit, most):
    """Only one of the two counts moves."""
    return lead(gap, first, lambda _: 0, limit, most)


def lead_by_the_larger_profile(gap, first, second, limit, most):
    """Either count moves, but not both."""
    return lead(gap, lambda t: max(first(t), second(t)), lambda _: 0, limit, most)


def late_lead(gap, first, second, limit, most):
    """A^(t - 1) in place of A^(t)."""
    return lead(gap, lambda t: first(max(t - 1, 0)), lambda t: second(max(t - 1, 0)), limit, most)


def jumping_lead(gap, first, second, limit, most):
    """Whole steps only."""
    steps = lead(abs(gap), first, second, limit, most)
    return -(-steps // 1) if gap > 0 else steps // -1


def steep_lead(gap, first, second, limit, most):
    """From step 1 on a step bridges one outlier, not as many as the caps allow."""
    return lead(gap, first, second, 1, 1)


def shifted_lead(gap, first, second, limit, most):
    """Who leads by anything leads by a step more."""
    return lead(gap, first, second, limit, most) + (gap > 0) - (gap < 0)


def largest_move_of_a_lead(n, k, distances, limit, lead):
    """How far one replaced row moves the lead of one column over another; it moves in both, to anywhere."""
    most = global_bounds(n, 1, k)[1]
    ours, theirs = (pairs_of_counts(("line", n, k, distance), "auto") for distance in distances)
    leads = {
        (one, other): lead(one[0] - other[0], one[1].__getitem__, other[1].__getitem__, limit, 2 * most)
        for one, other in itertools.product(set().union(*ours), set().union(*theirs))
    }
    return max(
        abs(leads[one, other] - leads[moved, others])
        for (one, moved), (other, others) in itertools.product(ours, theirs)
    )


LEADS = list(itertools.product((4, 5), (1, 2), [(1.0, 1.0), (1.0, 2.0)]))


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_lead_moves_by_at_most_one_step(limit):
    """And somewhere by a whole step: there is nothing to spare."""
    assert max(largest_move_of_a_lead(*case, limit, lead) for case in LEADS) == 1


@pytest.mark.parametrize("h", [1, 2, 3])
@pytest.mark.parametrize("limit", [1, 2, 10])
def test_score_compared_moves_by_at_most_one_step(h, limit):
    for case in SEARCHES:
        pairs = pairs_seen(case, seen_by_library, SmoothLaplace(HALF * CENTER_SHARE).decay)
        score = {seen: compared_scores(seen, h, limit) for seen in set().union(*pairs)}
        moves = [abs(u - v) for one, moved in pairs for u, v in zip(score[one], score[moved], strict=True)]
        assert max(moves) <= 1


@pytest.mark.parametrize(
    "mistaken",
    [lead_by_one_profile, lead_by_the_larger_profile, late_lead, jumping_lead, steep_lead, shifted_lead],
    ids=lambda mistaken: mistaken.__doc__,
)
def test_attack_catches_the_lead(mistaken):
    assert any(largest_move_of_a_lead(*case, 10, mistaken) > 1 for case in LEADS)


def least_lead(leads, counts):
    return min(leads)


def lead_over_the_largest_count(leads, counts):
    """The rival is chosen by its count, though it takes fewer steps to catch up with another one."""
    return leads[counts.index(max(counts))]


def largest_move_of_a_score(n, k, distance, score):
    """Three columns, one row replaced in all of them: how far that moves the score of the first, for h = 1."""
    most = global_bounds(n, 1, k)[1]

    @cache
    def steps(one, other):
        return lead(one[0] - other[0], one[1].__getitem__, other[1].__getitem__, 10, 2 * most)

    @cache
    def scored(one, *others):
        return float(score([steps(one, other) for other in others], [other[0] for other in others]))

    pairs = pairs_of_counts(("line", n, k, distance), "auto")
    return max(
        abs(scored(*before) - scored(*after))
        for before, after in (zip(*moved, strict=True) for moved in itertools.product(pairs, repeat=3))
    )


def test_attack_catches_a_rival_chosen_by_its_count():
    assert largest_move_of_a_score(4, 2, 1.0, least_lead) <= 1
    assert largest_move_of_a_score(4, 2, 1.0, lead_over_the_largest_count) > 1


# A center without noise: each score alone is 1-Lipschitz for every center, but the center moves too.


def hub_moved():
    """In column a, two rows on each side of a hub and nobody else near: without it, five outliers. In b, a crowd."""
    hub, far = 0.5, 0.1
    a = [hub, 0.4, 0.4, 0.6, 0.6, *[0.9] * 9]
    before = np.column_stack([a, np.full(14, 0.5)])
    after = before.copy()
    after[0, 0] = far
    return before, after


def laws_of_hub(search):
    plan = search.plan(14, 2, 0.11)
    decay = plan.center.decay
    seen = [seen_by_library(points, 2, 0.11, decay, ((0,), (1,))) for points in hub_moved()]
    assert [one.counts for one in seen] == [(0, 0), (5, 0)]
    return [joint_law(search, plan, one) for one in seen]


@pytest.mark.parametrize("epsilon", [HALF, Fraction(3)])
def test_attack_catches_a_center_without_noise(epsilon):
    safe, unsafe = Search(epsilon), Search(epsilon, noisy=False)
    assert not breaks(safe, *laws_of_hub(safe))
    assert not breaks(safe, *reversed(laws_of_hub(safe)))
    assert breaks(unsafe, *laws_of_hub(unsafe))


@pytest.mark.parametrize("epsilon", [HALF, Fraction(3)])
def test_score_from_a_center_without_noise_moves_by_more_than_one_step(epsilon):
    plan = Search(epsilon).plan(14, 2, 0.11)
    seen = [seen_by_library(points, 2, 0.11, plan.center.decay, ((0,), (1,))) for points in hub_moved()]
    before, after = (scores_of(plan, one, max(one.counts)) for one in seen)
    assert abs(before[1] - after[1]) > 2
    for center in range(15):
        here, there = (scores_of(plan, one, center) for one in seen)
        assert max(abs(u - v) for u, v in zip(here, there, strict=True)) <= 1
