import dataclasses
import json
import pickle
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eremite import InputError, OutlierDefinition, Release
from eremite.release import Expected
from eremite.release.noise import NAMES as NOISE_NAMES

RELEASE = Release(
    value=212,
    query="count_outliers",
    columns=("bmi", "glucose"),
    definition=OutlierDefinition(min_neighbors=5, radius=0.05),
    epsilon=Fraction(1, 5),
    delta=Fraction(0),
    mechanism="smooth-laplace",
    rows_per_person=3,
    expected=Expected(error=31, error_from="500 made-up rows"),
    request_id="0123456789abcdef",
    time=datetime(2026, 1, 2, 3, 4, 5, 678, UTC),
    version="0.1.0",
)
FIELDS = json.loads(RELEASE.to_json())

ZONES = st.sampled_from([UTC, timezone(timedelta(hours=-9, minutes=-30))])
EXPECTED = st.builds(
    lambda error, chance, said: Expected(
        error=error,
        error_from=None if error is None else said,
        chance=chance,
        chance_from=None if chance is None else said,
    ),
    st.none() | st.integers(0, 10**9),
    st.none() | st.floats(0, 1),
    st.text(),
)
RELEASES = st.builds(
    Release,
    value=st.integers(0, 10**12),
    query=st.just("count_outliers"),
    columns=st.lists(st.text(st.characters()), min_size=1, max_size=4).map(tuple),
    definition=st.builds(OutlierDefinition, min_neighbors=st.integers(1, 10**9), radius=st.floats(1e-140, 1e150)),
    epsilon=st.fractions(Fraction(1, 10**6), 20) | st.floats(1e-6, 20).map(lambda number: Fraction(repr(number))),
    delta=st.just(Fraction(0)) | st.fractions(Fraction(1, 10**100), Fraction(1, 2)),
    mechanism=st.text(),
    rows_per_person=st.integers(1, 10**9),
    expected=EXPECTED,
    request_id=st.text(),
    time=st.datetimes(timezones=ZONES),
    version=st.text(),
)


@pytest.mark.long
@given(RELEASES)
def test_json_goes_both_ways(release):
    text = release.to_json()
    assert Release.from_json(text) == release
    assert Release.from_json(text).to_json() == text
    assert "\n" not in text


def test_json_is_what_others_read():
    assert FIELDS == {
        "value": 212,
        "query": "count_outliers",
        "columns": ["bmi", "glucose"],
        "definition": {"min_neighbors": 5, "radius": 0.05},
        "epsilon": 0.2,
        "delta": 0,
        "mechanism": "smooth-laplace",
        "neighbors": "replace",
        "rows_per_person": 3,
        "parameters": {},
        "request_id": "0123456789abcdef",
        "time": "2026-01-02T03:04:05.000678+00:00",
        "version": "0.1.0",
        "expected_error": 31,
        "expected_error_from": "500 made-up rows",
        "expected_chance": None,
        "expected_chance_from": None,
        "reach": None,
        "noise_scale": None,
        "noise_half_width": None,
        "reach_above": None,
        "interval": None,
        "confidence": None,
        "rows": None,
        "rows_within": None,
        "at_least": None,
    }
    assert json.loads(dataclasses.replace(RELEASE, epsilon=Fraction(1, 3)).to_json())["epsilon"] == "1/3"


def without(name):
    return {key: value for key, value in FIELDS.items() if key != name}


MAY_LACK = ("expected_chance", "expected_chance_from", *NOISE_NAMES)


def test_release_of_before_expectations_has_none():
    older = {key: value for key, value in FIELDS.items() if not key.startswith("expected")}
    assert Release.from_json(json.dumps(older)) == dataclasses.replace(RELEASE, expected=Expected())


HOSTILE = [
    "",
    "null",
    "[]",
    "7",
    '"text"',
    "{}",
    "{",
    "[" * 100_000,
    '{"a":' * 100_000,
    json.dumps(FIELDS) + "x",
    *(json.dumps(without(name)) for name in FIELDS if name not in ("parameters", *MAY_LACK)),
    *(json.dumps(FIELDS | {"expected_error": error}) for error in (None, -1, "31", 3.5, True, 10**16)),
    *(
        json.dumps(FIELDS | {"expected_chance": chance, "expected_chance_from": said})
        for chance, said in ((0.5, None), (None, "rows"), (1.5, "rows"), ("0.5", "rows"), (0.5, 7), (float("nan"), "x"))
    ),
    *(json.dumps(FIELDS | {"value": value}) for value in ("212", 212.0, True, None, [212])),
    json.dumps(FIELDS).replace("212", "9" * 5000),
    *(json.dumps(FIELDS | {"columns": columns}) for columns in (None, 5)),
    *(json.dumps(FIELDS | {"definition": definition}) for definition in (None, [], {}, {"min_neighbors": 5})),
    *(
        json.dumps(FIELDS | {"definition": {"min_neighbors": k, "radius": r}})
        for k, r in ((0, 0.1), (True, 0.1), (5, "0.1"), (5, float("nan")), (5.0, 0.1), (5, -1))
    ),
    *(
        json.dumps(FIELDS | {"epsilon": e})
        for e in (None, True, "many", "1/0", float("nan"), float("inf"), [1], "1e999")
    ),
    *(json.dumps(FIELDS | {"delta": delta}) for delta in (None, False, "x", float("-inf"))),
    *(json.dumps(FIELDS | {"time": time}) for time in (None, 5, "", "yesterday", "2026-13-01T00:00:00+00:00")),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_release_is_refused_in_a_sentence(text):
    with pytest.raises(InputError) as caught:
        Release.from_json(text)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 150


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": "bmi"},
        {"columns": [1, None]},
        {"columns": []},
        {"value": -5},
        {"query": 5},
        {"mechanism": None},
        {"neighbors": 1},
        {"neighbors": "one row replaced"},
        {"rows_per_person": 0},
        {"rows_per_person": True},
        {"rows_per_person": "3"},
        {"query": "choose_radius", "value": "0.1"},
        {"query": "choose_radius", "value": float("nan")},
        {"parameters": {"radii": [float("inf")]}},
        {"request_id": [1]},
        {"version": {}},
        {"epsilon": -1},
        {"epsilon": 0},
        {"delta": 5},
        {"time": "2026-01-01"},
    ],
    ids=str,
)
def test_fields_that_no_release_has_are_refused(wrong):
    with pytest.raises(InputError):
        Release.from_json(json.dumps(FIELDS | wrong))


@pytest.mark.parametrize("text", [None, b"\xff\xfe", 5, {}])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(InputError, match="not the JSON of a release"):
        Release.from_json(text)


def test_release_is_frozen_and_holds_no_more_than_its_fields():
    with pytest.raises(dataclasses.FrozenInstanceError):
        RELEASE.value = 3
    with pytest.raises((AttributeError, TypeError)):
        RELEASE.bound = 3
    assert not hasattr(RELEASE, "__dict__")
    methods = {"from_json", "plot", "to_dict", "to_frame", "to_json"}
    fields = {"expected", "noise", *FIELDS} - {"expected_error_from", "expected_chance_from"}
    assert {name for name in dir(RELEASE) if not name.startswith("_")} == fields | methods


def test_release_is_a_value():
    assert pickle.loads(pickle.dumps(RELEASE)) == RELEASE  # noqa: S301
    assert hash(dataclasses.replace(RELEASE)) == hash(RELEASE)
    assert dataclasses.replace(RELEASE, value=213) != RELEASE
