"""What detection spends and refuses, and what it draws among."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from eremite import BudgetRefused, InputError, OutlierDefinition, Privacy, Session, Table
from eremite.queries import DetectQuery, detection
from eremite.release.words import candidates_in_words
from tests.private_side import left_when_looking, refused_for_free

DEFINITION = OutlierDefinition(min_neighbors=2, radius=0.1)
POINTS = [[20.0, 1.0], [80.0, 5.0], [55.0, 2.5]]


def table(n=30, rows_per_person=1):
    rows = np.random.default_rng(2).random((n, 2)) * [100, 10]
    return Table.from_frame(rows, {"age": (0, 100), "dose": (0, 10)}, rows_per_person=rows_per_person)


def plan(candidates=POINTS, h=1, columns=None, epsilon=1, some=None):
    return DetectQuery(definition=DEFINITION, candidates=candidates, h=h, columns=columns, epsilon=epsilon).plan(
        some or table()
    )


def test_candidates_are_scaled_as_the_rows_were():
    assert plan().candidates.tolist() == [[0.2, 0.1], [0.8, 0.5], [0.55, 0.25]]
    assert plan([[5.0, 20.0]], columns=["dose", "age"]).candidates.tolist() == [[0.5, 0.2]]
    assert plan([[5], [20]], columns=["age"]).candidates.tolist() == [[0.05], [0.2]]


SWAPPED = {"dose": [1.0, 5.0, 2.5], "age": [20.0, 80.0, 55.0]}
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "lists": dict,
    "structured": lambda rows: np.rec.fromarrays(list(rows.values()), names=list(rows)),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_candidates_of_a_frame_are_matched_by_name(frame):
    made = FRAMES[frame](SWAPPED)
    assert plan(made).candidates.tolist() == plan().candidates.tolist()
    swapped = plan(made, columns=["dose", "age"])
    assert swapped.candidates.tolist() == [[0.1, 0.2], [0.5, 0.8], [0.25, 0.55]]
    assert plan(FRAMES[frame]({"dose": [5.0]}), columns=["dose"]).candidates.tolist() == [[0.5]]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("rows", [{"dose": [1.0]}, SWAPPED | {"note": [1.0, 2.0, 3.0]}, {"dose": [1.0], "AGE": [1.0]}])
def test_frame_of_other_columns_is_refused_for_free(frame, rows):
    def ask(session):
        session.detect_outliers(DEFINITION, candidates=FRAMES[frame](rows), h=1, epsilon="0.5")

    sentence = refused_for_free(table(), ask)
    assert "it must have exactly 'age' and 'dose'" in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("frame", FRAMES)
def test_screen_matches_a_frame_by_name(frame):
    screen = Session(table(), epsilon=1).open_screen(DEFINITION, most_yes=30, epsilon=1)
    seen = []
    screen._screening.answer = lambda points, _: seen.append(points.tolist()) or (False,) * len(points)
    screen.ask(FRAMES[frame](SWAPPED))
    screen.ask(POINTS)
    assert seen == [plan().candidates.tolist()] * 2
    with pytest.raises(InputError, match="it must have exactly 'age' and 'dose'"):
        screen.ask(FRAMES[frame]({"dose": [1.0]}))


@pytest.mark.parametrize("h", [1, 2, 3])
@pytest.mark.parametrize("m", [1, 4])
@pytest.mark.parametrize("candidates", [POINTS, None])
def test_draws_spend_epsilon_exactly(h, m, candidates):
    made = plan(candidates, h, epsilon="0.7", some=table(rows_per_person=m))
    assert made.each * h * m == Fraction(7, 10)
    assert made.privacy == Privacy(Fraction(7, 10))


def test_selection_is_the_one_the_proof_is_for():
    assert plan().mechanism == "permute-and-flip"
    assert plan(None).mechanism == "exponential"
    assert dict(plan().parameters) == {"h": 1, "candidates": 3}
    assert dict(plan(None, 2).parameters) == {"h": 2, "candidates": None}


BAD = [
    {"candidates": [[1.0]]},
    {"candidates": [[1.0, 2.0, 3.0]]},
    {"candidates": [1.0, 2.0]},
    {"candidates": 5},
    {"candidates": "ab"},
    {"candidates": [["a", "b"]]},
    {"candidates": [[1.0, 2.0], [1.0]]},
    {"candidates": [[1.0, float("nan")]]},
    {"candidates": [[float("nan"), 1.0]]},
    {"candidates": []},
    {"candidates": np.zeros((0, 2))},
    {"candidates": np.zeros((2, 2), dtype=complex)},
    {"h": 0},
    {"h": 4},
    {"h": True},
    {"h": "1"},
    {"candidates": None, "h": 31},
    {"columns": ["age"]},
    {"columns": ["z", "age"]},
    {"columns": []},
    {"epsilon": 0},
    {"epsilon": 21},
    {"definition": (2, 0.1)},
    {"definition": OutlierDefinition(min_neighbors=30, radius=0.1)},
    {"definition": OutlierDefinition(min_neighbors=2, radius=1.5)},
]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad_request_for_detection_spends_nothing_and_looks_at_nothing(bad):
    request = {"definition": DEFINITION, "candidates": POINTS, "h": 1, "epsilon": 0.5} | bad
    assert refused_for_free(table(), lambda session: session.detect_outliers(**request))


def test_refused_detection_spends_nothing():
    request = {"definition": DEFINITION, "candidates": POINTS, "h": 1, "epsilon": 2}
    assert refused_for_free(table(), lambda session: session.detect_outliers(**request), BudgetRefused)


@pytest.mark.parametrize("candidates", [POINTS, None])
def test_charge_for_detection_is_made_before_a_row_is_looked_at(candidates):
    request = {"definition": DEFINITION, "candidates": candidates, "h": 1, "epsilon": 0.25}
    left = left_when_looking(table(), lambda session: session.detect_outliers(**request))
    assert left == Privacy(Fraction(3, 4))


@pytest.mark.parametrize("candidates", [POINTS, None])
def test_places_are_plain_integers_each_drawn_once(candidates):
    some = table(5) if candidates is None else table()
    h = 5 if candidates is None else 3
    drawn = plan(candidates, h, some=some).compute(some)
    assert sorted(drawn) == list(range(h))
    assert {type(place) for place in drawn} == {int}


def test_lonely_candidate_wins_where_the_budget_is_large():
    """Forty rows near one candidate, one near the other, none near the third, and epsilon 20: 20 steps decide."""
    rows = np.array([[0.2, 0.2]] * 40 + [[0.8, 0.8]])
    crowd = Table.from_frame(rows, {"a": (0, 1), "b": (0, 1)})
    made = DetectQuery(definition=DEFINITION, candidates=[[0.2, 0.2], [0.8, 0.2]], h=1, epsilon=20).plan(crowd)
    assert {made.compute(crowd) for _ in range(100)} == {(1,)}


def test_rows_of_the_same_degree_are_drawn_alike_and_lonely_ones_more_often():
    """Two lonely rows of eight, k = 2 and epsilon 20: e^10 times as likely as the others."""
    rows = np.array([[0.1, 0.1]] * 6 + [[0.5, 0.9], [0.9, 0.5]])
    crowd = Table.from_frame(rows, {"a": (0, 1), "b": (0, 1)})
    made = DetectQuery(definition=DEFINITION, candidates=None, h=1, epsilon=20).plan(crowd)
    assert {made.compute(crowd) for _ in range(100)} == {(6,), (7,)}


def test_release_of_rows_says_how_little_it_tells():
    session = Session(table(), epsilon=1)
    release = session.detect_outliers(DEFINITION, candidates=None, h=2, epsilon=1)
    assert release.mechanism == "exponential"
    assert "close to a random pick" in candidates_in_words(release)
    assert "at most 1.29 times" in candidates_in_words(release)  # e^(1/4) = 1.284


def test_rows_are_grouped_by_degree_with_one_look_at_each(monkeypatch):
    """Once for each number of neighbors up to k was a look at N rows, N times, where k is as large as the table."""
    groups = []
    monkeypatch.setattr(
        detection, "draw_index", lambda _, counts: groups.append(list(counts)) or int(np.argmax(counts))
    )
    monkeypatch.setattr(np, "flatnonzero", lambda _: pytest.fail("all rows were looked at again"))
    degrees = np.random.default_rng(4).integers(0, 8, 200)
    k = OutlierDefinition(min_neighbors=9, radius=0.1)
    made = DetectQuery(definition=k, candidates=None, h=1, epsilon=1).plan(table(200))
    [drawn] = detection._among_rows(degrees, made)
    assert groups == [[int(np.count_nonzero(degrees == degree)) for degree in range(10)]]
    assert degrees[drawn] == np.argmax(groups[0])


def test_draws_among_rows_that_would_weigh_too_much_are_refused_for_free():
    """Each draw weighs each of k + 1 degrees: 1,000 draws with k in the tens of thousands took days."""
    many = table(40_000)
    k = OutlierDefinition(min_neighbors=20_000, radius=0.1)
    said = refused_for_free(many, lambda session: session.detect_outliers(k, candidates=None, h=50, epsilon=1))
    assert said.startswith("Naming 50 of the rows with min_neighbors 20,000 takes more than the 1,000,000 weights")
    assert DetectQuery(definition=k, candidates=None, h=49, epsilon=1).plan(many).h == 49
    assert DetectQuery(definition=k, candidates=POINTS * 20, h=50, epsilon=1).plan(many).h == 50
