"""What is sent over the wire is the question that a session would be asked: the same methods, the same fingerprints."""

import inspect
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pydantic import TypeAdapter

from eremite import DetectQuery, ExplainQuery, InputError, OutlierDefinition, RemoteSession, Session, Table
from eremite.client.bodies import ROUTES, body_of, fields_of
from eremite.session.request import Request
from tests.unit.client.scripted import NEAR

TABLE = Table.from_frame(
    {"age": [20.0, 30, 40, 50, 60, 70], "weight": [60.0, 70, 80, 90, 95, 99]},
    bounds={"age": (18, 90), "weight": (40, 150)},
)
ROWS = [[25.1, 75.5], [58, 190.25]]
COLUMNS = {"age": [25.1, 58.0], "weight": [75.5, 190.25]}
LOCAL = {
    "of_account",
    "page",
    "budget_timeline",
    "facts",
    "prepare",
    "charge",
    "compute",
    "expected_seconds",
    "open_screen",
}


def parameters(method):
    return {
        name: (one.kind, one.annotation)
        for name, one in inspect.signature(method).parameters.items()
        if name not in ("progress", "epsilon")
    }


def test_methods_are_those_of_a_session():
    public = {name for name in dir(Session) if not name.startswith("_")} - LOCAL
    assert public - set(dir(RemoteSession)) == set()
    for name in public & ROUTES.keys():
        ours, theirs = (list(parameters(getattr(kind, name))) for kind in (RemoteSession, Session))
        assert ours == theirs, name


def fingerprint(query, table=TABLE):
    return Request(query.plan(table), table).fingerprint


def received(query, table=TABLE):
    """The fingerprint of the question that the service reads from the body."""
    sent = json.dumps(body_of(query.name, fields_of(query)), allow_nan=False)
    return fingerprint(TypeAdapter(type(query)).validate_python(json.loads(sent, parse_float=Decimal)), table)


@pytest.mark.parametrize(
    "candidates",
    [
        ROWS,
        tuple(map(tuple, ROWS)),
        np.array(ROWS),
        np.array(ROWS, dtype=np.float32),
        COLUMNS,
        dict(reversed(COLUMNS.items())),
        {name: np.array(column) for name, column in COLUMNS.items()},
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        pa.table(COLUMNS).to_batches()[0],
        np.array([tuple(row) for row in ROWS], dtype=[("age", "f8"), ("weight", "f8")]),
        [[float("inf"), -float("inf")], [10**400, -(10**400)]],
        [[Decimal("25.1"), Fraction(1, 3)], [np.int32(30), np.float64(70.1)]],
        None,
    ],
    ids=lambda value: type(value).__module__ + "." + type(value).__name__,
)
def test_candidates_arrive_as_a_session_reads_them(candidates):
    query = DetectQuery(definition=NEAR, candidates=candidates, h=1, epsilon=0.1)
    assert received(query) == fingerprint(query)


@pytest.mark.parametrize(
    "point",
    [
        [25.1, 75.5],
        (25.1, 75.5),
        np.array([25.1, 75.5]),
        {"weight": 75.5, "age": 25.1},
        pd.DataFrame(COLUMNS).iloc[0],
        COLUMNS,
        ROWS,
        pd.DataFrame(COLUMNS),
    ],
    ids=lambda value: type(value).__name__,
)
def test_points_arrive_as_a_session_reads_them(point):
    query = ExplainQuery(definition=NEAR, point=point, h=1, max_size=2, epsilon=0.1)
    assert received(query) == fingerprint(query)


def test_dates_truths_and_categories_arrive_as_a_session_reads_them():
    days = [date(2026, 1, 31), date(2026, 2, 1), date(2026, 2, 2)]
    rows = {"day": days, "smokes": [True, False, True], "ward": ["A", "B", "A"]}
    bounds = {"day": (date(2026, 1, 1), date(2026, 12, 31)), "smokes": (False, True)}
    table = Table.from_frame(rows, bounds=bounds, categories={"ward": ["A", "B"]})
    near = OutlierDefinition(min_neighbors=1, radius=0.05, within=("ward",))
    nanoseconds = np.array(["2026-01-31T12:30:00.000000500", "2026-02-01"], dtype="datetime64[ns]")
    moments = pd.to_datetime(["2026-01-31 12:30:00.5", "2026-02-01 00:00:00.0"])
    for first in (days[:2], [datetime(2026, 1, 31, 12, tzinfo=UTC)] * 2, moments, nanoseconds, list(nanoseconds)):
        frame = {"day": first, "smokes": [True, False], "ward": ["A", "B"]}
        for candidates in (frame, pd.DataFrame(frame)):
            query = DetectQuery(definition=near, candidates=candidates, h=1, epsilon=1)
            assert received(query, table) == fingerprint(query, table)


@pytest.mark.parametrize(
    "candidates",
    [
        [[1, float("nan")]],
        [[1, None]],
        pd.DataFrame({"age": [1.0, None], "weight": [1, 2]}),
        {"age": [1], "weight": [1, 2]},
        {"age": 1},
        "age",
        5,
        [1, 2],
    ],
)
def test_points_with_holes_are_refused_before_they_are_sent(candidates):
    with pytest.raises(InputError):
        body_of("detect_outliers", {"definition": NEAR, "candidates": candidates, "h": 1, "epsilon": 1})


@pytest.mark.parametrize("epsilon", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10), np.float64(0.1), "1/10"])
def test_numbers_travel_exactly(epsilon):
    assert body_of("count_outliers", {"definition": NEAR, "epsilon": epsilon})["epsilon"] == "1/10"
    assert body_of("forecast_count", {"definition": NEAR, "epsilon": epsilon})["epsilon"] == ["1/10"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("definition", {"min_neighbors": 3}),
        ("columns", "age"),
        ("columns", {"age"}),
        ("columns", [1]),
        ("columns", 1),
        ("epsilon", "many"),
        ("epsilon", True),
        ("h", [1]),
        ("h", True),
        ("by", 3),
        ("subspaces", "age"),
        ("radii", 1),
        ("radii", ["x"]),
    ],
)
def test_what_is_no_value_is_refused_before_it_is_sent(field, value):
    with pytest.raises(InputError, match=field):
        body_of("count_outliers", {field: value})
