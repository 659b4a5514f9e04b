"""Counts by group: what is released, what it costs, and what is refused."""

import json
import pickle
from fractions import Fraction

import numpy as np
import pytest

from eremite import CountByQuery, OutlierDefinition, Privacy, Release, Session, Table
from eremite.errors import InputError
from eremite.ledger import Cost
from eremite.mechanisms import SmoothLaplace
from eremite.outliers import count_outliers
from eremite.queries import groups as groups_module
from eremite.queries.count import counted
from eremite.queries.groups import of_groups
from eremite.release import ByGroup
from eremite.sensitivity import count_with_bound
from eremite.sensitivity.relation import Relation
from tests.private_side import left_when_looking, refused_for_free

RNG = np.random.default_rng(8)
ROWS = {
    "a": RNG.uniform(0, 1, 200),
    "b": RNG.uniform(0, 1, 200),
    "ward": RNG.choice(["A", "B"], 200),
    "sex": RNG.choice(["f", "m"], 200),
}
DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)


def table(neighbors="replace", rows_per_person=1, rows=None):
    return Table.from_frame(
        ROWS if rows is None else rows,
        {"a": (0, 1), "b": (0, 1)},
        rows_per_person=rows_per_person,
        categories={"ward": ["A", "B", "C"], "sex": ["f", "m"]},
        neighbors=neighbors,
        rows_about=None if neighbors == "replace" else 500,
    )


def test_value_maps_each_declared_group_to_a_count_near_its_own_rows():
    release = Session(table(), epsilon=20).count_outliers_by(DEFINITION, by="ward", epsilon=20)
    points = table().points()
    for ward in "AB":
        wanted = count_outliers(points[ROWS["ward"] == ward], DEFINITION)
        assert abs(release.value[ward] - wanted) < 20
    assert list(release.value) == ["A", "B", "C"]
    assert 0 <= release.value["C"] < 20
    assert release.parameters == (("by", ("ward",)),)


def test_groups_of_two_columns_are_pairs_in_declared_order():
    release = Session(table("add-remove"), epsilon=20).count_outliers_by(DEFINITION, by=["sex", "ward"], epsilon=5)
    assert list(release.value) == [(s, w) for s in "fm" for w in "ABC"]
    assert release.neighbors == "add-remove"
    read = Release.from_json(release.to_json())
    assert read == release
    assert (read.value["f", "A"], hash(read), pickle.loads(pickle.dumps(read))) == (  # noqa: S301 -- our own bytes
        release.value["f", "A"],
        hash(release),
        release,
    )
    assert json.loads(release.to_json())["value"][0][0] == ["f", "A"]


@pytest.mark.parametrize(("neighbors", "steps"), [("replace", 2), ("add-remove", 1)])
@pytest.mark.parametrize("m", [1, 3])
def test_each_group_gets_epsilon_or_half_of_it_where_a_row_may_change_its_group(monkeypatch, neighbors, steps, m):
    monkeypatch.setattr(groups_module, "chosen", lambda *_: "smooth-laplace")
    plan = CountByQuery(definition=DEFINITION, by="ward", epsilon="0.6", columns=["b"]).plan(table(neighbors, m))
    assert plan.noise.epsilon * m * steps == Fraction(3, 5)
    assert (plan.cost, plan.privacy, plan.columns) == (Cost.pure(Fraction(3, 5)), Privacy(Fraction(3, 5)), ("b",))


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
def test_bound_of_a_group_is_that_of_its_rows_where_rows_come_and_go(monkeypatch, neighbors):
    monkeypatch.setattr(groups_module, "chosen", lambda *_: "smooth-laplace")
    of = table(neighbors)
    plan = CountByQuery(definition=DEFINITION, by="ward", epsilon=20).plan(of)
    assert isinstance(plan.noise, SmoothLaplace)
    relation = Relation("add-remove", 200 if neighbors == "replace" else 500)
    for ward, part in zip("ABC", of.groups(None, ["ward"]), strict=True):
        rows = np.ascontiguousarray(of.points()[ROWS["ward"] == ward])
        exact = counted(part, DEFINITION, plan.noise, of_groups(of))
        assert exact == count_with_bound(rows, DEFINITION, plan.noise.decay, relation)


