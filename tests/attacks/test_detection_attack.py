"""Attack detection and screening: all neighboring tables, or all moves of scores, with the exact probabilities.

Laws are closed forms, or sums over the noise on the threshold with a tail below 1e-17; floats, asked with a margin of
1e-9. Every mistake named here is caught.
"""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from eremite import OutlierDefinition, Table
from eremite.engines import count_rows_near
from eremite.queries import DetectQuery
from tests.attacks.laws import (
    MARGIN,
    Vector,
    exponential_law,
    long_transcript,
    ordered_law,
    permute_and_flip_law,
    transcript_law,
)
from tests.attacks.neighboring import replaced, square
from tests.definition import degrees_by_definition

GRID = square(3) / 2
BOUNDS = {"a": (0, 1), "b": (0, 1)}
CANDIDATES = np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 0.75], [0.25, 1.0]])


def withstands(epsilon, laws, pairs):
    factor = np.exp(float(epsilon)) * MARGIN
    return all((laws[here] <= factor * laws[there]).all() for here, there in pairs)


# Candidates that the analyst brings.


def table_of(n, rows_per_person=1):
    return Table.from_frame(np.zeros((n, 2)), BOUNDS, rows_per_person=rows_per_person)


@cache
def pairs_of_near(n, radius, cap):
    """All pairs of (rows near each candidate, capped), for tables of n rows on the grid, as the library counts them."""
    tables = list(itertools.combinations_with_replacement(range(len(GRID)), n))
    known = {rows: tuple(count_rows_near(CANDIDATES, GRID[list(rows)], radius, cap).tolist()) for rows in tables}
    return {(known[rows], known[other]) for rows in tables for other in replaced(rows, len(GRID))}


@pytest.mark.parametrize("radius", [0.3, 0.5])
@pytest.mark.parametrize("cap", [1, 2, 99])
def test_rows_near_a_candidate_move_by_at_most_one(radius, cap):
    moves = [np.subtract(here, there) for here, there in pairs_of_near(4, radius, cap)]
    assert np.abs(moves).max() == 1
    assert any(move.max() == 1 and move.min() == -1 for move in moves)  # why the factor 2 stays


def attack_candidates(epsilon, h, factor=Fraction(1, 2), n=4, radius=0.3):
    """Whether the draws among the candidates keep their promise on all neighboring tables."""
    definition = OutlierDefinition(min_neighbors=2, radius=radius)
    plan = DetectQuery(definition=definition, candidates=CANDIDATES, h=h, epsilon=epsilon).plan(table_of(n))
    pairs = pairs_of_near(n, radius, 99)
    laws = {
        near: np.array(
            list(ordered_law(permute_and_flip_law, [-rows for rows in near], plan.each * factor, h).values())
        )
        for near in set().union(*pairs)
    }
    return withstands(epsilon, laws, pairs)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
@pytest.mark.parametrize("h", [1, 2, 3])
def test_detection_among_candidates_withstands_all_neighbors(epsilon, h):
    assert attack_candidates(epsilon, h)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
@pytest.mark.parametrize("h", [1, 2])
def test_attack_catches_the_missing_factor_2_among_candidates(epsilon, h):
    assert not attack_candidates(epsilon, h, factor=Fraction(1))


# Rows as candidates: places matter, so tables are sequences.


@cache
def pairs_of_degrees(n, k, radius):
    """All pairs of (min(degree, k) of each row), for tables that differ in one row."""
    tables = list(itertools.product(range(5), repeat=n))
    line = np.arange(5.0)[:, None] / 4
    known = {rows: tuple(degrees_by_definition(line[list(rows)], radius, k)) for rows in tables}
    moves = itertools.product(tables, range(n), range(5))
    return {(known[rows], known[(*rows[:i], value, *rows[i + 1 :])]) for rows, i, value in moves}


def scores_move(n, k, unit):
    """By how much the score of one place moves at most, as a fraction of the range."""
    pairs = pairs_of_degrees(n, k, 0.3)
    return max(Fraction(abs(a - b), unit) for pair in pairs for a, b in zip(*pair, strict=True))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_score_of_a_row_moves_by_at_most_one(k):
    assert scores_move(4, k, k) == 1


def row_law(plan, degrees, unit):
    scores = [Fraction(-degree, unit) for degree in degrees]
    return np.array(list(ordered_law(exponential_law, scores, plan.each / 2, plan.h).values()))


