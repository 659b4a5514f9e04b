"""Attack the noise of counts of bounded reach: the exact laws of what is released for all values a solver may find.

How far F_D moves from a table to its neighbor is attacked in `test_reach_attack.py`. Here two tables are what is left
of them: how far their capped counts are apart, and for each of two runs by how much the solver's value is off, up to
1/g either way, as it likes. Probabilities are enclosed by ball arithmetic. Every mistake named here is caught.
"""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import arb, ctx

from eremite import CountByQuery, CountQuery, OutlierDefinition, Table
from eremite.mechanisms import ReachGaussian, ReachLaplace
from eremite.mechanisms.global_laplace import laplace_below
from eremite.mechanisms.margins import to_whole
from eremite.privacy import Privacy
from eremite.queries import reach as reach_module
from eremite.reach import MOST_COLUMNS_ABOVE
from tests.attacks.release_laws import BITS, as_ball, keeps

RELATIONS = ("replace", "add-remove")
TENTH, HALF, ONE, FOUR = Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(4)
DELTA = Fraction(1, 1000)
DEFINITION = OutlierDefinition(min_neighbors=2, radius=0.1)
CENTER = 5  # of the values that are attacked; where they lie makes no difference but for their fractions


@pytest.fixture(autouse=True)
def many_bits():
    with ctx.workprec(BITS):
        yield


def table(neighbors, rows_per_person=1):
    """So many columns that counts of groups are drawn from below alone."""
    names = [f"c{i}" for i in range(MOST_COLUMNS_ABOVE + 1)]
    rows = dict.fromkeys(names, np.linspace(0, 1, 40)) | {"ward": np.resize(["A", "B", "C"], 40)}
    more = {"rows_about": 40} if neighbors == "add-remove" else {}
    return Table.from_frame(
        rows, dict.fromkeys(names, (0, 1)), categories={"ward": ["A", "B", "C"]}, neighbors=neighbors,
        rows_per_person=rows_per_person, **more
    )  # fmt: skip


def noise_of_count(neighbors, reach, epsilon=ONE, rows_per_person=1, delta=0):
    """What the library's own plan draws with."""
    mechanism = "reach-gaussian" if delta else "reach"
    asked = CountQuery(definition=DEFINITION, epsilon=epsilon, delta=delta, mechanism=mechanism, reach=reach)
    return asked.plan(table(neighbors, rows_per_person)).noise.noise


def noise_of_groups(neighbors, reach, epsilon=ONE, rows_per_person=1):
    asked = CountByQuery(definition=DEFINITION, by="ward", epsilon=epsilon, reach=reach)
    return asked.plan(table(neighbors, rows_per_person)).noise.noise


def moved(neighbors, reach, rows=1):
    """How far the capped count of a table may be from that of a neighbor, by the theorem."""
    return rows * (reach + 1 if neighbors == "replace" else reach)


