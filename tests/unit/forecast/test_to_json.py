"""A forecast reads back from its JSON as the same record, and nothing else does."""

import json
from fractions import Fraction

import pytest

from eremite import InputError, OutlierDefinition, Session, Table
from eremite.forecast import CountForecast, ForecastRecord
from eremite.forecast.to_json import from_json, to_json

NEAR = OutlierDefinition(min_neighbors=2, radius=0.05)
ROWS = {"age": [20.0, 30, 40, 50, 60], "weight": [60.0, 70, 80, 90, 95], "ward": ["A", "B", "A", "B", "A"]}
EPSILONS = ["1/3", 1]


@pytest.fixture(scope="module")
def session() -> Session:
    bounds = {"age": (18, 90), "weight": (40, 150)}
    table = Table.from_frame(ROWS, bounds=bounds, categories={"ward": ["A", "B"]})
    return Session(table, epsilon=10)


@pytest.mark.parametrize(
    "forecast",
    [
        lambda s: s.forecast_count(NEAR, epsilon=EPSILONS),
        lambda s: s.forecast_count_by(NEAR, by="ward", epsilon=EPSILONS),
        lambda s: s.forecast_count_by(NEAR, by=["ward"], epsilon=EPSILONS, shape="uniform"),
        lambda s: s.compare_mechanisms(NEAR, epsilon=EPSILONS),
        lambda s: s.forecast_subspaces(NEAR, h=1, size=1, epsilon=EPSILONS),
        lambda s: s.forecast_report(NEAR, h=1, size=1, epsilon=EPSILONS),
        lambda s: s.forecast_detect(NEAR, candidates=[[30, 70], [88, 140]], h=1, epsilon=EPSILONS),
        lambda s: s.forecast_explain(NEAR, point=[30, 70], h=1, max_size=1, epsilon=EPSILONS),
        lambda s: s.forecast_radius(2, share="0.2"),
        lambda s: s.forecast_rows(epsilon=EPSILONS),
    ],
)
def test_a_forecast_reads_back(session, forecast):
    record = forecast(session)
    assert isinstance(record, ForecastRecord)
    again = from_json(type(record), json.loads(json.dumps(to_json(record))))
    assert again == record
    assert str(again) == str(record)


@pytest.mark.parametrize(
    "change",
    [
        {"errors": None},
        {"errors": [{"epsilon": 1}]},
        {"columns": "age"},
        {"columns": [3]},
        {"outliers": 1.5},
        {"outliers": True},
        {"definition": {"min_neighbors": 0, "radius": 0.05}},
        {"stand_in": 3},
    ],
)
def test_what_is_no_forecast_is_refused(session, change):
    plain = to_json(session.forecast_count(NEAR, epsilon=1)) | change
    with pytest.raises(InputError, match="not the JSON of a CountForecast"):
        from_json(CountForecast, plain)
    with pytest.raises(InputError, match="not the JSON of a CountForecast"):
        from_json(CountForecast, [plain])


def test_more_fields_of_a_newer_service_are_ignored(session):
    record = session.forecast_count(NEAR, epsilon="1/3")
    assert from_json(CountForecast, to_json(record) | {"more": 1}).errors[0].epsilon == Fraction(1, 3)
