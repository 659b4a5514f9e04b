"""Attack the released count: on all neighboring tables of small grids, compare the exact probabilities of all outputs.

A release is drawn from `noise` around the count q with the bound S, and clamped to 0, ..., N. Its probabilities are
fractions or enclosed by ball arithmetic, so that "at most e^epsilon times" is decided, not estimated. Tables with
equal (q, S) release alike, so few pairs of laws are left of many pairs of tables. Every mistake named here is caught.
"""

from fractions import Fraction
from math import log

import numpy as np
import pytest
from flint import ctx

from eremite.mechanisms import Gaussian, GlobalGaussian, GlobalLaplace, PaperGaussian, SmoothLaplace
from eremite.privacy import Privacy
from eremite.queries.choice import by_name
from eremite.queries.count import per_row
from tests.attacks.count_facts import ALL, SMALL, facts_with, global_facts, pairs_of_facts, smooth_facts
from tests.attacks.release_laws import BITS, at_most_times, keeps, law

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


@pytest.fixture(autouse=True)
def many_bits():
    with ctx.workprec(BITS):
        yield


def attack(noise, privacy, cases=ALL, facts=None, decay=None, narrower=1, apart=1):
    """The first pair that breaks the promise; None if there is none."""
    facts = facts or (global_facts if noise.decay is None else smooth_facts)
    for case in cases:
        for (q, bound), (q_there, bound_there) in pairs_of_facts(case, facts, decay or noise.decay, apart):
            laws = law(noise, q, bound / narrower, case[1]), law(noise, q_there, bound_there / narrower, case[1])
            if not keeps(privacy, *laws):
                return case, (q, bound), (q_there, bound_there)
    return None


@pytest.mark.parametrize("mechanism", [SmoothLaplace, GlobalLaplace])
@pytest.mark.parametrize(
    "epsilon", [Fraction(1), *(pytest.param(e, marks=pytest.mark.slow) for e in (HALF, Fraction(3)))]
)
def test_pure_release_withstands_all_neighbors(mechanism, epsilon):
    assert attack(mechanism(epsilon), Privacy(epsilon)) is None


APPROXIMATE = [
    (Gaussian, HALF, TENTH),
    (Gaussian, Fraction(3), Fraction(1, 100)),
    (PaperGaussian, HALF, TENTH),
    (PaperGaussian, Fraction(99, 100), HALF),
    (GlobalGaussian, HALF, TENTH),
    (GlobalGaussian, Fraction(3), Fraction(1, 100)),
]


@pytest.mark.parametrize(("mechanism", "epsilon", "delta"), APPROXIMATE)
def test_gaussian_release_withstands_all_neighbors(mechanism, epsilon, delta):
    assert attack(mechanism(epsilon, delta), Privacy(epsilon, delta), SMALL) is None


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "epsilon", "delta"), APPROXIMATE)
def test_gaussian_release_withstands_all_neighbors_of_four_rows_on_a_square(mechanism, epsilon, delta):
    assert attack(mechanism(epsilon, delta), Privacy(epsilon, delta), ALL[len(SMALL) :]) is None


@pytest.mark.parametrize("name", ["smooth-laplace", "global-laplace", "gaussian", "gaussian-paper", "global-gaussian"])
def test_release_withstands_persons_with_two_rows(name):
    """All tables two replaced rows apart, with what `per_row` leaves to one row."""
    privacy = Privacy(Fraction(1), Fraction(0) if name.endswith("laplace") else TENTH)
    noise = by_name(name, per_row(privacy, 2))
    assert attack(noise, privacy, SMALL, apart=2) is None


# The same, with a mistake.


def test_attack_catches_narrower_noise():
    assert attack(SmoothLaplace(HALF), Privacy(HALF), narrower=Fraction(13, 10)) is not None


@pytest.mark.parametrize("epsilon", [HALF, Fraction(1), Fraction(3)])
def test_attack_catches_a_doubled_decay_in_a_release(epsilon):
    """A bound made for half the budget: it may change by twice what the noise can hide."""
    noise = SmoothLaplace(epsilon)
    assert attack(noise, Privacy(epsilon), decay=noise.decay**2) is not None


@pytest.mark.parametrize("mistake", [{"extra": 0}, {"cap": -1}], ids=["no + 1", "cap N - 1"])
def test_attack_catches_a_wrong_profile_in_a_release(mistake):
    """The profile written out releases safely as it stands; with one mistake it does not."""
    noise, cases = SmoothLaplace(Fraction(1)), [("line", 3, 1, 1.0), ("line", 3, 2, 2.0)]
    assert attack(noise, Privacy(noise.epsilon), cases, facts=facts_with({})) is None
    assert attack(noise, Privacy(noise.epsilon), cases, facts=facts_with(mistake)) is not None


