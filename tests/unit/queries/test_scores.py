"""Scores known by bounds draw as scores known exactly do, and are looked at only where that matters."""

import itertools
import random
from collections import Counter
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from eremite.mechanisms import entropy
from eremite.mechanisms import selection as module
from eremite.mechanisms.selection import Scores
from tests.attacks.laws import LAWS, ordered_law

RATE = Fraction(1, 2)
EXACT = [Fraction(text) for text in ("5", "9/2", "7/3", "0", "-1/2")]
WIDTHS = [Fraction(text) for text in ("1/3", "2", "5", "1", "10")]
METHODS = {"permute-and-flip": Scores.permute_and_flip, "exponential": Scores.exponential}


def settled(exact=EXACT, rate=RATE):
    return Scores.known(exact, rate)


def bounded(looked=None, exact=EXACT, widths=WIDTHS, rate=RATE, above=Fraction(1, 2)):
    """Each score within bounds of the given width; what was looked at is noted."""

    def look(i):
        if looked is not None:
            looked.append(i)
        return exact[i], exact[i]

    bounds = [(score - width * (1 - above), score + width * above) for score, width in zip(exact, widths, strict=True)]
    return Scores(bounds, look, rate)


def seed(monkeypatch, number):
    monkeypatch.setattr(entropy, "system_bits", random.Random(number).getrandbits)  # noqa: S311 -- a test's own


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("bounds", ["settled", "bounded"])
def test_draws_follow_the_closed_form(monkeypatch, name, bounds):
    """Two draws without replacement, in order, 6,000 times; chi-square at 1e-6."""
    seed(monkeypatch, 11)
    law = ordered_law(LAWS[name], EXACT, RATE, 2)
    found = Counter()
    for _ in range(6000):
        scores = settled() if bounds == "settled" else bounded()
        found[METHODS[name](scores), METHODS[name](scores)] += 1
    assert set(found) <= set(law)
    counts, shares = (np.array([source[key] for key in law]) for source in (found, law))
    assert chisquare(counts, shares * 6000).pvalue > 1e-6


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("above", [Fraction(0), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("widths", [WIDTHS, WIDTHS[::-1], [Fraction(1, 2)] * 5], ids=["some", "turned", "alike"])
def test_bounds_draw_the_same_from_the_same_bits(monkeypatch, name, above, widths):
    """Claim C3, also where the upper bounds turn the order of the scores around."""
    for number in range(100):
        drawn = []
        for scores in (settled(), bounded(widths=widths, above=above)):
            seed(monkeypatch, number)
            drawn.append([METHODS[name](scores) for _ in range(len(EXACT))])
        assert drawn[0] == drawn[1]


# All outcomes of all coins, so that laws are compared exactly, in whatever order candidates are visited.


def enumerated(monkeypatch, make, exact, rate, within):
    """{winner: probability} of one permute and flip: each coin falls into each cell between the marks e^-drop."""
    marks = sorted({0.0, 1.0, *(exp(float(rate * (score - max(exact)))) for score in exact)})
    cells = [(int((low + within * (high - low)) * 2**64), high - low) for low, high in itertools.pairwise(marks)]
    law = np.zeros(len(exact))
    for coins in itertools.product(cells, repeat=len(exact)):
        kept = kept_by(monkeypatch, make, [prefix for prefix, _ in coins])
        for winner in kept:
            law[winner] += np.prod([share for _, share in coins]) / len(kept)
    return law


def kept_by(monkeypatch, make, prefixes):
    """The candidates kept for these coins: the winners for every place that `below` can give."""
    found, sizes = [], [1]
    while len(found) < sizes[-1]:
        left = list(prefixes)
        monkeypatch.setattr(entropy, "system_bits", lambda n, left=left: left.pop(0))
        monkeypatch.setattr(module, "below", lambda n: sizes.append(n) or len(found))
        found.append(make().permute_and_flip())
    return found


@pytest.mark.parametrize("within", [1e-9, 0.5, 1 - 1e-9], ids=["low", "middle", "high"])
@pytest.mark.parametrize("exact", [("2", "1", "1/3"), ("-1", "1", "1"), ("0", "3/2", "3/2", "-4")])
def test_bounds_change_no_probability(monkeypatch, exact, within):
    """Also where the upper bounds turn the order of the scores around."""
    exact = [Fraction(text) for text in exact]
    law = enumerated(monkeypatch, lambda: settled(exact), exact, RATE, within)
    assert law == pytest.approx(list(ordered_law(LAWS["permute-and-flip"], exact, RATE, 1).values()), abs=1e-12)
    turned = [4 * (max(exact) - score) + Fraction(1, 7) for score in exact]
    for widths, above in (([Fraction(3)] * len(exact), Fraction(1, 2)), (turned, Fraction(9, 10))):
        make = lambda widths=widths, above=above: bounded(None, exact, widths, RATE, above)  # noqa: E731
        assert enumerated(monkeypatch, make, exact, RATE, within) == pytest.approx(law, abs=1e-12)


def halved(exact, bounds):
    """Each look halves the distance of the bounds from the score, on one side after the other, until they meet."""
    known, looks = list(bounds), [0] * len(exact)

    def look(i):
        looks[i] += 1
        low, high = known[i]
        low, high = ((low + exact[i]) / 2, high) if looks[i] % 2 else (low, (high + exact[i]) / 2)
        known[i] = (low, high) if looks[i] < 9 else (exact[i], exact[i])
        return known[i]

    return look


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6))
@settings(max_examples=80)
def test_bounds_that_narrow_slowly_draw_the_same_from_the_same_bits(candidates):
    exact = [Fraction(score, 2) for score, _, _ in candidates]
    bounds = [(u - below, u + above) for u, (_, below, above) in zip(exact, candidates, strict=True)]
    for method, number in itertools.product(METHODS.values(), range(3)):
        drawn = []
        for scores in (settled(exact), Scores(bounds, halved(exact, bounds), RATE)):
            with pytest.MonkeyPatch.context() as patch:
                seed(patch, number)
                drawn.append([method(scores) for _ in exact])
        assert drawn[0] == drawn[1]


