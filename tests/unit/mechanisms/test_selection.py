"""Permute and flip, the exponential mechanism, and the coins they are made of.

Privacy is attacked exactly: all score vectors of a small grid, all moves by at most 1 in each score, the closed forms
of `selection.proof.md` in floats (errors below 1e-13, asked with a margin of 1e-9).
"""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, chisquare, ncx2

from eremite.mechanisms import entropy
from eremite.mechanisms.selection import below
from tests.attacks.laws import LAWS, one_law, ordered_law, permute_and_flip_law
from tests.settled_scores import exponential, permute_and_flip, settled

ALPHA = 1e-6
DRAWS = 10_000
MARGIN = 1 + 1e-9


def flip(drop):
    """Whether a candidate this far below the best is kept."""
    scores = settled([Fraction(0), drop])
    scores._rank()
    return scores._keeps(1)


SELECT = {"permute-and-flip": permute_and_flip, "exponential": exponential}
SCORES = [Fraction(text) for text in ("14/3", "0", "0", "1/7", "1/3", "1/2", "1")]
RATE = Fraction(1, 2)


@pytest.fixture
def bits(monkeypatch):
    """Random bits with a seed, of any number."""
    monkeypatch.setattr(entropy, "system_bits", random.Random(7).getrandbits)  # noqa: S311 -- a test's own


def drops(scores, rate):
    return [rate * (max(scores) - score) for score in scores]


def p_value(counts, shares):
    return float(chisquare(counts, np.array(shares) * sum(counts)).pvalue)


def power(shares, truth, n):
    """How often a chi-square test at ALPHA rejects `shares` when n draws follow another law in truth."""
    freedom = len(shares) - 1
    return float(ncx2.sf(chi2.isf(ALPHA, freedom), freedom, n * ((truth - shares) ** 2 / shares).sum()))


@pytest.mark.long
@pytest.mark.parametrize("name", SELECT)
def test_selection_follows_its_closed_form(bits, name):
    """Of 10,000 draws; weights with an exponent 10 % off are rejected, with power above .999 either way."""
    chosen = [SELECT[name](drops(SCORES, RATE)) for _ in range(DRAWS)]
    counts = np.bincount(chosen, minlength=len(SCORES))
    law = one_law(LAWS[name], SCORES, RATE)
    assert p_value(counts, law) > ALPHA
    for off in (Fraction(11, 10), Fraction(10, 11)):
        wrong = one_law(LAWS[name], SCORES, RATE * off)
        assert p_value(counts, wrong) < ALPHA
        assert power(wrong, law, DRAWS) > 0.999


@pytest.mark.long
@pytest.mark.parametrize("name", SELECT)
def test_laws_of_the_two_selections_are_told_apart(bits, name):
    """Neither passes for the other."""
    counts = np.bincount([SELECT[name](drops(SCORES, RATE)) for _ in range(DRAWS)], minlength=len(SCORES))
    (other,) = set(SELECT) - {name}
    assert p_value(counts, one_law(LAWS[other], SCORES, RATE)) < ALPHA


def test_closed_form_of_permute_and_flip_is_its_description():
    """All orders of visit, the first candidate kept wins; and the integral, by quadrature."""
    weights = [1.0, 0.6, 0.25, 0.9]
    by_order = np.zeros(4)
    for order in itertools.permutations(range(4)):
        reached = 1.0
        for i in order:
            by_order[i] += reached * weights[i] / 24
            reached *= 1 - weights[i]
    assert permute_and_flip_law(weights) == pytest.approx(by_order, abs=1e-14)

    def integrand(s, i):
        return weights[i] * np.prod([1 - s * w for j, w in enumerate(weights) if j != i])

    assert permute_and_flip_law(weights) == pytest.approx([quad(integrand, 0, 1, (i,))[0] for i in range(4)], abs=1e-12)


def test_closed_form_of_permute_and_flip_is_that_of_exponential_noise():
    """The largest of score + noise, noise exponential with rate epsilon / 2: the same law by simulation."""
    scores = np.array([float(score) for score in SCORES])
    noise = np.random.default_rng(5).exponential(1 / float(RATE), (200_000, len(SCORES)))
    counts = np.bincount((scores + noise).argmax(axis=1), minlength=len(SCORES))
    assert p_value(counts, one_law(permute_and_flip_law, SCORES, RATE)) > ALPHA


def test_permute_and_flip_expects_no_less_than_the_exponential_mechanism():
    grid = [Fraction(i, 2) for i in range(7)]
    for scores in itertools.product(grid, repeat=3):
        flat = np.array([float(score) for score in scores])
        expected = {name: float(one_law(law, scores, RATE) @ flat) for name, law in LAWS.items()}
        assert expected["permute-and-flip"] >= expected["exponential"] - 1e-12


# Privacy, exactly.

EPSILONS = [Fraction(1, 10), Fraction(1), Fraction(4)]
MOVES = [Fraction(i, 2) for i in range(-2, 3)]


