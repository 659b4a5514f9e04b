"""How many rows there are: what is released, what it costs, and that a public number is not sold."""

import json
from dataclasses import replace
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from eremite import BudgetRefused, InputError, OutlierDefinition, Privacy, Release, Session, Table
from eremite.ledger import Cost
from eremite.queries import RowsQuery
from eremite.queries.rows import RowsPlan
from tests.private_number import table_of_private_number
from tests.private_side import left_when_looking, refused_for_free

BOUNDS = {"a": (0, 1), "b": (0, 1)}


def private(n=40, rows_per_person=1):
    return table_of_private_number(np.zeros((n, 2)), BOUNDS, rows_per_person)


@pytest.mark.parametrize("columns", [None, ["b"]])
def test_public_number_is_told_and_not_sold(columns):
    table = Table.from_frame(np.zeros((1_234, 2)), BOUNDS)
    sentence = refused_for_free(table, lambda session: session.count_rows(columns, epsilon=0.5))
    assert sentence.startswith('The number of rows is public, because neighbors is "replace": there are 1,234')
    assert ("none is left out" in sentence) == (columns is not None)


def test_rows_that_are_left_out_make_a_number_private():
    rows = {"a": [0.5] * 200, "b": [0.5] * 120 + [None] * 80}
    table = Table.from_frame(rows, BOUNDS, missing={"b": "leave-out"})
    session = Session(table, epsilon=20)
    assert abs(session.count_rows(["a", "b"], epsilon=2).value - 120) < 30
    for columns in (None, ["a"]):
        with pytest.raises(InputError, match="there are 200"):
            session.count_rows(columns, epsilon=2)
    hidden = Table.from_frame(rows, BOUNDS, missing={"b": "leave-out"}, neighbors="add-remove", rows_about=100)
    assert [hidden.rows_taking_part(columns) for columns in ((), ("a",), ("b", "a"))] == [200, 200, 120]


def test_number_of_rows_is_near_the_number_and_never_below_zero():
    session = Session(private(), epsilon=20)
    values = [session.count_rows(epsilon=2).value for _ in range(5)]
    assert {type(value) for value in values} == {int}
    assert all(abs(value - 40) < 25 for value in values)
    empty = RowsQuery(epsilon="0.1").plan(private(1))
    assert min(empty.compute(private(1)) for _ in range(40)) == 0


@pytest.mark.parametrize("m", [1, 4])
def test_rows_of_a_person_share_epsilon(m):
    plan = RowsQuery(epsilon="0.6").plan(private(rows_per_person=m))
    assert plan.noise.epsilon * m == Fraction(3, 5)
    assert (plan.cost, plan.mechanism, plan.columns) == (Cost.pure(Fraction(3, 5)), "global-laplace", ())


@pytest.mark.parametrize("bad", [{"epsilon": 0}, {"columns": []}, {"columns": ["z"]}, {"columns": ["a", "a"]}], ids=str)
def test_bad_request_for_a_number_of_rows_is_refused_for_free(bad):
    refused_for_free(private(), lambda session: session.count_rows(**({"epsilon": 0.5} | bad)))


def test_number_of_rows_is_charged_before_it_is_counted():
    assert refused_for_free(private(), lambda session: session.count_rows(epsilon=2), BudgetRefused)
    left = left_when_looking(private(), lambda session: session.count_rows(epsilon=0.25))
    assert left == Privacy(Fraction(3, 4))


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("epsilon", ["0.05", "0.3", "2", "20"])
def test_forecast_of_a_number_of_rows_holds_for_19_answers_in_20_and_hardly_more(epsilon, m):
    """P(|Z| > w) = 2 a^(w + 1) / (1 + a), a = e^(-epsilon / m)."""
    session = Session(Table.from_frame(np.zeros((9, 2)), BOUNDS, rows_per_person=m), epsilon=1)
    [error] = session.forecast_rows(epsilon=epsilon).errors
    a = exp(-float(Fraction(epsilon)) / m)
    for most, share in ((error.most, 0.05), (error.median, 0.5)):
        assert 2 * a ** (most + 1) / (1 + a) <= share
    assert error.most == 1 or 2 * a ** (error.most - 1) / (1 + a) > 0.05
    assert "95 % off by at most" in session.forecast_rows(epsilon=epsilon)._repr_html_()


def test_forecast_of_no_epsilon_is_refused():
    with pytest.raises(InputError, match="at least one epsilon"):
        Session(private(), epsilon=1).forecast_rows(epsilon=[])


def test_same_id_gives_the_stored_number(monkeypatch):
    session = Session(private(), epsilon=1)
    first = session.count_rows(epsilon="0.1", request_id="one")
    monkeypatch.setattr(RowsPlan, "compute", lambda *_: pytest.fail("drawn again"))
    assert session.count_rows(epsilon="0.1", request_id="one") == first
    with pytest.raises(InputError, match="was used for another request"):
        session.count_rows(["a"], epsilon="0.1", request_id="one")


def test_release_of_a_number_of_rows_has_no_definition_and_no_other_release_goes_without():
    release = Session(private(), epsilon=1).count_rows(epsilon="0.5")
    assert (release.definition, release.columns, release.parameters) == (None, (), ())
    assert json.loads(release.to_json())["definition"] is None
    assert Release.from_json(release.to_json()) == release
    for other in (
        replace(release, query="count_outliers", columns=("a",)),
        replace(release, definition=OutlierDefinition(min_neighbors=1, radius=0.1)),
        replace(release, value=-1),
    ):
        with pytest.raises(InputError, match="not the JSON of a release"):
            Release.from_json(other.to_json())
