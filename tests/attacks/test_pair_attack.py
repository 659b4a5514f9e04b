"""Attack one draw of noise for a count from below and one from above: privacy of the law, and coverage of the interval.

The law is taken from the distribution function that the library draws with; two tables differ by at most `steps` in the
larger of the two values, whatever runs of the solver compute them.
"""

import itertools
from fractions import Fraction
from functools import partial
from math import ceil, exp, floor

import numpy as np
import pytest

from eremite import OutlierDefinition
from eremite.mechanisms import ReachPair
from eremite.mechanisms import reach_pair as pair_module
from eremite.mechanisms.margins import surely_at_most
from eremite.queries.reach import for_groups_of_pairs, sensitivities_of_pairs
from eremite.reach.counting import capped_pair
from tests.attacks.laws import broken_rings
from tests.attacks.reach_tables import Small, line, square
from tests.definition import outliers_by_definition

SLACK, TENTH, ONE, FOUR = Fraction(1, 32), Fraction(1, 10), Fraction(1), Fraction(4)
NOISES = [
    ReachPair(ONE, 1 + SLACK, 1 + SLACK),
    ReachPair(TENTH, 2 + SLACK, 2 + SLACK),
    ReachPair(FOUR, 1 + SLACK, 3 + SLACK),
    ReachPair(Fraction(20), 1 + SLACK, 1 + SLACK, 4),
    ReachPair(ONE, 9 + SLACK, 4 + SLACK),
]
OPENING = 200


def points_at(ring):
    return 8 * ring


def broken_law(noise):
    return broken_rings(noise, points_at, OPENING)


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_law_spends_no_more_than_epsilon_on_as_many_steps_as_a_row_moves(noise):
    assert broken_law(noise) is None


def test_points_of_a_ring_are_all_points_at_that_distance_once():
    for ring in range(1, 30):
        found = [pair_module.point_of_ring(ring, index) for index in range(8 * ring)]
        wanted = {z for z in itertools.product(range(-ring, ring + 1), repeat=2) if max(map(abs, z)) == ring}
        assert set(found) == wanted
        assert len(found) == len(wanted)


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_beyond_and_outside_are_sums_over_points(noise):
    r = exp(-float(noise.epsilon / noise.steps))
    most = ceil(40 * noise.steps / noise.epsilon)
    rings = np.arange(1, most, dtype=float)
    masses = 8 * rings * r**rings
    whole = 1 + masses.sum()
    for t in (0, 1, 7, noise.steps, 3 * noise.steps):
        assert np.isclose(float(noise.beyond(t)), masses[rings > t].sum() / whole, rtol=1e-9)
    small, points = 12, range(-60, 61)
    inside = {z: r ** max(map(abs, z)) for z in itertools.product(points, repeat=2)}
    for t in (0, 1, 5, small):
        failed = sum(p for z, p in inside.items() if z[0] > t or z[1] < -t) / whole
        far = float(noise.beyond(60))
        assert failed - 1e-12 <= float(noise.outside(t)) <= failed + far + 1e-12
        too_large = sum(p for z, p in inside.items() if z[0] > t) / whole
        assert too_large - 1e-12 <= float(noise.outside_below(t)) <= too_large + far + 1e-12


def pair(points, k, radius, reaches, starts=None):
    """The two values that get noise."""
    return capped_pair(points, OutlierDefinition(min_neighbors=k, radius=radius), reaches, starts)


def units(noise, values, off):
    """What gets the noise, if a run of the solver is off by this."""
    moved = [value + o for value, o in zip(values, off, strict=True)]
    return [floor(value / noise.step(side) + Fraction(1, 2)) for side, value in enumerate(moved)]


def furthest(noise, here, there):
    """How many steps two tables are apart at most, over runs that are off as far as the certificate allows."""
    allowed = [Fraction(sign, 2 * noise.fineness) for sign in (-1, 1)]
    runs = [
        (units(noise, here, off), units(noise, there, other))
        for off in itertools.product(allowed, repeat=2)
        for other in itertools.product(allowed, repeat=2)
    ]
    return max(abs(a - b) for one, two in runs for a, b in zip(one, two, strict=True))


SMALLS = [(line(4), 4, 1, 1.0), (square(3), 3, 1, 1.0)]


def too_far(noise, pairs):
    """The first pair of neighbors that are further apart than the noise is for."""
    return next((names for names, here, there in pairs if furthest(noise, here, there) > noise.steps), None)