# Looks.


def test_settled_scores_are_not_looked_at_again():
    looked = []
    scores = bounded(looked, widths=[Fraction(0)] * len(EXACT))
    for _ in EXACT:
        scores.permute_and_flip()
    assert looked == []


def test_score_is_looked_at_once(monkeypatch):
    for number in range(50):
        seed(monkeypatch, number)
        looked = []
        scores = bounded(looked)
        for _ in EXACT:
            scores.exponential()
        assert len(looked) == len(set(looked))


def test_candidate_that_cannot_be_best_is_looked_at_only_if_its_coin_falls_between_its_bounds(monkeypatch):
    """The best is at 10, the other between 4 and 6 with 5 in truth: e^-3 = .0498 < U < e^-2 = .1353 needs a look."""
    for share, looks in ((0.01, []), (0.0497, []), (0.05, [1]), (0.13, [1]), (0.1354, []), (0.9, [])):
        looked, coins = [], [0, int(share * 2**64)]
        monkeypatch.setattr(entropy, "system_bits", lambda n, coins=coins: coins.pop(0) if coins else 0)
        exact = [Fraction(10), Fraction(5)]
        scores = Scores([(Fraction(10), Fraction(10)), (Fraction(4), Fraction(6))], noting(looked, exact), RATE)
        scores.permute_and_flip()
        assert looked == looks


def test_those_ahead_are_looked_at_first(monkeypatch):
    """What is known of the best decides the coins of all others: none of the others needs a look then."""
    exact = [Fraction(10), Fraction(1), Fraction(2)]
    bounds = [(Fraction(4), Fraction(16)), (Fraction(0), Fraction(9)), (Fraction(0), Fraction(9))]
    coins = [0, int(0.9 * 2**64), int(0.9 * 2**64), 0]
    monkeypatch.setattr(entropy, "system_bits", lambda n: coins.pop(0))
    looked = []
    assert Scores(bounds, noting(looked, exact), RATE).permute_and_flip() == 0
    assert looked == [0]


def noting(looked, exact):
    return lambda i: looked.append(i) or (exact[i], exact[i])


def test_hopeless_candidates_are_never_looked_at(monkeypatch):
    """A thousand that are 200 steps or more below the best: their coins have a chance of e^-100."""
    seed(monkeypatch, 1)
    looked, exact = [], [Fraction(500), *[Fraction(100)] * 1000]
    bounds = [(Fraction(400), Fraction(600)), *[(Fraction(0), Fraction(200))] * 1000]
    scores = Scores(bounds, noting(looked, exact), RATE)
    assert scores.permute_and_flip() == 0
    assert looked == []


@pytest.mark.parametrize("name", METHODS)
def test_each_candidate_is_drawn_once(monkeypatch, name):
    for number in range(20):
        seed(monkeypatch, number)
        scores = bounded()
        assert sorted(METHODS[name](scores) for _ in EXACT) == list(range(len(EXACT)))
