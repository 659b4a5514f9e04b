"""How long a question is expected to take: decided by public facts alone."""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from eremite import (
    CountByQuery,
    CountQuery,
    DetectQuery,
    ExplainQuery,
    InputError,
    OutlierDefinition,
    RadiusQuery,
    ReportQuery,
    RowsQuery,
    Session,
    SubspacesQuery,
    Table,
)
from eremite.outliers.near import rows_near
from eremite.session.duration import _slowness

DEFINITION = OutlierDefinition(min_neighbors=5, radius=0.02)
QUESTIONS = {
    "count": CountQuery(definition=DEFINITION, epsilon=0.5, mechanism="smooth-laplace"),
    "count by": CountByQuery(definition=DEFINITION, by="ward", epsilon=0.5),
    "subspaces": SubspacesQuery(definition=DEFINITION, h=1, size=2, epsilon=0.5),
    "report": ReportQuery(definition=DEFINITION, h=1, size=2, epsilon=0.5),
    "detect": DetectQuery(definition=DEFINITION, candidates=[[0.5] * 3], h=1, epsilon=0.5),
    "detect rows": DetectQuery(definition=DEFINITION, candidates=None, h=1, epsilon=0.5),
    "explain": ExplainQuery(definition=DEFINITION, point=[0.5] * 3, h=1, max_size=2, epsilon=0.5),
    "radius": RadiusQuery(min_neighbors=5, share=0.01, epsilon=0.5),
}


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of which the speed is known."""
    monkeypatch.setattr("eremite.session.duration._slowness", lambda: 1.0)
    monkeypatch.setattr("eremite.engines.workers.available", lambda: 2)


def session(rows: Any, **more: Any) -> Session:
    frame = {f"c{i}": column for i, column in enumerate(np.asarray(rows).T)}
    frame["ward"] = np.where(np.arange(len(rows)) % 2, "A", "B")
    bounds = {name: (0, 1) for name in frame if name != "ward"}
    return Session(Table.from_frame(frame, bounds=bounds, categories={"ward": ["A", "B"]}, **more), epsilon=10)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=list(QUESTIONS))
def test_expectation_sees_no_row(question: Any) -> None:
    rng = np.random.default_rng(1)
    crowd, anywhere = session(np.full((500, 3), 0.5)), session(rng.random((500, 3)))
    before = crowd.remaining
    assert 0 < crowd.expected_seconds(question) == anywhere.expected_seconds(question)
    assert crowd.remaining == before
    assert session(rng.random((5000, 3))).expected_seconds(question) > crowd.expected_seconds(question)


def test_expectation_sees_no_private_number_of_rows() -> None:
    private = {"neighbors": "add-remove", "rows_about": 10_000}
    few, many = session(np.zeros((10, 3)), **private), session(np.zeros((1000, 3)), **private)
    for question in [QUESTIONS["count"], RowsQuery(epsilon=1)]:
        assert few.expected_seconds(question) == many.expected_seconds(question)
    assert few.expected_seconds(QUESTIONS["count"]) > session(np.zeros((1000, 3))).expected_seconds(QUESTIONS["count"])


def test_expectation_is_of_a_question() -> None:
    with pytest.raises(InputError, match=r"^Session.expected_seconds takes a question such as CountQuery"):
        session(np.zeros((10, 3))).expected_seconds(DEFINITION)  # type: ignore[arg-type]


def test_more_sets_radii_and_points_take_longer() -> None:
    asked = session(np.random.default_rng(1).random((500, 3)))
    shorter = {
        "subspaces": SubspacesQuery(definition=DEFINITION, h=1, subspaces=[["c0", "c1"]], epsilon=0.5),
        "radius": RadiusQuery(min_neighbors=5, share=0.01, radii=[0.02], epsilon=0.5),
        "report": QUESTIONS["subspaces"],
    }
    longer = DetectQuery(definition=DEFINITION, candidates=[[0.5] * 3] * 9, h=1, epsilon=0.5)
    for name, question in shorter.items():
        assert asked.expected_seconds(question) < asked.expected_seconds(QUESTIONS[name])
    assert asked.expected_seconds(longer) == pytest.approx(9 * asked.expected_seconds(QUESTIONS["detect"]))


def test_radius_within_which_all_rows_lie_is_quick() -> None:
    asked = session(np.random.default_rng(1).random((5000, 3)))
    for radius in (0.9, 0.3):
        wide = replace(QUESTIONS["count"], definition=OutlierDefinition(min_neighbors=5, radius=radius))
        assert asked.expected_seconds(wide) < asked.expected_seconds(QUESTIONS["count"]) / 5


def test_count_without_a_bound_is_quick() -> None:
    """Ten such counts of 100,000 rows share a turn of half a second in the service."""
    private = {"neighbors": "add-remove", "rows_about": 100_000}  # as many as that, for the expectation
    asked = session(np.zeros((10, 3)), **private)
    plain = CountQuery(definition=DEFINITION, epsilon=0.5, mechanism="global-laplace")
    assert 10 * asked.expected_seconds(plain) <= 0.5 < 10 * asked.expected_seconds(QUESTIONS["count"])


def test_machine_that_does_much_else_is_no_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eremite.session.duration.np.sort", lambda _: time.sleep(0.01))
    assert 0 <= _slowness.__wrapped__() < 0.5


def told(question: Any, points: int = 400) -> list[int]:
    """The numbers that progress is called with, while the answer stays the same."""
    numbers: list[int] = []
    asked = session(np.random.default_rng(1).random((points, 3)))
    asked.ask(question, progress=numbers.append)
    return numbers


@pytest.mark.parametrize(
    ("name", "last"), [("count by", 2), ("subspaces", 3), ("report", 3), ("explain", 1), ("detect", 1)]
)
def test_progress_counts_up_to_all(name: str, last: int) -> None:
    numbers = told(QUESTIONS[name])
    assert numbers == list(range(1, last + 1))


def test_progress_of_a_count_tells_its_steps() -> None:
    numbers = told(QUESTIONS["count"])
    assert numbers == list(range(1, len(numbers) + 1)) != []


def test_progress_of_many_points_tells_some_of_them_and_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(2).random((50, 3))
    question = DetectQuery(definition=DEFINITION, candidates=points, h=50, epsilon=0.5)
    assert told(question)[-1] == 50
    assert len(told(question)) == 4
    seen: list[Any] = []
    monkeypatch.setattr("eremite.queries.detection.Scores.permute_and_flip", lambda scores: len(seen))
    monkeypatch.setattr(
        "eremite.queries.detection.rows_near", lambda *asked: seen.append(rows_near(*asked)) or seen[-1]
    )
    for progress in (None, lambda _: None):
        session(np.random.default_rng(1).random((400, 3))).ask(question, progress=progress)
    assert np.array_equal(*seen)
