"""What an explanation spends and refuses, what it reads as a point, and that it names the right columns."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from eremite import BudgetRefused, OutlierDefinition, Privacy, Table
from eremite.queries import ExplainQuery
from tests.private_side import left_when_looking, refused_for_free

DEFINITION = OutlierDefinition(min_neighbors=5, radius=0.05)
POINT = [20.0, 1.0, 0.5]


def table(n=30, rows_per_person=1):
    rows = np.random.default_rng(2).random((n, 3)) * [100, 10, 1]
    bounds = {"age": (0, 100), "dose": (0, 10), "rate": (0, 1)}
    return Table.from_frame(rows, bounds, rows_per_person=rows_per_person)


def plan(point=POINT, some=None, **fields):
    asked = {"definition": DEFINITION, "h": 1, "max_size": 2, "epsilon": 1} | fields
    return ExplainQuery(point=point, **asked).plan(some or table())


NAMED = {"rate": 0.5, "age": 20.0, "dose": 1.0}


@pytest.mark.parametrize(
    "point",
    [POINT, tuple(POINT), np.array(POINT), NAMED, pd.Series(NAMED), pd.DataFrame([NAMED]).iloc[0]],
    ids=["list", "tuple", "array", "mapping", "series", "row of a frame"],
)
def test_point_is_numbers_in_order_or_numbers_by_name(point):
    made = plan(point)
    assert (made.points.tolist(), made.alone) == ([[0.2, 0.1, 0.5]], True)
    assert made.query.point == (0.2, 0.1, 0.5)


@pytest.mark.parametrize(
    "points",
    [[POINT], np.array([POINT]), {name: [value] for name, value in NAMED.items()}, pd.DataFrame([NAMED])],
    ids=["rows", "array", "lists", "frame"],
)
def test_table_of_points_stays_one_also_with_a_single_row(points):
    made = plan(points)
    assert (made.points.tolist(), made.alone) == ([[0.2, 0.1, 0.5]], False)
    assert len(made.compute(table())) == 1
    assert len(made.compute(table())[0]) == 1


def test_columns_choose_what_sets_are_made_of():
    made = plan([1.0, 20.0], columns=["dose", "age"])
    assert list(made.family) == [("dose",), ("age",), ("dose", "age")]
    assert made.points.tolist() == [[0.1, 0.2]]


@pytest.mark.parametrize(("h", "points"), [(1, 1), (2, 1), (2, 3)])
@pytest.mark.parametrize("m", [1, 4])
def test_draws_of_all_points_spend_epsilon_exactly(h, points, m):
    made = plan([POINT] * points, table(rows_per_person=m), h=h, epsilon="0.7")
    assert made.each * h * points * m == Fraction(7, 10)
    assert (made.rate, made.privacy) == (made.each / 2, Privacy(Fraction(7, 10)))
    assert made.cost.epsilon == Fraction(7, 10)
    assert made.cost.rho == h * points * (Fraction(7, 10) / (h * points)) ** 2 / 2
    told = {"h": h, "max_size": 2, "points": points, "penalty": made.penalty}
    assert dict(made.parameters) == told


def test_fewer_than_k_rows_near_are_alike_and_a_column_more_counts_as_the_penalty():
    made = plan(epsilon=1)
    assert made.penalty == 5 + 7  # k, and ln 30 / (1/2) rounded up
    assert [made.score(("age",), near) for near in (0, 4, 5, 90)] == [-4, -4, -5, -90]
    assert made.score(("age", "dose"), 7) == -7 - 12


BAD = [
    {"point": [1.0]},
    {"point": [1.0, 2.0, 3.0, 4.0]},
    {"point": 5},
    {"point": "abc"},
    {"point": None},
    {"point": []},
    {"point": ["a", "b", "c"]},
    {"point": [1.0, 2.0, float("nan")]},
    {"point": [[1.0, 2.0, 3.0], [1.0]]},
    {"point": [1.0, [2.0], 3.0]},
    {"point": {"age": 1.0, "dose": 2.0}},
    {"point": {"age": 1.0, "dose": 2.0, "rate": None}},
    {"point": np.zeros((0, 3))},
    {"h": 0},
    {"h": 4},
    {"h": True},
    {"max_size": 0},
    {"max_size": 4},
    {"max_size": None},
    {"columns": ["z"]},
    {"columns": []},
    {"epsilon": 0},
    {"definition": (2, 0.1)},
    {"definition": OutlierDefinition(min_neighbors=30, radius=0.1)},
]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad_request_for_an_explanation_spends_nothing_and_looks_at_nothing(bad):
    request = {"definition": DEFINITION, "point": POINT, "h": 1, "max_size": 2, "epsilon": 0.5} | bad
    sentence = refused_for_free(table(), lambda session: session.explain_outlier(**request))
    assert "\n" not in sentence


def test_explanation_beyond_the_budget_spends_nothing():
    request = {"definition": DEFINITION, "point": POINT, "h": 1, "max_size": 2, "epsilon": 2}
    assert refused_for_free(table(), lambda session: session.explain_outlier(**request), BudgetRefused)


def test_too_many_looks_are_refused_in_a_sentence_for_free():
    wide = Table.from_frame(np.zeros((10, 400)), {f"c{i}": (0, 1) for i in range(400)})
    for max_size, sets in ((2, "80,200"), (400, "more than 1,000,000,000,000,000")):
        said = refused_for_free(
            wide, lambda session, size=max_size: session.explain_outlier(
                DEFINITION, point=[0.5] * 400, h=2, max_size=size, epsilon=1
            )
        )  # fmt: skip
        assert said.startswith(f"Naming 2 of {sets} sets of columns for 1 point takes more than the 100,000 looks")


def test_charge_for_an_explanation_is_made_before_a_row_is_looked_at():
    request = {"definition": DEFINITION, "point": POINT, "h": 1, "max_size": 2, "epsilon": 0.25}
    left = left_when_looking(table(), lambda session: session.explain_outlier(**request))
    assert left == Privacy(Fraction(3, 4))


@pytest.mark.parametrize("h", [1, 2, 3])
def test_no_set_contains_one_that_was_drawn_before(h):
    made = plan(h=h, max_size=3, epsilon="0.01")
    for _ in range(30):
        drawn = [set(names) for names in made.compute(table())]
        assert len(drawn) == h
        assert not any(drawn[i] <= drawn[j] for i in range(h) for j in range(i + 1, h))


def near_all(some, point, **fields):
    """What a plan counts, by set; the draws see these numbers and nothing else."""
    definition = OutlierDefinition(min_neighbors=1, radius=0.05, **fields)
    made = ExplainQuery(definition=definition, point=point, h=1, max_size=2, epsilon=1).plan(some)
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(made), "_draw", lambda _, family, near: seen.append(dict(zip(family, near, strict=True))))
        made.compute(some)
    return seen


def test_row_left_out_in_a_column_takes_part_in_sets_without_it():
    rows = {"a": [0.5, 0.5, 0.9], "b": [0.5, None, None]}
    some = Table.from_frame(rows, {"a": (0, 1), "b": (0, 1)}, missing={"b": "leave-out"})
    assert near_all(some, [0.5, 0.5]) == [{("a",): 2, ("b",): 1, ("a", "b"): 1}]


def test_only_rows_that_agree_with_the_point_on_the_strata_are_near():
    rows = {"a": [0.5, 0.5, 0.5], "b": [0.5, 0.9, 0.5], "ward": ["A", "A", "B"]}
    some = Table.from_frame(rows, {"a": (0, 1), "b": (0, 1)}, categories={"ward": ["A", "B", "C"]})
    points = pd.DataFrame({"a": [0.5] * 3, "b": [0.5] * 3, "ward": ["A", "B", "C"]})
    found = near_all(some, points, within=("ward",))
    assert [tuple(near.values()) for near in found] == [(2, 1, 1), (1, 1, 1), (0, 0, 0)]
    assert near_all(some, {"a": 0.5, "b": 0.5, "ward": "B"}, within=("ward",)) == found[1:2]
    plans = [
        plan(
            {"a": 0.5, "b": 0.5, "ward": ward}, some, definition=replace(DEFINITION, min_neighbors=1, within=("ward",))
        )
        for ward in "AB"
    ]
    assert plans[0].query.point != plans[1].query.point  # another question


def test_add_remove_needs_no_factor_2():
    some = Table.from_frame(np.zeros((10, 3)), table().bounds, neighbors="add-remove", rows_about=10)
    assert plan(some=some).rate == plan(some=some).each == Fraction(1)


def planted():
    """4,000 rows in six columns, the third close to the second, and a point that is alone in them and in the sixth."""
    rng = np.random.default_rng(3)
    rows = rng.normal(0.5, 0.12, (4_000, 6))
    rows[:, 2] = rows[:, 1] + rng.normal(0, 0.01, 4_000)
    return Table.from_frame(rows, dict.fromkeys("abcdef", (0, 1))), [0.5, 0.4, 0.6, 0.5, 0.5, 0.98]


def named(some, point, max_size, **fields):
    definition = OutlierDefinition(min_neighbors=5, radius=0.03)
    made = ExplainQuery(definition=definition, point=point, h=2, max_size=max_size, epsilon=1, **fields).plan(some)
    return made, Counter(frozenset(made.compute(some)) for _ in range(60))


@pytest.mark.parametrize("max_size", [2, 3])
def test_smallest_sets_in_which_the_point_stands_alone_are_named(max_size):
    """Sets that contain them are as lonely, and many more: the penalty and the rule on supersets pass them over."""
    _, drawn = named(*planted(), max_size)
    assert drawn[frozenset({("f",), ("b", "c")})] >= 50


def test_without_the_penalty_larger_sets_would_be_named():
    some, point = planted()
    made, _ = named(some, point, 3)

    class Plain(type(made)):
        penalty = 0

    plain = Plain(**{name: getattr(made, name) for name in type(made).__slots__})
    drawn = Counter(frozenset(plain.compute(some)) for _ in range(60))
    assert drawn[frozenset({("f",), ("b", "c")})] <= 15


def test_ordinary_points_in_a_table_are_explained_each_by_its_own_draws():
    some, point = planted()
    both = [[*point[:5], 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.98]]
    definition = OutlierDefinition(min_neighbors=5, radius=0.03)
    made = ExplainQuery(definition=definition, point=both, h=1, max_size=2, epsilon=2).plan(some)
    drawn = Counter(made.compute(some) for _ in range(40))
    assert drawn[(("b", "c"),), (("f",),)] >= 35