def laws_on_grid(law, n, rate):
    """The law of every score vector with entries 0, 1/2, ..., 4, or for three scores 3."""
    grid = [Fraction(i, 2) for i in range(9 if n == 2 else 7)]
    return {scores: one_law(law, scores, rate) for scores in itertools.product(grid, repeat=n)}


def largest_ratio(laws, n):
    """Of P(i) to P'(i), over all i and all vectors whose scores differ by at most 1 each."""
    most = 0.0
    for scores, here in laws.items():
        for move in itertools.product(MOVES, repeat=n):
            there = laws.get(tuple(score + by for score, by in zip(scores, move, strict=True)))
            if there is not None:
                most = max(most, float((here / there).max()))
    return most


@pytest.mark.long
@pytest.mark.parametrize("name", SELECT)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_selection_withstands_all_moves_of_its_scores(name, epsilon):
    ratio = max(largest_ratio(laws_on_grid(LAWS[name], n, epsilon / 2), n) for n in (2, 3))
    assert ratio <= np.exp(float(epsilon)) * MARGIN
    if name == "permute-and-flip":
        assert ratio > np.exp(float(epsilon)) / MARGIN  # nothing to spare: the attack has teeth


@pytest.mark.parametrize("name", SELECT)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_attack_catches_weights_without_the_factor_2(name, epsilon):
    """exp(epsilon u), as the paper's Algorithm 3 draws."""
    assert largest_ratio(laws_on_grid(LAWS[name], 2, epsilon), 2) > np.exp(float(epsilon)) * MARGIN


@pytest.mark.parametrize("name", SELECT)
def test_two_draws_withstand_all_moves_of_their_scores(name):
    """Half of epsilon each, without replacement; the order is released too."""
    epsilon, grid = Fraction(2), range(4)
    laws = {
        scores: np.array(list(ordered_law(LAWS[name], [Fraction(u) for u in scores], epsilon / 4, 2).values()))
        for scores in itertools.product(grid, repeat=3)
    }
    for scores, move in itertools.product(laws, itertools.product((-1, 0, 1), repeat=3)):
        moved = tuple(score + by for score, by in zip(scores, move, strict=True))
        if moved in laws:
            assert (laws[scores] <= np.exp(float(epsilon)) * MARGIN * laws[moved]).all()


def test_exponential_draw_has_a_privacy_loss_within_a_range_of_epsilon():
    """Claim E4: max over i minus min over i of the loss is at most epsilon, which permute and flip exceeds."""
    epsilon, ranges = 1.0, {}
    for name, law in LAWS.items():
        laws = laws_on_grid(law, 3, Fraction(1, 2))
        ranges[name] = 0.0
        for scores, here in laws.items():
            for move in itertools.product((-1, 0, 1), repeat=3):
                there = laws.get(tuple(score + by for score, by in zip(scores, move, strict=True)))
                if there is not None:
                    loss = np.log(here / there)
                    ranges[name] = max(ranges[name], float(loss.max() - loss.min()))
    assert ranges["exponential"] <= epsilon * MARGIN < ranges["permute-and-flip"]


# Coins.


def fed(monkeypatch, *chunks):
    left = list(chunks)
    monkeypatch.setattr(entropy, "system_bits", lambda n: left.pop(0))
    return left


def test_flip_without_a_drop_always_keeps(monkeypatch):
    for first in (0, 2**64 - 1):
        fed(monkeypatch, first)
        assert flip(Fraction(0))


def test_flip_is_decided_at_the_exponential_of_its_drop(monkeypatch):
    """e^-1 = 0.367879441171442321...: the first 64 bits decide but for one pattern, and then the next ones do."""
    edge = 6786177901268885274  # floor(2^64 / e)
    for first, kept in ((edge - 1, True), (edge + 1, False)):
        assert fed(monkeypatch, first) and flip(Fraction(1)) is kept  # noqa: PT018
    for second, kept in ((0, True), (2**64 - 1, False)):
        left = fed(monkeypatch, edge, second)
        assert flip(Fraction(1)) is kept
        assert left == []


@pytest.mark.parametrize("drop", [Fraction(1, 10**30), Fraction(10**6), Fraction(10**400)])
def test_flip_of_any_size_ends(bits, drop):
    assert flip(drop) is (drop < 1)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 9])
def test_below_is_uniform(bits, n):
    counts = np.bincount([below(n) for _ in range(4000)], minlength=n)
    assert len(counts) == n
    assert n == 1 or p_value(counts, np.full(n, 1 / n)) > ALPHA


def test_below_draws_again_until_it_is_in_range(monkeypatch):
    left = fed(monkeypatch, 7, 6, 5, 4, 3)
    assert below(5) == 4
    assert left == [3]


def test_below_one_asks_for_no_bits(monkeypatch):
    fed(monkeypatch)
    assert below(1) == 0


def test_candidates_without_a_drop_share_all_there_is(bits):
    """The others are 10,000 steps away."""
    far = [Fraction(0), Fraction(5000), Fraction(0)]
    for select in SELECT.values():
        assert {select(far) for _ in range(50)} == {0, 2}
