"""Real draws of subspaces, candidates, rows and screens follow the exact laws that the attacks look at.

Chi-square at 1e-6 against the closed forms. Each test also rejects the law of a mistake, the factor 2 missing or the 2c
missing, with a power above .999 that it computes. OpenDP's own selections draw alike (two samples, at 1e-9).
"""

import random
from collections import Counter
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from scipy.stats import chi2, chi2_contingency, chisquare, ncx2

from eremite import OutlierDefinition, Table
from eremite.engines import workers
from eremite.mechanisms import entropy
from eremite.mechanisms.selection import Scores
from eremite.queries import DetectQuery, ExplainQuery, ScreenQuery, SubspacesQuery
from eremite.queries.screening import Screening
from eremite.queries.subspaces import family_among
from tests.attacks.laws import LAWS, Vector, one_law, ordered_law, transcript_law
from tests.attacks.search_laws import Search, joint_law, seen_by_library
from tests.definition import are_neighbors, degrees_by_definition
from tests.settled_scores import exponential, permute_and_flip

ALPHA = 1e-6
BOUNDS = {"a": (0, 1), "b": (0, 1)}
ROWS = np.array([[0.0, 0.0], [0.0, 0.5], [0.5, 1.0], [1.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.0, 0.05]])
DEFINITION = OutlierDefinition(min_neighbors=2, radius=0.4)