def test_group_without_rows_has_noise_like_any_other(monkeypatch):
    monkeypatch.setattr(groups_module, "chosen", lambda *_: "smooth-laplace")
    of = table("add-remove")
    plan = CountByQuery(definition=DEFINITION, by="ward", epsilon=1).plan(of)
    outliers, bound = counted(of.groups(None, ["ward"])[2], DEFINITION, plan.noise, of_groups(of))
    assert outliers == 0
    assert bound >= 1


BAD = [
    ({"by": "a"}, "is a coordinate"),
    ({"by": []}, "by must be a column with categories"),
    ({"by": 3}, "by must be a column with categories"),
    ({"by": "floor"}, "is not in the categories"),
    ({"by": ["ward", "ward"]}, "more than once"),
    ({"by": "ward", "columns": ["ward"]}, "has categories and no bounds"),
    ({"by": "ward", "epsilon": 0}, "epsilon must be above 0"),
    (
        {"by": "ward", "definition": OutlierDefinition(min_neighbors=3, radius=0.1, within=("ward",))},
        "both by and within",
    ),
]


@pytest.mark.parametrize(("bad", "sentence"), BAD, ids=str)
def test_bad_request_for_groups_is_refused_for_free(bad, sentence):
    asked = {"definition": DEFINITION, "epsilon": 0.5} | bad
    assert sentence in refused_for_free(table(), lambda session: session.count_outliers_by(**asked))


def test_counts_of_groups_are_charged_before_a_row_is_looked_at():
    left = left_when_looking(table(), lambda session: session.count_outliers_by(DEFINITION, by="ward", epsilon=0.25))
    assert left == Privacy(Fraction(3, 4))


def test_forecast_has_an_error_for_every_group():
    forecast = Session(table("add-remove"), epsilon=1).forecast_count_by(
        DEFINITION, by=["sex", "ward"], epsilon=["0.1", 1]
    )
    assert [one.group for one in forecast.groups] == [(s, w) for s in "fm" for w in "ABC"]
    for one in forecast.groups:
        small, large = one.errors
        assert 0 < large.median < large.most < small.most
    assert forecast.stand_in == "a crowded table of 500 rows"
    assert "f, A" in forecast._repr_html_()


def test_forecast_of_groups_without_an_epsilon_is_refused():
    with pytest.raises(InputError, match=r"Give at least one epsilon to forecast for\."):
        Session(table(), epsilon=1).forecast_count_by(DEFINITION, by="ward", epsilon=[])


def test_picture_and_page_show_every_group():
    release = Session(table(), epsilon=2).count_outliers_by(DEFINITION, by="ward", epsilon=1)
    figure = release.plot()
    assert figure.get_suptitle() == "Outliers (with noise) in a and b, by ward"
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["A", "B", "C"]
    assert all(f">{ward}</td>" in release._repr_html_() for ward in "ABC")


@pytest.mark.parametrize("value", [[], [["A"]], [["A", -1]], [["A", 1.5]], [["A", 1], ["A", 2]], [[[], 1]], 3])
def test_other_values_are_no_counts_by_group(value):
    release = Session(table(), epsilon=2).count_outliers_by(DEFINITION, by="ward", epsilon=1)
    fields = json.loads(release.to_json()) | {"value": value}
    with pytest.raises(Exception, match="not the JSON of a release"):
        Release.from_json(json.dumps(fields))


def test_counts_by_group_equal_mappings():
    assert ByGroup.of([("A",), ("B",)], [1, 2]) == {"A": 1, "B": 2}
    assert repr(ByGroup.of([("A",)], [1])) == "{'A': 1}"
