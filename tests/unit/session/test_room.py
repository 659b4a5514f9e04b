import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Session, Table
from eremite.reach import room

CLOSE = OutlierDefinition(min_neighbors=5, radius=0.1)
ASKED = {
    "a count": lambda session, **also: session.count_outliers(CLOSE, epsilon=1, **also),
    "counts by group": lambda session: session.count_outliers_by(CLOSE, by="ward", epsilon=1),
    "a report": lambda session: session.outlier_report(CLOSE, h=1, max_size=2, epsilon=1),
}


def session_of(rows):
    frame = dict(zip("abc", np.random.default_rng(1).random((3, rows)), strict=True))
    bounds = dict.fromkeys("abc", (0, 1))
    table = Table.from_frame(frame | {"ward": ["A"] * rows}, bounds=bounds, categories={"ward": ["A", "B"]})
    return Session(table, epsilon=1)


@pytest.mark.parametrize("question", ASKED)
def test_a_question_without_room_is_refused_before_it_is_charged(monkeypatch, question):
    session = session_of(2000)
    monkeypatch.setattr(room, "machine_memory", lambda: 10**6)
    with pytest.raises(InputError, match="may take"):
        ASKED[question](session)
    assert session.remaining.epsilon == 1
    assert session.count_outliers(CLOSE, epsilon=1, mechanism="global-laplace").epsilon == 1


@pytest.mark.parametrize("mechanism", ["reach", "reach-pair"])
def test_room_is_that_of_the_mechanism(monkeypatch, mechanism):
    session = session_of(2000)
    both = mechanism == "reach-pair"
    monkeypatch.setattr(room, "machine_memory", lambda: room.bytes_for(2000, 3, 5, both_sides=both) - 1)
    with pytest.raises(InputError, match="may take"):
        session.count_outliers(CLOSE, epsilon=0.5, mechanism=mechanism)
    monkeypatch.setattr(room, "machine_memory", lambda: room.bytes_for(2000, 3, 5, both_sides=both))
    assert session.count_outliers(CLOSE, epsilon=0.5, mechanism=mechanism).epsilon == 0.5