def plan_rows(n, k, h, epsilon):
    return DetectQuery(
        definition=OutlierDefinition(min_neighbors=k, radius=0.3), candidates=None, h=h, epsilon=epsilon
    ).plan(table_of(n))


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
@pytest.mark.parametrize("h", [1, 2])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_detection_among_rows_withstands_all_neighbors(epsilon, h, k):
    plan, pairs = plan_rows(4, k, h, epsilon), pairs_of_degrees(4, k, 0.3)
    laws = {degrees: row_law(plan, degrees, k) for degrees in set().union(*pairs)}
    assert withstands(epsilon, laws, pairs)


def test_attack_catches_scores_of_rows_that_are_not_scaled():
    """A row leaves a crowd of ten: -min(deg, k) moves by k, and what is divided by k by 1."""
    epsilon, crowd, one_left = Fraction(1, 2), (3,) * 10, (0, *(3,) * 9)
    plan, pair = plan_rows(10, 3, 1, epsilon), [(one_left, crowd)]
    assert withstands(epsilon, {degrees: row_law(plan, degrees, 3) for degrees in pair[0]}, pair)
    assert not withstands(epsilon, {degrees: row_law(plan, degrees, 1) for degrees in pair[0]}, pair)


# The sparse vector: streams of scores, transcripts of answers.


def attack_vector(vector, furthest=3, length=3):
    """Whether all transcripts keep the promise, for all streams of gaps up to `furthest` and all moves by at most 1."""
    streams = itertools.product(range(-furthest, furthest + 1), repeat=length)
    laws = {gaps: np.array(list(transcript_law(vector, gaps).values())) for gaps in streams}
    moves = itertools.product(laws, itertools.product((-1, 0, 1), repeat=length))
    moved = ((gaps, tuple(gap + by for gap, by in zip(gaps, move, strict=True))) for gaps, move in moves)
    return withstands(vector.epsilon, laws, [pair for pair in moved if pair[1] in laws])


SPARSE = [*itertools.product((Fraction(1, 2), Fraction(1), Fraction(3)), (1, 2))]


@pytest.mark.parametrize(("epsilon", "most_yes"), SPARSE)
def test_screening_withstands_all_moves_of_three_scores(epsilon, most_yes):
    assert attack_vector(Vector(epsilon, most_yes))


@pytest.mark.parametrize(("epsilon", "most_yes"), SPARSE)
@pytest.mark.parametrize("down", [True, False])
def test_screening_withstands_long_streams(epsilon, most_yes, down):
    """Twenty no and then the yes there are, while all scores go one way: no number of no costs more."""
    vector = Vector(epsilon, most_yes)
    for gap in (-2, 0, 2):
        here, there = ((gap,) * 20 + (0,) * most_yes, (gap + (-1 if down else 1),) * 20 + (1,) * most_yes)
        for one, other in ((here, there), (there, here)):
            answers = (False,) * 20 + (True,) * most_yes
            laws = [long_transcript(vector, gaps, answers) for gaps in (one, other)]
            assert laws[0] <= np.exp(float(epsilon)) * MARGIN * laws[1]


def long_loss(vector, said_yes):
    """Of sixty no where yes is likely, and then yes where no is, while the scores go apart."""
    answers = (False,) * 60 + (True,) * said_yes
    here, there = (6,) * 60 + (-4,) * said_yes, (7,) * 60 + (-5,) * said_yes
    return np.log(long_transcript(vector, here, answers) / long_transcript(vector, there, answers))


@pytest.mark.parametrize("most_yes", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_screening_spends_its_budget_and_no_more(epsilon, most_yes):
    """There is nothing to spare, so the attack has teeth."""
    assert long_loss(Vector(epsilon, most_yes), most_yes) == pytest.approx(float(epsilon), rel=0.01)
    assert long_loss(Vector(epsilon, most_yes), most_yes) <= float(epsilon) * MARGIN


@pytest.mark.parametrize("most_yes", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_attack_catches_a_screen_that_does_not_stop(epsilon, most_yes):
    """One yes more is one too many."""
    assert long_loss(Vector(epsilon, most_yes), most_yes + 1) > float(epsilon) * MARGIN


@pytest.mark.parametrize(("epsilon", "most_yes"), SPARSE)
def test_attack_catches_answers_without_the_factor_2c(epsilon, most_yes):
    assert not attack_vector(Vector(epsilon, most_yes, scaled=False))


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(3)])
def test_attack_catches_a_threshold_without_noise(epsilon):
    """Every no then costs something: three of them are enough."""
    assert not attack_vector(Vector(epsilon, 1, noisy=False))


def test_answers_to_one_screen_are_one_distribution():
    vector = Vector(Fraction(1), 2)
    law = transcript_law(vector, (1, -1, 0))
    assert sum(law.values()) == pytest.approx(1, abs=1e-12)
    assert set(map(len, law)) == {2, 3}