@contextmanager
def seeded_bits(seed):
    """Of any number, also fewer than eight; and one thread, since tiny tables are not worth two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "available", lambda: 1)
        patch.setattr(entropy, "system_bits", random.Random(seed).getrandbits)  # noqa: S311 -- a test's own
        yield


def p_value(found, law):
    assert set(found) <= set(law)
    counts, shares = (np.array([source[key] for key in law]) for source in (found, law))
    return float(chisquare(counts, shares * found.total()).pvalue)


def power(law, truth, n):
    """How often the test rejects `law` when n draws follow another one in truth."""
    shares, true_shares = np.array(list(law.values())), np.array([truth[key] for key in law])
    distance = n * ((true_shares - shares) ** 2 / shares).sum()
    return float(ncx2.sf(chi2.isf(ALPHA, len(law) - 1), len(law) - 1, distance))


def check(found, law, wrong):
    assert p_value(found, law) > ALPHA
    assert p_value(found, wrong) < ALPHA
    assert power(wrong, law, found.total()) > 0.999


# Subspaces.

FAMILY = (("a",), ("b",), ("a", "b"))


def subspaces_law(search, plan):
    decay = plan.center.decay if plan.center else Fraction(1, 2)
    seen = seen_by_library(ROWS, DEFINITION.min_neighbors, DEFINITION.radius, decay)
    winners = sorted(ordered_law(LAWS[plan.selection], [0, 0, 0], 1, search.h))
    shares = joint_law(search, plan, seen).sum(axis=0)
    return {tuple(FAMILY[i] for i in order): share for order, share in zip(winners, shares, strict=True)}


def check_subspaces(utility, selection, h, draws):
    epsilon = Fraction(16)
    table = Table.from_frame(ROWS, BOUNDS)
    family = family_among(table.columns, None, 2, None)
    plan = SubspacesQuery(
        definition=DEFINITION, subspaces=list(family), h=h, epsilon=epsilon, utility=utility, selection=selection
    ).plan(table)
    with seeded_bits(21):
        found = Counter(plan.compute(table) for _ in range(draws))
    search = Search(epsilon, utility, selection, h)
    check(found, subspaces_law(search, plan), subspaces_law(Search(epsilon, utility, selection, h, Fraction(1)), plan))


@pytest.mark.parametrize("utility", ["compared", "paper"])
def test_subspaces_drawn_follow_the_exact_law(utility):
    check_subspaces(utility, "permute-and-flip", 2, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("utility", ["compared", "centered", "dampened", "paper"])
@pytest.mark.parametrize("selection", LAWS)
@pytest.mark.parametrize("h", [1, 2, 3])
def test_subspaces_drawn_follow_the_exact_law_for_long(utility, selection, h):
    check_subspaces(utility, selection, h, 5000)


# Candidates and rows.


def drawn(plan, table, draws):
    with seeded_bits(22):
        return Counter(plan.compute(table) for _ in range(draws))


@pytest.mark.parametrize("h", [1, 2])
def test_candidates_drawn_follow_the_exact_law(h):
    table, epsilon = Table.from_frame(ROWS, BOUNDS), Fraction(3)
    candidates = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.25, 0.25]])
    plan = DetectQuery(definition=DEFINITION, candidates=candidates, h=h, epsilon=epsilon).plan(table)
    scores = [-sum(are_neighbors(c, row, DEFINITION.radius) for row in ROWS) for c in candidates]
    assert len(set(scores)) > 2
    laws = [ordered_law(LAWS["permute-and-flip"], scores, epsilon / h / share, h) for share in (2, 1)]
    check(drawn(plan, table, 2000), *laws)


@pytest.mark.parametrize("h", [1, 2])
def test_sets_that_explain_a_point_follow_the_exact_law(h):
    """The penalty keeps all but the smallest sets rare; three columns, so that these are three."""
    rows = np.column_stack([ROWS, ROWS[:, 0]])
    table, epsilon, point = Table.from_frame(rows, dict.fromkeys("abc", (0, 1))), Fraction(3), [0.0, 0.0, 0.5]
    plan = ExplainQuery(definition=DEFINITION, point=point, h=h, max_size=2, epsilon=epsilon).plan(table)
    family = list(plan.family)
    places = [["abc".index(name) for name in names] for names in family]
    near = [sum(are_neighbors(np.take(point, at), row[at], DEFINITION.radius) for row in rows) for at in places]
    scores = [plan.score(names, count) for names, count in zip(family, near, strict=True)]
    assert len(set(scores[:3])) > 1
    laws = [
        {
            tuple(family[i] for i in drawn): p
            for drawn, p in ordered_law(
                LAWS["permute-and-flip"], scores, plan.rate * share, h, lambda i, j: set(family[i]) <= set(family[j])
            ).items()
        }
        for share in (1, 2)
    ]
    check(drawn(plan, table, 2000), *laws)


@pytest.mark.parametrize("h", [1, 2])
def test_rows_drawn_follow_the_exact_law(h):
    table, epsilon = Table.from_frame(ROWS, BOUNDS), Fraction(8)
    plan = DetectQuery(definition=DEFINITION, candidates=None, h=h, epsilon=epsilon).plan(table)
    degrees = degrees_by_definition(ROWS, DEFINITION.radius, DEFINITION.min_neighbors)
    assert len(set(degrees)) == 3
    scores = [Fraction(-degree, DEFINITION.min_neighbors) for degree in degrees]
    laws = [ordered_law(LAWS["exponential"], scores, epsilon / h / share, h) for share in (2, 1)]
    check(drawn(plan, table, 2000), *laws)


# Screens.

ONE_STRATUM = np.zeros(3, dtype=np.int64)


@pytest.mark.parametrize("most_yes", [1, 2])
def test_answers_of_a_screen_follow_the_exact_law(most_yes):
    """Three candidates asked at once, 2,000 screens."""
    table, epsilon = Table.from_frame(ROWS, BOUNDS), Fraction(3)
    candidates = np.array([[0.0, 0.1], [1.0, 1.0], [0.25, 0.25]])
    gaps = [-sum(are_neighbors(c, row, DEFINITION.radius) for row in ROWS) - 1 + 2 for c in candidates]
    plan = ScreenQuery(definition=DEFINITION, most_yes=most_yes, epsilon=epsilon).plan(table)
    with seeded_bits(23):
        found = Counter(Screening(table, plan).answer(candidates, ONE_STRATUM) for _ in range(2000))
    laws = [transcript_law(Vector(epsilon, most_yes, scaled=scaled), gaps) for scaled in (True, False)]
    check(found, *laws)


def test_answers_of_a_screen_do_not_depend_on_how_many_are_asked_at_once():
    """One threshold for all calls: asked one by one, the transcript has the same law."""
    table, epsilon = Table.from_frame(ROWS, BOUNDS), Fraction(3)
    plan = ScreenQuery(definition=DEFINITION, most_yes=2, epsilon=epsilon).plan(table)
    candidate = np.array([[0.0, 0.1]])
    gap = -sum(are_neighbors(candidate[0], row, DEFINITION.radius) for row in ROWS) - 1 + 2
    with seeded_bits(24):
        found = Counter()
        for _ in range(2000):
            screening = Screening(table, plan)
            found[sum((screening.answer(candidate, ONE_STRATUM[:1]) for _ in range(3)), ())] += 1
    assert p_value(found, transcript_law(Vector(epsilon, 2), [gap] * 3)) > ALPHA


# OpenDP: exponential noise is permute and flip, Gumbel noise is the exponential mechanism.

dp.enable_features("contrib")
SCORES = [0, 3, 4, 4, 1]
DRAWS = 10_000
SPACE = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
SELECTIONS = {
    "permute-and-flip": (permute_and_flip, dp.max_divergence()),
    "exponential": (exponential, dp.zero_concentrated_divergence()),
}


def opendp_draws(name, scale):
    select = dp.m.make_noisy_max(*SPACE, SELECTIONS[name][1], scale=scale)
    return np.bincount([select(SCORES) for _ in range(DRAWS)], minlength=len(SCORES))


@pytest.mark.parametrize("name", SELECTIONS)
def test_selections_draw_as_those_of_opendp_do(name):
    """At 1e-9, since OpenDP's draws cannot be seeded. A scale of 3 in place of 2 is told apart."""
    drops = [Fraction(max(SCORES) - score, 2) for score in SCORES]
    with seeded_bits(25):
        ours = np.bincount([SELECTIONS[name][0](drops) for _ in range(DRAWS)], minlength=len(SCORES))
    theirs = opendp_draws(name, 2.0)
    assert chi2_contingency([ours, theirs]).pvalue > 1e-9
    assert chi2_contingency([ours, opendp_draws(name, 3.0)]).pvalue < 1e-9
    assert chisquare(theirs, one_law(LAWS[name], SCORES, Fraction(1, 2)) * DRAWS).pvalue > 1e-9


def test_opendp_states_the_same_price():
    """Weights exp(u / 2) cost epsilon 1 for scores that move by 1, and 1/8 zCDP in the exponential mechanism."""
    prices = [dp.m.make_noisy_max(*SPACE, measure, scale=2.0).map(1) for _, measure in SELECTIONS.values()]
    assert prices == [1.0, 0.125]


def test_two_draws_of_permute_and_flip_are_those_of_opendp():
    """Without replacement, in order; the price of two is twice that of one."""
    select = dp.m.make_noisy_top_k(*SPACE, dp.max_divergence(), k=2, scale=2.0)
    assert select.map(1) == 2.0
    theirs = Counter(tuple(select(SCORES)) for _ in range(DRAWS))
    with seeded_bits(26):
        ours = Counter(two_of_ours() for _ in range(DRAWS))
    keys = sorted(ours | theirs)
    assert chi2_contingency([[some[key] for key in keys] for some in (ours, theirs)]).pvalue > 1e-9


def two_of_ours():
    exact = [Fraction(score) for score in SCORES]
    scores = Scores.known(exact, Fraction(1, 2))
    return scores.permute_and_flip(), scores.permute_and_flip()
