"""Attack one draw for a count from both sides and the number of rows: its law, and what holds for every table."""

import itertools
from fractions import Fraction
from math import ceil, exp, floor

import numpy as np
import pytest

from eremite import OutlierDefinition
from eremite.mechanisms import reach_rows as module
from eremite.mechanisms.reach_rows import ReachWithRows, point_of_shell
from eremite.reach.counting import capped_pair
from tests.attacks.laws import broken_rings
from tests.attacks.reach_tables import Small, line, square

ONE = Fraction(1)
NOISES = [ReachWithRows(ONE, 1, 1), ReachWithRows(Fraction(1, 10), 2, 5), ReachWithRows(Fraction(4), 3, 1, 2)]
COARSE = [
    ReachWithRows(ONE, 1, 2, 1, 2),
    ReachWithRows(Fraction(2), 3, 1, 1, 4),
    ReachWithRows(Fraction(3), 1, 1, 2, 4),
]


def points_at(ring):
    return 24 * ring**2 + 2


def broken_law(noise):
    return broken_rings(noise, points_at, 100)


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_law_spends_no_more_than_epsilon_on_as_many_steps_as_a_person_moves(noise):
    assert broken_law(noise) is None


def test_points_of_a_shell_are_all_points_at_that_distance_once():
    for ring in range(1, 8):
        found = [point_of_shell(ring, index) for index in range(24 * ring**2 + 2)]
        wanted = {z for z in itertools.product(range(-ring, ring + 1), repeat=3) if max(map(abs, z)) == ring}
        assert set(found) == wanted
        assert len(found) == len(wanted)