@pytest.mark.parametrize(("grid", "rows", "k", "distance"), SMALLS)
@pytest.mark.parametrize("reaches", [(1, 1), (1, 2)])
def test_pair_withstands_a_row_more_whatever_the_solver_does(grid, rows, k, distance, reaches):
    noise = ReachPair(ONE, *(reach + SLACK for reach in reaches))
    assert too_far(noise, Small(grid, rows, k, distance, reaches).moves(pair)) is None


def test_pair_withstands_a_row_replaced_and_would_not_with_the_reach_alone():
    small = Small(line(5), 3, 1, 1.0, (1, 1))
    assert too_far(ReachPair(ONE, 2 + SLACK, 2 + SLACK), small.replacements(pair)) is None
    assert too_far(ReachPair(ONE, 1 + SLACK, 1 + SLACK), small.replacements(pair)) is not None


def test_attack_catches_noise_without_the_slack_of_solvers():
    """Rows at both ends of a ball, and the row between them: the lower value moves by the reach, runs by the rest."""
    small = Small(line(4), 4, 1, 1.0, (1, 1))
    assert too_far(ReachPair(ONE, ONE, ONE), small.moves(pair)) is not None


def misses(noise, values, q, confidence=Fraction(19, 20)):
    """P(the count is not between the ends), from the law of the noise."""
    margin, reach = noise.margin(confidence), ceil(14 * noise.steps / noise.epsilon)
    first, second = units(noise, values, (0, 0))
    r = exp(-float(noise.epsilon / noise.steps))
    z = np.arange(-reach, reach + 1)
    law = r ** np.maximum(np.abs(z)[:, None], np.abs(z)[None, :])
    law /= law.sum()
    low = [ceil((first + int(a) - margin) * noise.step(0) - noise.off) > q for a in z]
    high = [floor((second + int(b) + margin) * noise.step(1) + noise.off) < q for b in z]
    return float(law[np.array(low)[:, None] | np.array(high)[None, :]].sum())


COARSE = [ReachPair(ONE, 1 + SLACK, 1 + SLACK, 8), ReachPair(Fraction(3), 1 + SLACK, 2 + SLACK, 16)]


def misses_from_below(noise, q, margin):
    """P(the number that the count is said to be no less than is more), from the law of the noise; the value is q."""
    [first, _], reach = units(noise, (Fraction(q), Fraction(q)), (0, 0)), ceil(14 * noise.steps / noise.epsilon)
    r = exp(-float(noise.epsilon / noise.steps))
    z = np.arange(-reach, reach + 1)
    law = r ** np.maximum(np.abs(z)[:, None], np.abs(z)[None, :])
    law /= law.sum()
    return float(law[[ceil((first + int(a) - margin) * noise.step(0) - noise.off) > q for a in z]].sum())


@pytest.mark.parametrize("noise", COARSE, ids=str)
def test_lower_end_alone_covers_the_count_and_would_not_with_less(noise):
    for q in range(8):
        assert misses_from_below(noise, q, noise.margin_below()) <= 0.05
    less = floor(0.8 * noise.margin_below())
    assert max(misses_from_below(noise, q, less) for q in range(8)) > 0.05


@pytest.mark.parametrize("noise", COARSE, ids=str)
def test_interval_covers_the_count_of_every_small_table(noise):
    reaches = (1, 2 if noise.above > 2 else 1)
    small = Small(line(4), 4, 1, 1.0, reaches)
    seen = set()
    for rows in small.tables():
        points, _ = small.points_and_starts(rows)
        q = outliers_by_definition(points, small.k, small.radius)
        values = small.count(pair, rows)
        if (q - values[0], values[1] - q) not in seen:
            seen.add((q - values[0], values[1] - q))
            assert misses(noise, values, q) <= 0.05


GROUPS = 5


def furthest_together(noise, moves):
    """How many steps the points of all groups move at most, if a person moves these groups so, whatever solvers do.

    A group that is not named keeps its values, but its runs may differ, as far as the certificate allows.
    """
    moves = [*moves, *[(0, 0)] * (GROUPS - len(moves))]
    values = Fraction(1, 3), Fraction(7, 2)
    return sum(furthest(noise, values, [v + m for v, m in zip(values, move, strict=True)]) for move in moves)