@pytest.mark.parametrize(
    "cap", [lambda n, k: min(n - 1, 2 * k + 1), lambda n, k: min(n, 2 * k)], ids=["N - 1", "k K_d"]
)
@pytest.mark.parametrize("epsilon", [HALF, Fraction(3)])
def test_attack_catches_a_global_bound_that_is_one_short(cap, epsilon):
    def facts(points, k, radius, decay):
        return global_facts(points, k, radius, decay)[0], Fraction(cap(len(points), k))

    on_a_line = [case for case in SMALL if case[0] == "line"]
    assert attack(GlobalLaplace(epsilon), Privacy(epsilon), on_a_line, facts=facts) is not None


# Larger tables, where the tails are seen: the count moves by the whole bound.


def middles_moved(n, moved):
    """Two triples in a row, R = 1: whoever takes a middle away makes outliers of three. The others are all outliers."""
    triples = [0.0, 0.9, 1.8, 100.0, 100.9, 101.8]
    rows = np.array([*triples, *(200 + 10 * np.arange(n - 6))])
    rows[[1, 4][:moved]] = [-500.0, -600.0][:moved]
    return rows[:, None]


def laws_of(noise, n, *, moved, narrower=1):
    facts = global_facts if noise.decay is None else smooth_facts
    seen = [facts(points, 1, 1.0, noise.decay) for points in (middles_moved(n, 0), middles_moved(n, moved))]
    return [law(noise, count, bound / narrower, n) for count, bound in seen]


def largest_loss(laws):
    here, there = laws
    return max(abs(log(float(p / q))) for p, q in zip(here, there, strict=True))


@pytest.mark.parametrize(("epsilon", "share"), [(TENTH, 0.999), (HALF, 0.997), (Fraction(1), 0.99), (Fraction(3), 0.9)])
def test_smooth_laplace_spends_nearly_all_of_its_budget_on_one_row(epsilon, share):
    """The promise is kept and there is little to spare, so the attack has teeth."""
    laws = laws_of(SmoothLaplace(epsilon), 40, moved=1)
    assert at_most_times(epsilon, *laws)
    assert at_most_times(epsilon, *reversed(laws))
    assert largest_loss(laws) > share * float(epsilon)


@pytest.mark.parametrize("epsilon", [TENTH, HALF, Fraction(1)])
def test_attack_catches_noise_one_percent_narrower(epsilon):
    assert not at_most_times(epsilon, *laws_of(SmoothLaplace(epsilon), 40, moved=1, narrower=Fraction(101, 100)))


def test_global_laplace_spends_its_budget_to_the_last_bit():
    for moved in (1, 2):
        laws = laws_of(GlobalLaplace(HALF), 40, moved=moved)
        assert at_most_times(moved * HALF, *laws)
        assert not at_most_times(moved * HALF - Fraction(1, 10**9), *laws)


@pytest.mark.parametrize("name", ["gaussian", "global-gaussian"])
@pytest.mark.parametrize("delta", [HALF, TENTH, Fraction(1, 100)])
def test_gaussian_keeps_delta_for_two_rows_of_one_person(name, delta):
    privacy = Privacy(HALF, delta)
    laws = laws_of(by_name(name, per_row(privacy, 2)), 40, moved=2)
    assert keeps(privacy, *laws)
    assert keeps(privacy, *reversed(laws))


@pytest.mark.parametrize("noise", [SmoothLaplace(HALF), GlobalLaplace(HALF), Gaussian(HALF, TENTH)])
def test_attack_catches_the_whole_budget_for_each_of_two_rows(noise):
    """With all of epsilon for one row, two rows of one person can spend twice of it."""
    privacy = Privacy(HALF, getattr(noise, "delta", Fraction(0)))
    assert keeps(privacy, *laws_of(noise, 40, moved=1))
    assert not keeps(privacy, *laws_of(noise, 40, moved=2))


@pytest.mark.parametrize("delta", [HALF, TENTH])
def test_attack_catches_the_whole_delta_for_each_of_two_rows(delta):
    """epsilon / 2 a row is right, delta as it stands is not: on the way over two rows it grows by e^(epsilon / 2)."""
    assert not keeps(Privacy(HALF, delta), *laws_of(Gaussian(HALF / 2, delta), 40, moved=2))
