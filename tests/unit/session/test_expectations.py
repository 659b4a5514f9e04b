"""Every answer says how far off it may be: from public facts alone, before it is charged, once a question."""

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Release, Session, Table
from eremite.release import Expected
from eremite.release.summary import summary
from eremite.session import session as module

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.05)
ROWS = np.random.default_rng(8).normal(0.5, 0.1, (600, 3)).clip(0, 1)
ASKED = {
    "count": lambda session: session.count_outliers(DEFINITION, epsilon="0.5", mechanism="smooth-laplace"),
    "by": lambda session: session.count_outliers_by(DEFINITION, by="ward", epsilon="0.5"),
    "subspaces": lambda session: session.top_subspaces(DEFINITION, h=1, size=2, epsilon="0.5"),
    "report": lambda session: session.outlier_report(DEFINITION, h=1, size=2, epsilon="0.5"),
    "detect": lambda session: session.detect_outliers(DEFINITION, candidates=[[0.1] * 3] * 4, h=2, epsilon="0.5"),
    "explain": lambda session: session.explain_outlier(DEFINITION, point=[0.9] * 3, h=1, max_size=2, epsilon="0.5"),
}


def table_of(rows, wards=("a", "b")):
    frame = dict(zip("xyz", rows.T, strict=True)) | {"ward": np.resize(wards, len(rows))}
    return Table.from_frame(frame, bounds=dict.fromkeys("xyz", (0, 1)), categories={"ward": ["a", "b"]})


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("stand_in", [None, table_of(ROWS[:300])], ids=["made-up", "public"])
def test_expectation_is_the_same_whatever_the_rows_are(name, stand_in):
    """All rows at one place, or everywhere; what is public is the same."""
    tables = table_of(ROWS), table_of(np.full_like(ROWS, 0.5), ("a",))
    seen = [ASKED[name](Session(table, epsilon=1, stand_in=stand_in)) for table in tables]
    assert seen[0].expected == seen[1].expected
    assert (seen[0].expected == Expected()) == (name == "by")  # its intervals say more
    assert (seen[0].expected_error is None) == (name != "count")
    assert (seen[0].expected_chance is None) == (name in ("count", "by"))
    assert all(Release.from_json(release.to_json()) == release for release in seen)
    words = summary(seen[0]).facts
    assert ("from" in words) == (seen[0].expected_error is not None)
    assert ("chance" in words) == (seen[0].expected_chance is not None)


def test_expectation_is_computed_once_a_question_and_before_the_charge(monkeypatch):
    session, left = Session(table_of(ROWS), epsilon=2), []
    monkeypatch.setattr(module, "expected_of", lambda *_: left.append(session.remaining.epsilon) or Expected())
    for _ in range(2):
        ASKED["count"](session)
    ASKED["subspaces"](session)
    assert left == [2, 1]


def test_no_more_expectations_are_kept_than_a_few(monkeypatch):
    monkeypatch.setattr(module, "_MOST_EXPECTED", 2)
    asked = []
    monkeypatch.setattr(module, "expected_of", lambda plan, *_: asked.append(plan.privacy.epsilon) or Expected())
    session = Session(table_of(ROWS), epsilon=100)
    for epsilon in (1, 2, 1, 3, 3, 1):
        session.count_outliers(DEFINITION, epsilon=epsilon)
    assert asked == [1, 2, 3, 1]


def test_stored_answer_keeps_what_was_expected():
    session = Session(table_of(ROWS), epsilon=1)
    asked = {"epsilon": "0.5", "mechanism": "smooth-laplace", "request_id": "one"}
    first = session.count_outliers(DEFINITION, **asked)
    assert session.count_outliers(DEFINITION, **asked) == first
    assert first.expected_error > 0


def test_expectations_can_be_left_out():
    release = ASKED["count"](Session(table_of(ROWS), epsilon=1, expectations=False))
    assert release.expected == Expected()
    assert "eremite forecast" in summary(release).facts["error"]


@pytest.mark.parametrize("error", [InputError, ValueError, MemoryError])
def test_forecast_that_fails_stands_in_the_way_of_no_answer(monkeypatch, error):
    """As where the question does not fit the stand-in."""

    def refuse(*_):
        raise error("min_neighbors does not fit")

    monkeypatch.setattr(module, "expected_of", refuse)
    release = ASKED["count"](Session(table_of(ROWS), epsilon=1, stand_in=table_of(ROWS[:2])))
    assert release.expected == Expected()