def units(noise, values, rows, off=(0, 0)):
    """What gets the noise, if a run of the solver is off by this; as the draw takes it without noise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "draw_integer", lambda *_: 0)
        return noise.draw(tuple(v + o for v, o in zip(values, off, strict=True)), rows).units


def furthest(noise, here, there):
    """How many steps two tables, given as values and rows, are apart at most, whatever runs of the solver do."""
    allowed = list(itertools.product([Fraction(sign, 2 * noise.fineness) for sign in (-1, 1)], repeat=2))
    runs = [(units(noise, *here, off), units(noise, *there, other)) for off in allowed for other in allowed]
    return max(abs(a - b) for one, two in runs for a, b in zip(one, two, strict=True))


def measured(reaches):
    """The values of a table and how many rows it has, kept for all pairs it is in."""

    def of(points, k, radius, _, starts=None):
        return capped_pair(points, OutlierDefinition(min_neighbors=k, radius=radius), reaches, starts), len(points)

    return of


def too_far(noise, small):
    """The first pair of neighbors that are further apart than the noise is for."""
    moves = small.moves(measured(noise.reaches))
    return next((names for names, here, there in moves if furthest(noise, here, there) > noise.steps), None)


SMALLS = [(line(4), 4, 1, 1.0), (square(3), 3, 1, 1.0), (line(3), 4, 2, 1.0)]


@pytest.mark.parametrize(("grid", "rows", "k", "distance"), SMALLS)
@pytest.mark.parametrize("reaches", [(1, 1), (1, 3), (2, 1)])
def test_three_values_withstand_a_row_more_whatever_the_solver_does(grid, rows, k, distance, reaches):
    assert too_far(ReachWithRows(ONE, *reaches), Small(grid, rows, k, distance, reaches)) is None


@pytest.mark.parametrize("m", [1, 2, 3])
def test_three_values_withstand_any_rows_of_a_person(m):
    """Every way in which m rows may move the three, by the theorem: the corners of what one row does."""
    noise = ReachWithRows(ONE, 2, 5, m)
    corners = [(f, u, 1) for f in (-2, 1) for u in (-5, 1)]
    steps = [*corners, *(tuple(-part for part in one) for one in corners), (0, 0, 0)]
    here = (Fraction(40), Fraction(50)), 200
    for moves in itertools.combinations_with_replacement(steps, m):
        f, u, n = (sum(parts) for parts in zip(*moves, strict=True))
        assert furthest(noise, here, ((40 + Fraction(f), 50 + Fraction(u)), 200 + n)) <= noise.steps


def law_around(noise):
    """All places where the noise may be, but for what is beyond 1e-7, and their probabilities."""
    reach = ceil(22 * noise.steps / noise.epsilon)
    places = np.arange(-reach, reach + 1)
    size = np.maximum(np.maximum(abs(places)[:, None, None], abs(places)[None, :, None]), abs(places)[None, None, :])
    law = exp(-float(noise.epsilon / noise.steps)) ** size
    return places, law / law.sum()


@pytest.mark.parametrize("noise", COARSE, ids=str)
@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(19, 20)])
def test_interval_and_rows_are_right_as_often_as_is_said(noise, confidence):
    places, law = law_around(noise)
    rest = (1 - confidence) / 2
    step = [float(noise.scale(side) / (2 * noise.steps)) for side in (0, 1)]
    shared = [(reach - 1) * noise.rows_per_person / (2 * noise.steps) for reach in noise.reaches]
    first = step[0] * places[:, None, None] - shared[0] * places[None, None, :]
    second = step[1] * places[None, :, None] - shared[1] * places[None, None, :]
    low, high = (float(noise.margin(side, rest)) for side in (0, 1))
    missed = law[np.broadcast_to((first > low) | (second < -high), law.shape)].sum()
    assert 0.3 * float(1 - confidence) < missed <= float(1 - confidence)
    far = float(noise.margin_of_rows(rest))
    assert law[:, :, abs(places) * noise.rows_per_person / noise.steps > far].sum() <= float(1 - confidence)
    for times in (0.4, 0.6):  # it has teeth
        assert law[np.broadcast_to((first > times * low) | (second < -times * high), law.shape)].sum() > missed


def test_ends_are_whole_numbers_around_the_count_where_there_is_no_noise(monkeypatch):
    monkeypatch.setattr(module, "draw_integer", lambda *_: 0)
    noise = ReachWithRows(ONE, 2, 5)
    drawn = noise.draw((Fraction(40), Fraction(47)), 900)
    low, high = drawn.between()
    rest = Fraction(1, 40)
    assert low in (floor(40 - noise.margin(0, rest)), ceil(40 - noise.margin(0, rest)))
    assert high in (floor(47 + noise.margin(1, rest)), ceil(47 + noise.margin(1, rest)))
    assert (drawn.rows(), low < drawn.at_least() <= drawn.middle()) == (900, True)
    assert 40 <= drawn.middle() <= 42


# Mistakes.


def test_attack_catches_scales_of_the_reach_alone(monkeypatch):
    """Half of the move of a count from below: what is left of it once the number of rows is known."""
    small = Small(line(4), 4, 1, 1.0, (1, 1))
    monkeypatch.setattr(ReachWithRows, "scale", lambda self, side: Fraction(self.reaches[side]) + Fraction(1, 16))
    assert too_far(ReachWithRows(ONE, 1, 1), small) is not None


def test_attack_catches_counts_without_the_number_of_rows(monkeypatch):
    """Twice a count from below moves by 2 D, and not by D + 1."""
    honest = ReachWithRows.draw

    def without(self, values, rows):
        counts = [v - Fraction(reach - 1, 2) * rows for v, reach in zip(values, self.reaches, strict=True)]
        return honest(self, counts, rows)

    noise, here, there = ReachWithRows(ONE, 2, 2), ((Fraction(5),) * 2, 20), ((Fraction(3),) * 2, 21)
    assert furthest(noise, here, there) <= noise.steps
    monkeypatch.setattr(ReachWithRows, "draw", without)
    assert furthest(noise, here, there) > noise.steps


def test_attack_catches_shells_with_the_points_of_a_square(monkeypatch):
    def beyond(self, ring):
        q = self._ratio()
        return 8 * q ** (ring + 1) * ((ring + 1) - ring * q) / ((1 - q) ** 2 + 8 * q)

    monkeypatch.setattr(ReachWithRows, "beyond", beyond)
    assert broken_law(NOISES[0]) is not None


def test_attack_catches_the_margin_of_the_pair_where_the_reach_is_one():
    noise = COARSE[0]
    places, law = law_around(noise)
    first = float(noise.scale(0) / (2 * noise.steps)) * places
    assert law[first > 0.75 * float(noise.margin(0, Fraction(1, 40)))].sum() > 1 / 40