def below(noise, z):
    """P(Z <= z), as the draw looks it up; of Gaussian noise, from its definition."""
    if isinstance(noise, ReachLaplace):
        return as_ball(*(Fraction(end, 1 << BITS) for end in laplace_below(z, BITS, noise.rate)))
    sums = sums_of_masses(noise)
    return sums[min(max(z + len(sums) // 2, 0), len(sums) - 1)] / sums[-1]


@cache
def sums_of_masses(noise):
    """Up to twenty standard deviations: what is left out is below 1e-80."""
    far = int(20 * noise.sigma * noise.fineness)
    masses = (as_ball(-(z**2) / (2 * (noise.sigma * noise.fineness) ** 2)).exp() for z in range(-far, far + 1))
    return list(itertools.accumulate(masses))


def law(noise, units, last=3 * CENTER):
    """The probabilities of 0, ..., last, what lies outside being added to the ends: as a release is clamped."""
    g = noise.fineness
    steps = [arb(0), *(below(noise, g * y + g // 2 - 1 - units) for y in range(last)), arb(1)]
    return [high - low for low, high in itertools.pairwise(steps)]


def runs(noise, apart, off=1):
    """Two values, in steps of the grid, of neighbors whose counts are this far apart, each off by `off` at most.

    All fractions, and of what the solver may do the worst.
    """
    g = noise.fineness
    for f in (0, 1, g // 2 - 1, g // 2, g // 2 + 1, g - 1):
        for low, high in itertools.product((-off, off), repeat=2):
            yield g * CENTER + f + low, g * CENTER + f + apart * g + high


def attack(noise, privacy, apart, off=1):
    """The first pair of values that breaks the promise; None if there is none."""
    for here, there in runs(noise, apart, off):
        laws = law(noise, here), law(noise, there)
        if not (keeps(privacy, *laws) and keeps(privacy, *reversed(laws))):
            return here, there
    return None


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(
    ("reach", "epsilon", "m"), [(1, ONE, 1), (1, FOUR, 1), (3, HALF, 1), (2, TENTH, 1), (2, ONE, 3)]
)
def test_count_of_bounded_reach_withstands_all_runs_of_the_solver(neighbors, reach, epsilon, m):
    noise = noise_of_count(neighbors, reach, epsilon, m)
    assert attack(noise, Privacy(epsilon), moved(neighbors, reach, m)) is None


def test_noise_spends_its_budget_to_the_last_bit():
    """There is nothing to spare, so the attack has teeth."""
    noise = noise_of_count("add-remove", 2)
    assert attack(noise, Privacy(ONE - Fraction(1, 10**9)), 2) is not None


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_gaussian_noise_withstands_all_runs_of_the_solver(neighbors):
    noise = noise_of_count(neighbors, 1, FOUR, delta=DELTA)
    assert isinstance(noise, ReachGaussian)
    assert attack(noise, Privacy(FOUR, DELTA), moved(neighbors, 1)) is None
    assert attack(noise, Privacy(FOUR / 2, DELTA), moved(neighbors, 1)) is not None


def attack_groups(noise, epsilon, moves, off=1, groups=3):
    """Two tables whose counts of the groups move by so much, and the solver's values of all groups as far as they may.

    Groups are independent, so the largest ratio of joint probabilities is the product of those of the groups.
    """
    g = noise.fineness
    moves = [*moves, *([0] * (groups - len(moves)))]
    here = [g * CENTER + g // 2 - (off if move >= 0 else -off) for move in moves]
    there = [g * CENTER + g // 2 + move * g + (off if move >= 0 else -off) for move in moves]
    whole = arb(1)
    for a, b in zip(here, there, strict=True):
        laws = zip(law(noise, a), law(noise, b), strict=True)
        whole *= max((p / q if a > b else q / p for p, q in laws), key=float)
    return None if whole <= as_ball(epsilon).exp() * (1 + arb(2) ** -200) else (here, there)


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("m", [1, 2])
def test_groups_withstand_rows_that_leave_one_and_enter_another(neighbors, m):
    """And rows that stay, of which a replaced one moves the count of its group by D + 1."""
    noise, reach = noise_of_groups(neighbors, 2, ONE, m), 2
    steps = [(m * reach,), (-m * reach,)]
    if neighbors == "replace":
        steps += [(m * reach, -m * reach), (m * (reach + 1),)]
    assert noise.fineness == 256
    assert all(attack_groups(noise, ONE, moves) is None for moves in steps)


# The same, with a mistake.


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_attack_catches_a_scale_without_the_solvers_slack(monkeypatch, neighbors):
    monkeypatch.setattr(reach_module, "_SLACK", Fraction(0))
    assert attack(noise_of_count(neighbors, 2), Privacy(ONE), moved(neighbors, 2), off=0) is None
    assert attack(noise_of_count(neighbors, 2), Privacy(ONE), moved(neighbors, 2)) is not None


def test_attack_catches_the_reach_alone_where_rows_are_replaced():
    noise = noise_of_count("add-remove", 2)
    assert attack(noise, Privacy(ONE), moved("add-remove", 2)) is None
    assert attack(noise, Privacy(ONE), moved("replace", 2)) is not None


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_attack_catches_the_noise_of_one_row_for_a_person_with_two(neighbors):
    assert attack(noise_of_count(neighbors, 2), Privacy(ONE), moved(neighbors, 2, 2)) is not None


def test_attack_catches_groups_with_the_reach_once_where_rows_are_replaced():
    assert attack_groups(noise_of_groups("add-remove", 2), ONE, (2, -2)) is not None


def test_attack_catches_groups_on_the_grid_of_one_count(monkeypatch):
    """The values of all groups may differ between two runs, by more together than was allowed for."""
    monkeypatch.setattr(reach_module, "fineness_for", lambda groups: 64)
    assert attack_groups(noise_of_groups("add-remove", 2), ONE, (2,)) is not None


def possible(noise, values):
    """The counts that may be released where all groups get the same noise, near the middle of it."""
    near = range(-4 * noise.fineness, 4 * noise.fineness)
    return {tuple(to_whole(units + z, noise.fineness) for units in values) for z in near}


def test_attack_catches_noise_that_two_groups_share():
    """The difference of the two counts is then that of the values: what one table releases, its neighbor never does."""
    noise = noise_of_groups("add-remove", 2)
    center = noise.fineness * CENTER
    assert not possible(noise, (center, center)) & possible(noise, (center + 2 * noise.fineness, center))


def test_every_group_gets_noise_of_its_own(monkeypatch):
    drawn = iter((0, 5 * 256, -3 * 256))
    monkeypatch.setattr("eremite.mechanisms.reach_laplace.draw_integer", lambda *_: next(drawn))
    monkeypatch.setattr(reach_module, "capped_count", lambda *_, **__: 4 * 256)
    plan = CountByQuery(definition=DEFINITION, by="ward", epsilon=1, reach=1).plan(table("replace"))
    assert list(plan.compute(table("replace")).values()) == [4, 9, 1]