def moves_of_groups(reaches, neighbors, m):
    """What a person with m rows may do to groups: all in one of them, each elsewhere, one side alone."""
    below, above = reaches
    corners = [(-below, -above), (0, -above), (-below, 0), (1, -above)]
    steps = m * (2 if neighbors == "replace" else 1)
    for corner in corners:
        yield [corner] * min(steps, GROUPS)
        yield [tuple(steps * part for part in corner)]
    if neighbors == "replace":
        yield [corners[0], tuple(-part for part in corners[0])]
        yield [(m * (below + 1), m * (above + 1))]


def broken_groups(noise, reaches, neighbors, m=1):
    return next((m for m in moves_of_groups(reaches, neighbors, m) if furthest_together(noise, m) > noise.steps), None)


@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
@pytest.mark.parametrize("reaches", [(1, 1), (1, 12), (3, 6), (9, 2)])
@pytest.mark.parametrize("m", [1, 2])
def test_groups_from_both_sides_withstand_a_person_whatever_the_solvers_do(neighbors, reaches, m):
    noise = for_groups_of_pairs(*reaches, ONE, neighbors, m, GROUPS).noise
    assert broken_groups(noise, reaches, neighbors, m) is None


def test_groups_from_both_sides_have_the_margin_of_one_count():
    noise = for_groups_of_pairs(2, 5, ONE, "add-remove", 1, GROUPS).noise
    assert float(noise.margin() * noise.step(0)) == pytest.approx(4.0 * 2, rel=0.03)
    assert surely_at_most(partial(noise.outside, noise.margin()), Fraction(1, 20))


# Mistakes.


def test_attack_catches_groups_with_the_slack_of_one_count_on_both_sides():
    """The runs of the other groups count in steps of the side with the least reach."""
    noise = ReachPair(ONE, 1 + SLACK, 12 + SLACK, 64 * GROUPS)
    assert broken_groups(noise, (1, 12), "add-remove") is not None


def test_attack_catches_groups_on_the_grid_of_a_count():
    moved, moved_above = sensitivities_of_pairs(1, 12, "add-remove", 1)
    assert broken_groups(ReachPair(ONE, moved, moved_above, 64), (1, 12), "add-remove") is not None


def test_attack_catches_groups_with_the_reach_once_where_rows_are_replaced():
    noise = for_groups_of_pairs(2, 5, ONE, "add-remove", 1, GROUPS).noise
    assert broken_groups(noise, (2, 5), "replace") is not None


def test_attack_catches_rings_with_half_their_points(monkeypatch):
    """P(ring m) proportional to 4 m r^m beside 1 at 0: the first step costs ln 2 more."""

    def beyond(self, ring):
        r = self._ratio()
        return 4 * r ** (ring + 1) * ((ring + 1) - ring * r) / ((1 - r) ** 2 + 4 * r)

    monkeypatch.setattr(ReachPair, "beyond", beyond)
    assert broken_law(NOISES[0]) is not None


def loss(noise, norm):
    """The most that moves of both values by as many steps as a row may take tell, for noise e^(-epsilon norm / L)."""
    places = [-2 * noise.steps, -1, 0, 1, noise.steps, 3 * noise.steps]
    moves = [move for move in itertools.product((-noise.steps, 0, noise.steps), repeat=2) if any(move)]
    told = [norm(a - m, b - n) - norm(a, b) for a, b in itertools.product(places, repeat=2) for m, n in moves]
    return max(told) * noise.epsilon / noise.steps


def test_attack_catches_two_draws_that_each_spend_all_of_epsilon():
    """A row that turns outliers into core rows moves both values."""
    for noise in NOISES:
        assert loss(noise, lambda a, b: max(abs(a), abs(b))) == noise.epsilon
        assert loss(noise, lambda a, b: abs(a) + abs(b)) == 2 * noise.epsilon


@pytest.mark.parametrize("times", [3.0, 3.6])
def test_attack_catches_the_margin_of_a_single_laplace_draw(times, monkeypatch):
    """ln 20 is about 3.0: two ends need 4.0."""
    noise = COARSE[0]
    monkeypatch.setattr(ReachPair, "margin", lambda self, _=None: floor(times * self.steps / self.epsilon))
    assert misses(noise, (Fraction(5), Fraction(5)), 5) > 0.05


def test_margin_is_the_least_that_holds():
    for noise in (*NOISES, *COARSE):
        for confidence in (Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000)):
            margin = noise.margin(confidence)
            assert surely_at_most(partial(noise.outside, margin), 1 - confidence)
            assert margin == 0 or not surely_at_most(partial(noise.outside, margin - 1), 1 - confidence)
